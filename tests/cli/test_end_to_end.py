"""The whole way, with real MCP servers: from `data/servers.json` to graph.json and the exported viewer.

The parity cases state their rules (layers, merge rules), so that they hold when later layers find more.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.semantic.model_server import ModelServer, from_replies, model_server

PROJECT = Path(__file__).resolve().parents[2]
GITHUB = {
    "command": "npx",
    "args": ["-y", "@modelcontextprotocol/server-github@2025.4.8"],
    "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": "dummy-token-for-listing"},
}
SEVEN_VERBS = ["delete", "update", "patch", "remove", "close", "write", "send"]
FIRST_ATLAS = {
    "ops": {
        "heuristic_edges": {"config": {"layers": ["slug"]}},
        "merged_graph": {"config": {"mutation_verbs": SEVEN_VERBS, "use_annotations": False}},
    }
}
SLUG_LAYER_ONLY = {"ops": {"heuristic_edges": FIRST_ATLAS["ops"]["heuristic_edges"]}}

pytestmark = pytest.mark.servers


class Home:
    """A project folder with the demo's servers, and the `atlas` command run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(PROJECT / "data", folder / "data", ignore=shutil.ignore_patterns("*.json", "cache"))
        shutil.copy(PROJECT / "data" / "servers.json", folder / "data")
        shutil.copy(PROJECT / "dagster.yaml", folder)

    def add_server(self, name: str, config: Mapping[str, Any]) -> None:
        file = self.folder / "data" / "servers.json"
        servers = json.loads(file.read_text(encoding="utf-8"))
        servers["mcpServers"][name] = config
        file.write_text(json.dumps(servers), encoding="utf-8")

    def atlas(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environ = {
            **os.environ,
            "DAGSTER_HOME": str(self.folder),
            "NO_PROXY": "127.0.0.1,localhost",
            **variables,
        }
        return subprocess.run(
            [sys.executable, "-c", "from atlas_assets.cli import main; main()", *words],
            cwd=self.folder, env=environ, capture_output=True, encoding="utf-8", timeout=280, check=False,
        )  # fmt: skip

    def build(self, rules: Mapping[str, Any] | None = None, **variables: str) -> dict[str, Any]:
        words = ["build"]
        if rules is not None:
            (self.folder / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
            words += ["--run-config", str(self.folder / "rules.json")]
        done = self.atlas(*words, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(self.graph_bytes())

    def graph_bytes(self) -> bytes:
        return (self.folder / "data" / "graph.json").read_bytes()

    def dropped(self) -> list[dict[str, Any]]:
        file = self.folder / "data" / "merged_graph" / "dropped.json"
        return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def replies(shared: Path):
    with model_server(brain=from_replies(shared / "reference" / "replies.json")) as server:
        yield server


def counts(graph: Mapping[str, Any]) -> tuple[int, int, int, int, int, int]:
    stats = graph["stats"]
    names = ("tools", "edges", "direct", "semantic", "user_supplied", "required_params")
    return tuple(stats[name] for name in names)  # type: ignore[return-value]


def test_the_demo_makes_a_true_map_with_no_key_and_the_same_bytes_twice(home):
    graph = home.build(LLM_PROVIDER="local")
    assert graph["stats"]["tools"] == 15
    assert graph["stats"]["required_params"] == 18
    assert graph["stats"]["user_supplied"] <= 3
    edges = {(e["from"], e["to"], e["consumes"]) for e in graph["edges"] if not e["hidden"]}
    assert ("fetch::fetch", "filesystem::write_file", "content") in edges
    first = home.graph_bytes()
    home.build(LLM_PROVIDER="local")
    assert home.graph_bytes() == first


@pytest.mark.shared
def test_the_demo_reaches_its_score_on_the_judged_set(home, shared):
    home.build(LLM_PROVIDER="local")
    scored = subprocess.run(
        [sys.executable, str(shared / "gold" / "score.py"), "--json", str(shared / "gold" / "mcp_demo"),
         str(home.folder / "data" / "graph.json")],
        capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    figures = json.loads(scored.stdout)
    assert figures["slot_hit"] >= 0.95
    assert figures["precision"] >= 0.90


@pytest.mark.shared
def test_parity_with_the_first_atlas_on_filesystem_and_fetch(home: Home, replies: ModelServer):
    graph = home.build(FIRST_ATLAS, **replies.environ("openai"))
    assert counts(graph) == (15, 44, 0, 44, 1, 18)
    asked = replies.requests
    assert asked == 14  # every tool with parameters
    bytes_before = home.graph_bytes()
    home.build(FIRST_ATLAS, **replies.environ("openai"))
    assert replies.requests == asked
    assert home.graph_bytes() == bytes_before


@pytest.mark.shared
def test_parity_with_the_first_atlas_with_github_and_what_the_default_rules_drop(
    home: Home, replies: ModelServer
):
    home.add_server("github", GITHUB)
    graph = home.build(FIRST_ATLAS, **replies.environ("openai"))
    assert counts(graph) == (41, 121, 0, 121, 21, 92)
    before = {(e["from"], e["to"], e["consumes"]) for e in graph["edges"]}
    graph = home.build(SLUG_LAYER_ONLY, **replies.environ("openai"))
    fallen = before - {(e["from"], e["to"], e["consumes"]) for e in graph["edges"]}
    assert fallen == {("filesystem::move_file", "filesystem::list_directory", "path")}
    (dropped,) = [d for d in home.dropped() if (d["from"], d["to"], d["consumes"]) in fallen]
    assert "'move'" in dropped["dropped_because"]
    assert "dummy-token" not in "".join(
        p.read_text(encoding="utf-8", errors="replace")
        for p in home.folder.rglob("*")
        if p.is_file() and p != home.folder / "data" / "servers.json"
    )


@pytest.mark.shared
def test_a_consumer_whose_call_failed_costs_the_others_nothing_and_is_asked_again(
    home: Home, replies: ModelServer
):
    victim = "filesystem::edit_file"
    replies.faults[victim] = ["broken"] * 9
    done = home.atlas("build", **replies.environ("openai"))
    assert done.returncode == 1
    assert victim in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    graph = json.loads(home.graph_bytes())
    assert {e["to"] for e in graph["edges"]} > {"filesystem::write_file", "filesystem::read_file"}
    replies.faults.clear()
    asked = replies.requests
    home.build(**replies.environ("openai"))
    assert replies.requests == asked + 1


@pytest.mark.shared
def test_two_voices_are_both_asked_and_agreement_is_said_on_the_edge(home: Home, replies: ModelServer):
    done = home.atlas("build", "--providers", "openai,local", **replies.environ("openai"))
    assert done.returncode == 0, done.stderr
    assert replies.requests == 14
    providers = {e["provider"] for e in json.loads(home.graph_bytes())["edges"]}
    assert any("openai" in p and "local" in p for p in providers), providers


@pytest.mark.shared
def test_a_dry_run_says_the_calls_and_asks_and_writes_nothing(home: Home, replies: ModelServer):
    done = home.atlas("build", "--dry-run", **replies.environ("openai"))
    assert done.returncode == 0, done.stderr
    assert "14 calls to openai" in done.stdout
    assert replies.requests == 0
    assert not (home.folder / "data" / "graph.json").exists()


@pytest.mark.shared
def test_a_limit_stops_the_run_before_it_is_exceeded_and_the_next_one_goes_on(
    home: Home, replies: ModelServer
):
    done = home.atlas("build", "--max-cost", "30000tokens", **replies.environ("openai"))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    asked = replies.requests
    assert 0 < asked < 14
    home.build(**replies.environ("openai"))
    assert replies.requests == 14
