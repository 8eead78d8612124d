"""Bad input to the command line: one clear line, a non-zero exit, no traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD_TOOL = {"name": "list_things", "inputSchema": {"type": "object", "properties": {}}}


def atlas(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from atlas_assets.cli import main; main()", *words],
        cwd=folder, env={**os.environ, "DAGSTER_HOME": str(folder), "LLM_PROVIDER": "local", **variables},
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip


def servers_file(folder: Path, text: str) -> None:
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data" / "servers.json").write_text(text, encoding="utf-8")


def recorded(folder: Path) -> None:
    """A project with one recorded server, which needs no process."""
    servers_file(folder, json.dumps({"mcpServers": {"things": {"file": "things.json"}}}))
    dump = {"server": "things", "tools": [GOOD_TOOL]}
    (folder / "data" / "things.json").write_text(json.dumps(dump), encoding="utf-8")


def said(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    return " ".join(done.stderr.split())


def test_no_servers_file_says_where_to_write_one(tmp_path):
    assert "servers.json" in said(atlas(tmp_path, "build"))


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": 3}', "", '{"mcpServers": {"a": 3}}', "\x00"])
def test_a_servers_file_that_cannot_be_read_is_named(tmp_path, text):
    servers_file(tmp_path, text)
    assert "servers.json" in said(atlas(tmp_path, "build"))


def test_a_server_that_cannot_start_is_named_and_the_others_are_listed(tmp_path):
    recorded(tmp_path)
    file = tmp_path / "data" / "servers.json"
    servers = json.loads(file.read_text(encoding="utf-8"))
    servers["mcpServers"]["broken"] = {"command": "no-such-command-anywhere"}
    file.write_text(json.dumps(servers), encoding="utf-8")
    done = atlas(tmp_path, "build")
    assert done.returncode == 0, done.stderr
    assert "no-such-command-anywhere" in done.stderr
    assert "1 tool" in done.stdout


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("{", "rules.yaml"),
        ("3", "rules.yaml"),
        ("ops: {merged_graph: {config: {colour: red}}}", "colour"),
        ("ops: {heuristic_edges: {config: {layers: [astrology]}}}", "astrology"),
        ("resources: {io_manager: {config: {root: /etc}}}", "resources"),
    ],
)
def test_a_run_config_that_does_not_fit_is_refused_with_the_place(tmp_path, rules, named):
    recorded(tmp_path)
    (tmp_path / "rules.yaml").write_text(rules, encoding="utf-8")
    assert named in said(atlas(tmp_path, "build", "--run-config", "rules.yaml"))


def test_a_missing_run_config_and_a_missing_graph_are_named(tmp_path):
    assert "none.yaml" in said(atlas(tmp_path, "build", "--run-config", "none.yaml"))
    assert "atlas build" in said(atlas(tmp_path, "export"))
    assert "gone.json" in said(atlas(tmp_path, "export", "--graph", "gone.json"))
    assert "atlas export" in said(atlas(tmp_path, "serve"))


@pytest.mark.parametrize("text", ["{}", "[]", "nonsense", '{"schema_version": 99}'])
def test_a_file_that_is_no_graph_is_refused(tmp_path, text):
    (tmp_path / "graph.json").write_text(text, encoding="utf-8")
    assert "graph.json" in said(atlas(tmp_path, "export", "--graph", "graph.json"))


def test_an_unknown_provider_and_one_without_its_key_say_what_to_set(tmp_path):
    recorded(tmp_path)
    assert "LLM_PROVIDER" in said(atlas(tmp_path, "build", LLM_PROVIDER="oracle"))
    assert "ANTHROPIC_API_KEY" in said(atlas(tmp_path, "build", LLM_PROVIDER="anthropic"))


@pytest.mark.parametrize("text", ["{", "3", '{"tools": 3}', ""])
def test_a_recorded_catalog_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / "dump.json").write_text(text, encoding="utf-8")
    assert "dump.json" in said(atlas(tmp_path, "infer", "dump.json", "--out", "edges.json"))
    assert not (tmp_path / "edges.json").exists()


OBEYED = "\x1b]0;t\x07 \x9b31m \u202e"
"""What a terminal would obey: a window title, a colour in one character, right-to-left."""


def test_names_that_a_terminal_would_obey_are_printed_as_escapes(tmp_path):
    wants = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}
    tools = [
        {"name": f"list_things{OBEYED}", "outputSchema": {"properties": {"thing_id": {"type": "string"}}}},
        {"name": f"send_it{OBEYED}", "inputSchema": wants},
        {"name": "get_thing", "inputSchema": {"properties": {"thing_id": {}}, "required": ["thing_id"]}},
    ]
    dump = tmp_path / "dump.json"
    dump.write_text(json.dumps({"server": "s", "tools": tools}), encoding="utf-8")
    done = atlas(tmp_path, "unresolved", "--all", "--catalog", str(dump))
    assert all(c.isprintable() or c == "\n" for c in done.stdout)
    assert f"s::send_it{OBEYED}" in {edge["to"] for edge in json.loads(done.stdout)["edges"]}
    done = atlas(tmp_path, "explain", "s::get_thing", "s::get_thing", "thing_id", "--catalog", str(dump))
    assert "Its producers: s::list_things" in done.stdout
    assert done.stdout.strip().isprintable()


@pytest.mark.parametrize("text", ["{}", "[", '{"nodes": 3}'])
def test_a_damaged_graph_is_told_in_one_line(tmp_path, text):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "graph.json").write_text(text, encoding="utf-8")
    assert "graph.json" in said(atlas(tmp_path, "unresolved"))
    assert "graph.json" in said(atlas(tmp_path, "explain", "a::b", "a::c", "d"))
