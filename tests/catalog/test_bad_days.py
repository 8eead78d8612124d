"""Servers on a bad day, each a real process: no process is left, the others complete, tools are kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from atlas_assets.catalog.catalog import Catalog
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tool import ServerRecord, Tool
from tests.catalog.stubs import Stubs

LIMITS = ScanLimits(stop_seconds=0.3)
BEFORE = Catalog.of(
    [ServerRecord("bad", title="Bad", version="0.9", tools=1)],
    [Tool("bad", "old_tool", description="kept")],
)
# no server that is asked to be quick is one that must answer: a slow machine changes no verdict
QUICK = 2.0


def scan(
    stubs: Stubs, behaviour: str, limits: ScanLimits = LIMITS, **changes: object
) -> tuple[ServerRecord, Catalog]:
    """Scan a misbehaving server beside a good one, with a catalog from before."""
    servers = [stubs.server(behaviour, **changes), stubs.server("good", name="good")]
    catalog = scan_servers(servers, previous=BEFORE, limits=limits, environ={"PATH": "/usr/bin:/bin"})
    bad, good = catalog.servers
    assert (good.name, good.status, good.tools, good.reason) == ("good", "ok", 1, "")
    assert stubs.left == []
    assert "\n" not in bad.reason
    return bad, catalog


FAILING = {
    "exits_at_once": "exited with code 3 before it answered: Error: STUB_TOKEN is required",
    "exits_leaving_child": "exited with code 3 before it answered; run its command by hand to see why",
    "exits_during": "exited with code 4 while it listed its tools: Error: the backend is gone",
    "no_list": "answered tools/list without a list of tools; tell its author",
    "refuses_list": "answered with an error: set STUB_TOKEN first",
    "fifty_megabytes": (
        "sent a message of more than 16000000 bytes; raise ATLAS_SCAN_MESSAGE_BYTES if it is right to"
    ),
    "floods_stdout": "prints without end: more than 160000000 bytes; run it by hand",
    "nested_message": "sent a message that is nested too deep to read; tell its author",
    "endless": "has more than 200 pages; raise ATLAS_SCAN_PAGES if it is right to",
    "no_tools": "lists no tools, where it had some; the 1 it had are kept",
}


@pytest.mark.parametrize("behaviour", FAILING)
def test_failing_server_keeps_its_last_good_tools_and_says_why(behaviour: str) -> None:
    bad, catalog = scan(Stubs(), behaviour)
    assert (bad.status, bad.reason) == ("stale", FAILING[behaviour])
    assert [(tool.name, tool.status) for tool in catalog.of_server("bad")] == [("old_tool", "stale")]
    assert (bad.title.lower(), bad.tools) in {("bad", 1), ("stub", 1)}


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("hangs_before", "did not answer within 2 seconds of its start; raise ATLAS_SCAN_START_SECONDS"),
        ("hangs_during", "did not list its tools within 2 seconds; raise ATLAS_SCAN_LIST_SECONDS"),
    ],
)
def test_hanging_server_is_given_up_at_its_own_deadline(behaviour: str, reason: str) -> None:
    bad, _ = scan(Stubs(), behaviour, timeout=QUICK)
    assert bad.status == "stale"
    assert bad.reason.startswith(reason)


WORKING = [
    "good",
    "exits_on_unknown",
    "hangs_after",
    "ignores_stdin",
    "leaves_children",
    "leaves_stranger",
    "long_number",
    "noisy",
    "out_of_order",
    "text_ids",
    "answers_twice",
    "flood",
]


@pytest.mark.parametrize("behaviour", WORKING)
def test_odd_server_is_listed_all_the_same_and_ended(behaviour: str) -> None:
    bad, catalog = scan(Stubs(), behaviour)
    assert (bad.status, bad.reason, bad.title, bad.version) == ("ok", "", "stub", "1.2.3")
    assert [tool.name for tool in catalog.of_server("bad")] == ["read_file"]


def test_server_that_fails_without_a_past_is_failed() -> None:
    stubs = Stubs()
    catalog = scan_servers([stubs.server("exits_at_once")], limits=LIMITS)
    assert [(server.status, server.tools) for server in catalog.servers] == [("failed", 0)]


def test_server_without_tools_and_without_a_past_is_ok_and_says_so() -> None:
    catalog = scan_servers([Stubs().server("no_tools")], limits=LIMITS)
    assert [(s.status, s.reason) for s in catalog.servers] == [("ok", "lists no tools")]


def test_all_pages_are_read() -> None:
    _, catalog = scan(Stubs(), "pages")
    assert [tool.name for tool in catalog.of_server("bad")] == ["page_0", "page_1", "page_2", "page_3"]


def test_repeated_cursor_ends_and_is_told() -> None:
    bad, catalog = scan(Stubs(), "repeats")
    assert bad.status == "ok"
    assert [tool.name for tool in catalog.of_server("bad")] == ["page_0", "page_1"]
    assert any("again and again" in problem.reason for problem in catalog.problems)


def test_cursor_that_is_no_text_ends_and_is_told() -> None:
    bad, catalog = scan(Stubs(), "bad_cursor")
    assert (bad.status, bad.tools) == ("ok", 1)
    assert [problem.reason for problem in catalog.problems] == [
        "gave a next page that is no text; what it listed before is kept"
    ]


def test_bound_on_tools_is_named_in_its_error() -> None:
    bad, _ = scan(Stubs(), "many_tools", replace(LIMITS, tools=50))
    assert bad.reason == "lists more than 50 tools; raise ATLAS_SCAN_TOOLS if it is right to"


def test_each_bound_comes_from_the_environment() -> None:
    stubs = Stubs()
    environ = {"ATLAS_SCAN_TOOLS": "50", "ATLAS_SCAN_STOP_SECONDS": "0.3"}
    catalog = scan_servers([stubs.server("many_tools")], environ=environ)
    assert "more than 50 tools" in catalog.servers[0].reason


def test_tools_that_are_odd_are_kept_and_those_that_are_none_are_told() -> None:
    bad, catalog = scan(Stubs(), "odd_tools")
    names = {tool.name for tool in catalog.of_server("bad")}
    assert bad.status == "ok"
    assert names == {
        "no_schema", "null_schema", "list_schema", "true_required", "no_type", "bad_annotation",
        "text_annotations", "large_schema", "long_description", "numeric_description", "twice",
        "a/b", "a.b", "a:b", "a::b", "..", "two words", "größe", "n" * 500, "?half", "recursive",
    }  # fmt: skip
    tools = {tool.name: tool for tool in catalog.of_server("bad")}
    assert tools["twice"].description == "the first"
    assert [(p.name, p.required) for p in tools["no_type"].parameters] == [("id", True), ("missing", True)]
    assert [(p.name, p.required) for p in tools["true_required"].parameters] == [("id", True)]
    assert len(tools["large_schema"].parameters) == 900
    assert len(tools["long_description"].description) == 18_000
    assert tools["bad_annotation"].hint("readOnlyHint") is None
    assert bad.reason == "6 of its tools cannot be used"
    assert [problem.tool for problem in catalog.problems] == ["#23", "#24", "#25", "#26", "#27", "twice"]


def test_tool_nested_beyond_reason_costs_only_itself() -> None:
    bad, catalog = scan(Stubs(), "too_deep", env=(("STUB_TOKEN", "s3cret-value"),))
    assert (bad.status, bad.tools, bad.reason) == ("ok", 1, "1 of its tools cannot be used")
    assert [problem.reason for problem in catalog.problems] == [
        "is nested more than 200 levels deep; it is left out"
    ]


def test_flood_on_stderr_is_kept_within_its_bound_with_its_end(tmp_path: Path) -> None:
    limits = replace(LIMITS, stderr_bytes=100_000)
    scan_servers([Stubs().server("flood", name="fl/ood")], limits=limits, logs=tmp_path)
    kept = sorted(tmp_path.iterdir())
    assert sum(path.stat().st_size for path in kept) <= 100_000
    assert any(path.read_text(encoding="utf-8").endswith("the last line\n") for path in kept)


def test_secrets_in_what_a_server_prints_do_not_come_through(tmp_path: Path) -> None:
    server = Stubs().server("tells_secret", env=(("STUB_TOKEN", "s3cret-value"),))
    catalog = scan_servers([server], limits=LIMITS, logs=tmp_path)
    log = (tmp_path / "bad.log").read_text(encoding="utf-8")
    assert catalog.servers[0].reason.endswith("Error: cannot log in with *** at https://example.org/x")
    for shown in (catalog.servers[0].reason, log):
        assert "s3cret" not in shown
        assert "pw@" not in shown
        assert "key=1" not in shown


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"command": "no-such-command"}, "'no-such-command' cannot be started: No such file or directory"),
        ({"command": "npx"}, "'npx' cannot be started: No such file or directory; install Node.js"),
        ({"cwd": "nowhere"}, "nowhere' (cwd) is not there; make it or correct cwd"),
        ({"env": (("A", "${MISSING_ONE}"),)}, "its env A needs the variable MISSING_ONE, which is not set; "),
        ({"args": ("${input:api-key}",)}, "write ${API_KEY} there and set API_KEY"),
        ({"env_file": ".env.none"}, "its envFile '.env.none' is not there; write it or take it out"),
    ],
)  # fmt: skip
def test_server_that_cannot_be_started_fails_alone_with_its_cure(
    changes: dict[str, object], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubs = Stubs()
    servers = [stubs.server("good", **changes), stubs.server("good", name="good")]
    catalog = scan_servers(servers, limits=LIMITS, environ={"PATH": "/nowhere"})
    assert [server.status for server in catalog.servers] == ["failed", "ok"]
    assert reason in catalog.servers[0].reason


def test_disabled_server_is_not_started() -> None:
    catalog = scan_servers([Stubs().server("exits_at_once", disabled=True)], previous=BEFORE)
    assert [(server.status, server.tools) for server in catalog.servers] == [("disabled", 0)]


def test_only_the_allowed_tools_are_kept() -> None:
    catalog = scan_servers([Stubs().server("many_tools", tools=("t1*", "t5"))], limits=LIMITS)
    assert {tool.name for tool in catalog.tools} == {"t1", "t5", *(f"t1{n}" for n in range(10))}


def test_each_server_is_told_of_as_it_is_done() -> None:
    stubs = Stubs()
    told: list[tuple[str, int]] = []
    servers = [stubs.server("good", name=f"s{n}") for n in range(3)]
    scan_servers(servers, limits=LIMITS, on_server=lambda record: told.append((record.name, record.tools)))
    assert sorted(told) == [("s0", 1), ("s1", 1), ("s2", 1)]
