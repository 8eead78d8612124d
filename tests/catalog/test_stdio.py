"""Servers on stdio: every protocol, what of the environment reaches them, and that a scan only lists."""

import os
import sys
from pathlib import Path

import pytest

from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.scan import scan_servers
from tests.catalog.stubs import Stubs

LIMITS = ScanLimits(stop_seconds=0.3)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_server_of_any_older_protocol_is_listed(version: str) -> None:
    record = scan_servers([Stubs().server(version)], limits=LIMITS).servers[0]
    assert (record.status, record.protocol, record.tools) == ("ok", version, 1)


def test_server_of_the_newest_protocol_is_listed() -> None:
    script = Path(__file__).with_name("sdk_server.py")
    config = ServerConfig(name="sdk", command=sys.executable, args=(str(script), "stdio"))
    catalog = scan_servers([config], limits=LIMITS)
    assert [(s.status, s.protocol, s.title, s.version) for s in catalog.servers] == [
        ("ok", "2026-07-28", "sdk", "3.1")
    ]
    assert [tool.slug for tool in catalog.tools] == ["sdk::add"]


def test_unknown_protocol_fails_with_its_name() -> None:
    record = scan_servers([Stubs().server("2019-01-01")], limits=LIMITS).servers[0]
    assert record.status == "failed"
    assert "2019-01-01" in record.reason


def test_a_server_is_only_ever_asked_for_its_list() -> None:
    catalog = scan_servers([Stubs().server("tells_methods")], limits=LIMITS)
    assert {tool.name for tool in catalog.tools} == {
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/list",
    }


def test_server_gets_tls_and_proxy_variables_its_own_and_nothing_else() -> None:
    ambient = {
        "HOME": "/home/me",
        "PATH": "/usr/bin:/bin",
        "SSL_CERT_FILE": "/ca.pem",
        "NODE_EXTRA_CA_CERTS": "/ca.pem",
        "HTTPS_PROXY": "http://proxy:3128",
        "no_proxy": "localhost",
        "AWS_SECRET_ACCESS_KEY": "not for you",
        "OPENAI_API_KEY": "nor this",
        "STUB_SOURCE": "a value",
    }
    server = Stubs().server("tells_environment", env=(("OWN", "${STUB_SOURCE}!"),))
    catalog = scan_servers([server], limits=LIMITS, environ=ambient)
    got = {tool.name: tool.description for tool in catalog.tools}
    path = got.pop("PATH").split(os.pathsep)
    assert path == ["/usr/bin", "/bin", str(Path(sys.executable).parent)]
    assert {name: got.get(name) for name in ambient if name != "PATH"} == {
        **{name: value for name, value in ambient.items() if name != "PATH"},
        "AWS_SECRET_ACCESS_KEY": None,
        "OPENAI_API_KEY": None,
        "STUB_SOURCE": None,
    }
    assert got["OWN"] == "a value!"


def test_secret_that_a_server_repeats_does_not_reach_the_catalog() -> None:
    server = Stubs().server("tells_environment", env=(("STUB_TOKEN", "s3cret-value"),))
    catalog = scan_servers([server], limits=LIMITS, environ={"PATH": "/usr/bin:/bin"})
    assert {tool.name: tool.description for tool in catalog.tools}["STUB_TOKEN"] == "***"
    assert "s3cret" not in repr(catalog)


def test_env_file_comes_before_env_and_both_reach_the_server(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_FILE=file\nBOTH=file\n", encoding="utf-8")
    server = Stubs().server(
        "tells_environment", base=tmp_path, env_file=".env", env=(("BOTH", "env"), ("USED", "${FROM_FILE}"))
    )
    got = {tool.name: tool.description for tool in scan_servers([server], limits=LIMITS).tools}
    assert (got["FROM_FILE"], got["BOTH"], got["USED"]) == ("file", "env", "file")


def test_uvx_is_found_beside_this_python_without_an_activated_environment() -> None:
    server = ServerConfig(name="uv", command="uvx", args=("--version",))
    record = scan_servers([server], limits=LIMITS, environ={"PATH": "/usr/bin:/bin"}).servers[0]
    # it starts, prints its version and leaves: that it could not be started would say so
    assert record.reason.startswith("exited with code 0 before it answered")


def test_same_servers_give_the_same_catalog() -> None:
    servers = [Stubs().server("odd_tools", name=name) for name in ("b", "a")]
    first, second = (scan_servers(order, limits=LIMITS) for order in (servers, servers[::-1]))
    assert first.tools == second.tools
    assert [server.name for server in first.servers] == ["a", "b"]
    assert first.problems == second.problems
