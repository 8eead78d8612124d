"""`atlas scan`, `atlas record`, `atlas doctor` as a person types them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from atlas_assets.catalog.config import load_servers
from atlas_assets.catalog.discover import discover
from atlas_assets.catalog.record import record_server
from atlas_assets.catalog.recorded import load_recorded
from atlas_assets.catalog.scan import scan_servers
from tests.catalog.remotes import remote
from tests.catalog.stubs import SCRIPT, Stubs

MARK = Stubs().mark


def stub(behaviour: str, **more: object) -> dict[str, object]:
    return {"command": sys.executable, "args": ["-S", str(SCRIPT), behaviour, MARK], **more}


def written(folder: Path, **servers: object) -> Path:
    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path


def atlas(folder: Path, *args: str, said: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "DAGSTER_HOME": str(folder),
        "ATLAS_SCAN_STOP_SECONDS": "0.3",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **variables,
    }
    return subprocess.run(
        [str(Path(sys.executable).with_name("atlas")), *args],
        capture_output=True, encoding="utf-8", cwd=folder, env=environ, input=said, check=False,
    )  # fmt: skip


def test_scan_shows_each_server_and_fails_only_where_nothing_was_listed(tmp_path: Path) -> None:
    both = written(tmp_path, good=stub("good"), bad=stub("exits_at_once"))
    done = atlas(tmp_path, "scan", "--servers", str(both))
    assert done.returncode == 0
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [(row[0], row[1], row[2]) for row in rows[:2]] == [("bad", "failed", "0"), ("good", "ok", "1")]
    assert rows[0][4] == "exited with code 3 before it answered: Error: STUB_TOKEN is required"
    assert done.stdout.splitlines()[-1] == "1 tools from 1 of 2 servers"
    assert atlas(tmp_path, "scan", "--servers", str(both), "--strict").returncode == 1
    none = written(tmp_path, bad=stub("exits_at_once"))
    assert atlas(tmp_path, "scan", "--servers", str(none)).returncode == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_scan_that_is_stopped_leaves_no_server_behind(tmp_path: Path, number: int) -> None:
    stubs = Stubs()
    args = ["-S", str(SCRIPT), "hangs_during_and_says_so", stubs.mark, str(tmp_path / "reached")]
    os.mkfifo(tmp_path / "reached")
    path = written(tmp_path, slow={"command": sys.executable, "args": args})
    atlas_command = [str(Path(sys.executable).with_name("atlas")), "scan", "--servers", str(path)]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ATLAS_SCAN_STOP_SECONDS": "0.3"}
    with subprocess.Popen(atlas_command, env=environ, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert (tmp_path / "reached").read_text(encoding="utf-8") == "listing"
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == 128 + number
    assert b"Traceback" not in said
    assert stubs.left == []


def test_scan_takes_several_files_and_the_variable(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps({"servers": {"a": stub("good")}}), encoding="utf-8")
    two.write_text(json.dumps({"context_servers": {"a": stub("good")}}), encoding="utf-8")
    by_option = atlas(tmp_path, "scan", "--servers", "one.json", "--servers", "two.json")
    by_variable = atlas(tmp_path, "scan", ATLAS_SERVERS=f"{one}{os.pathsep}{two}")
    for done in (by_option, by_variable):
        assert done.stdout.splitlines()[-1] == "2 tools from 2 of 2 servers"
        assert "two.json: a second server 'a'; it is called 'a-2' here" in done.stderr


def test_bad_servers_file_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text('{"mcpServers": {\n"a": {},,\n}}', encoding="utf-8")
    done = atlas(tmp_path, "scan", "--servers", "servers.json")
    assert done.returncode == 1
    assert (
        done.stderr
        == "atlas: servers.json line 2 is no JSON; look for a missing comma, quote or bracket there\n"
    )


def test_discover_asks_before_it_uses_a_file(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text(
        json.dumps({"mcpServers": {"a": stub("good")}}), encoding="utf-8"
    )
    yes = atlas(tmp_path, "scan", "--discover", said="y\n")
    no = atlas(tmp_path, "scan", "--discover", said="n\n")
    silent = atlas(tmp_path, "scan", "--discover")
    assert "1 tools from 1 of 1 servers" in yes.stdout
    assert "no servers file was chosen" in no.stderr
    assert (no.returncode, silent.returncode) == (1, 1)
    assert "Traceback" not in no.stderr + silent.stderr


def test_discover_finds_the_clients_and_passes_over_settings_without_servers(tmp_path: Path) -> None:
    zed, windsurf = ".config/zed/settings.json", ".codeium/windsurf/mcp_config.json"
    for place in (".claude.json", windsurf, zed, "project/.mcp.json"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"mcpServers": {"a": {"command": "x"}}}', encoding="utf-8")
    (tmp_path / zed).write_text('{"theme": "dark"}', encoding="utf-8")
    (tmp_path / ".claude.json").write_text("{broken", encoding="utf-8")
    found = discover({"HOME": str(tmp_path)}, tmp_path / "project")
    assert [(one.client, one.servers, bool(one.problem)) for one in found] == [
        ("Claude Code (project)", ("a",), False),
        ("Claude Code", (), True),
        ("Windsurf", ("a",), False),
    ]


def test_record_writes_a_dump_that_file_reads_back_the_same(tmp_path: Path) -> None:
    written(tmp_path, odd=stub("odd_tools"))
    done = atlas(tmp_path, "record", "odd", "--servers", "servers.json", "--out", "odd.json")
    assert done.returncode == 0, done.stderr
    live = scan_servers([Stubs().server("odd_tools", name="odd")])
    again = load_recorded(tmp_path / "odd.json")
    assert again.tools == live.tools
    assert again.problems == live.problems
    assert [(s.title, s.version, s.protocol) for s in again.servers] == [("stub", "1.2.3", "2025-06-18")]
    refused = atlas(tmp_path, "record", "odd", "--servers", "servers.json", "--out", "odd.json")
    assert (refused.returncode, "add --force" in refused.stderr) == (1, True)


def test_record_keeps_secrets_out() -> None:
    server = Stubs().server("tells_environment", env=(("TOKEN", "s3cret-value"),))
    dump = json.dumps(record_server(server, {"PATH": os.environ["PATH"]}))
    assert "TOKEN" in dump
    assert "s3cret-value" not in dump


def test_record_of_an_unknown_server_names_those_there_are(tmp_path: Path) -> None:
    written(tmp_path, one=stub("good"))
    done = atlas(tmp_path, "record", "two", "--servers", "servers.json")
    assert (done.returncode, done.stderr) == (1, "atlas: no server is called 'two'; there are: one\n")


def test_doctor_goes_step_by_step_and_gives_each_cure(tmp_path: Path) -> None:
    slow = stub("hangs_during", timeout=2)
    written(tmp_path, good=stub("good"), bad=stub("good", env={"A": "${UNSET_ONE}"}), slow=slow)
    done = atlas(tmp_path, "doctor", "--servers", "servers.json", OPENAI_API_KEY="sk-never-shown")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert "✓ server   good: handshake, protocol 2025-06-18" in lines
    unset = "✗ server   bad: failed; its env A needs the variable UNSET_ONE, which is not set"
    assert lines[lines.index(unset) + 1].endswith("→ set UNSET_ONE")
    late = "failed after: handshake, protocol 2025-06-18; did not list its tools within 2 seconds"
    assert f"✗ server   slow: {late}" in lines
    assert "✓ provider OPENAI_API_KEY: is set (not shown)" in lines
    assert "sk-never-shown" not in done.stdout + done.stderr
    assert any(line.startswith("✓ data     folder: ") for line in lines)


def test_doctor_names_a_bad_servers_file_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text("{", encoding="utf-8")
    done = atlas(tmp_path, "doctor", "--servers", "servers.json")
    assert done.returncode == 1
    assert "✗ config   servers.json: servers.json line 1 is no JSON" in done.stdout
    assert "✓ data     folder: " in done.stdout


def test_login_from_the_shell(tmp_path: Path) -> None:
    browser = tmp_path / "browser.py"
    browser.write_text(
        "import sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n", encoding="utf-8"
    )
    with remote("oauth") as server:
        written(tmp_path, hosted={"url": server.url})
        before = atlas(tmp_path, "scan", "--servers", "servers.json")
        done = atlas(
            tmp_path,
            "login",
            "hosted",
            "--servers",
            "servers.json",
            BROWSER=f"{sys.executable} {browser} %s &",
        )
        after = atlas(tmp_path, "scan", "--servers", "servers.json")
    assert "needs_auth" in before.stdout
    assert done.stdout.splitlines()[-1] == "Logged in to hosted.", done.stderr
    assert "hosted\tok\t1" in after.stdout
    assert "first-token" not in done.stdout + after.stdout + after.stderr


@pytest.mark.servers
def test_demo_servers_are_listed_live() -> None:
    root = Path(__file__).resolve().parents[2]
    catalog = scan_servers(load_servers([root / "data" / "servers.json"]).servers)
    assert [(server.name, server.status, server.tools) for server in catalog.servers] == [
        ("fetch", "ok", 1),
        ("filesystem", "ok", 14),
    ]
    assert sum(len(tool.required_parameters) for tool in catalog.tools) == 18
