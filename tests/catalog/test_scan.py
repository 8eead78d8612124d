"""One scan after another: what is kept of a server that is down, and where a scan may be called from."""

import json
from pathlib import Path

import anyio
import pytest

from atlas_assets.catalog.catalog import Catalog
from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.scan import scan_servers
from tests.catalog.remotes import remote
from tests.catalog.stubs import Stubs

LIMITS = ScanLimits(stop_seconds=0.3)


def scan(server: ServerConfig, previous: Catalog | None = None) -> Catalog:
    return scan_servers([server], previous=previous, limits=LIMITS, environ={"PATH": "/usr/bin:/bin"})


def shown(catalog: Catalog) -> tuple[list[str], list[tuple[str, str]]]:
    """Each server's status, and each tool's name and status."""
    return [server.status for server in catalog.servers], [(t.name, t.status) for t in catalog.tools]


def test_rescan_keeps_tools_of_a_server_that_is_down_until_it_is_back() -> None:
    stubs = Stubs()
    first = scan(stubs.server("pages"))
    down = scan(stubs.server("exits_at_once"), first)
    still_down = scan(stubs.server("exits_at_once"), down)
    back = scan(stubs.server("pages"), still_down)
    assert shown(down) == (["stale"], [(f"page_{n}", "stale") for n in range(4)])
    assert shown(still_down) == shown(down)
    assert [(server.title, server.version) for server in down.servers] == [("stub", "1.2.3")]
    assert shown(back) == (["ok"], [(f"page_{n}", "ok") for n in range(4)])
    assert [tool.fingerprint for tool in back.tools] == [tool.fingerprint for tool in first.tools]


def test_tool_that_a_server_no_longer_lists_is_gone() -> None:
    stubs = Stubs()
    assert shown(scan(stubs.server("good"), scan(stubs.server("pages")))) == (["ok"], [("read_file", "ok")])


def test_server_that_now_wants_a_login_keeps_its_tools_and_says_so() -> None:
    with remote("plain") as server:
        config = ServerConfig(name="bad", transport="http", url=server.url)
        before = scan(config)
    with remote("bearer") as server:
        after = scan(ServerConfig(name="bad", transport="http", url=server.url), before)
    assert shown(after) == (["needs_auth"], [("find", "stale")])


def test_what_is_kept_obeys_the_allow_list_too() -> None:
    stubs = Stubs()
    before = scan(stubs.server("pages"))
    after = scan(stubs.server("exits_at_once", tools=("*_1", "*_2")), before)
    assert shown(after) == (["stale"], [("page_1", "stale"), ("page_2", "stale")])


def test_disabled_server_and_one_that_is_no_longer_named_keep_nothing() -> None:
    stubs = Stubs()
    before = scan(stubs.server("pages"))
    assert shown(scan(stubs.server("pages", disabled=True), before)) == (["disabled"], [])
    assert shown(scan_servers([], previous=before, limits=LIMITS)) == ([], [])


def test_recorded_file_of_several_servers_gives_the_one_of_that_name(tmp_path: Path) -> None:
    tools = [
        {"server": "a", "name": "read"},
        {"server": "b", "name": "read"},
        {"server": "b", "name": "write"},
    ]
    (tmp_path / "all.json").write_text(json.dumps(tools), encoding="utf-8")
    servers = [
        ServerConfig(name=name, transport="file", file="all.json", base=tmp_path) for name in ("b", "c")
    ]
    catalog = scan_servers(servers, limits=LIMITS)
    assert [tool.slug for tool in catalog.tools] == ["b::read", "b::write"]
    assert catalog.servers[1].reason == (
        "its file 'all.json' holds 2 servers, none of this name; name the server as the file does"
    )


def test_scan_may_be_called_where_an_event_loop_runs() -> None:
    async def caller() -> Catalog:
        return scan(Stubs().server("good"))

    assert shown(anyio.run(caller)) == (["ok"], [("read_file", "ok")])


def test_an_error_of_the_caller_ends_the_scan_and_is_raised() -> None:
    stubs = Stubs()

    def fail(_: object) -> None:
        raise LookupError("the caller's own")

    servers = [stubs.server("good", name="first"), stubs.server("hangs_during", name="second")]
    with pytest.raises(LookupError, match="the caller's own"):
        scan_servers(servers, limits=LIMITS, on_server=fail)
    assert stubs.left == []
