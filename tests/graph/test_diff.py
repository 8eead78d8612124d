"""The difference of two graphs, and the command that shows it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from atlas_assets.catalog.schema import read_tool
from atlas_assets.catalog.tool import Tool
from atlas_assets.cli import app
from atlas_assets.edges.edge import Edge
from atlas_assets.graph.contract import Graph, build_graph
from atlas_assets.graph.diff import diff_graphs


def tool(name: str, description: str = "", *required: str) -> Tool:
    schema = {
        "type": "object",
        "properties": {p: {"type": "string"} for p in required},
        "required": list(required),
    }
    return read_tool("s", {"name": name, "description": description, "inputSchema": schema})


EDGE = Edge(
    producer="s::list",
    consumer="s::get",
    consumes="id",
    type="direct",
    layer="name",
    provider="heuristic",
    confidence=0.9,
)
TOOLS = [tool("list"), tool("get", "Get it", "id"), tool("other")]


def graph(tools: list[Tool], *edges: Edge) -> Graph:
    return build_graph([], tools, [], edges)


def test_tools_edges_and_the_parameter_that_lost_its_last_producer_are_told() -> None:
    new = [tool("get", "Get it now", "id"), tool("other"), tool("fresh")]
    found = diff_graphs(graph(TOOLS, EDGE), graph(new, replace(EDGE, producer="s::fresh", hidden=True)))
    assert found.tools_added == ("s::fresh",)
    assert found.tools_removed == ("s::list",)
    assert found.tools_changed == (("s::get", ("description",)),)
    assert found.edges_added == (("s::fresh", "s::get", "id", ""),)
    assert found.edges_removed == (("s::list", "s::get", "id", ""),)
    # the new producer is hidden, so it fills nothing
    assert found.orphaned == (("s::get", "id", ""),)


def test_a_consumer_that_is_gone_has_lost_nothing() -> None:
    found = diff_graphs(graph(TOOLS, EDGE), graph([tool("list")]))
    assert found.orphaned == ()


def test_equal_graphs_are_the_same_and_a_changed_confidence_is_told() -> None:
    assert diff_graphs(graph(TOOLS, EDGE), graph(TOOLS, EDGE)).same
    found = diff_graphs(graph(TOOLS, EDGE), graph(TOOLS, replace(EDGE, confidence=0.5)))
    assert found.edges_changed == ((EDGE.key, ("confidence",)),)
    assert not found.same


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(graph(TOOLS, EDGE)), encoding="utf-8")
    new.write_text(json.dumps(graph([*TOOLS, tool("evil\u202e")])), encoding="utf-8")
    return str(old), str(new)


def test_the_command_shows_it_and_exits_as_asked(files: tuple[str, str]) -> None:
    old, new = files
    shown = CliRunner().invoke(app, ["diff", old, new])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "+ tool s::evil⟨U+202E⟩",
        "- edge s::list → s::get [id]",
        "! s::get [id] lost its last producer",
    ]
    assert CliRunner().invoke(app, ["diff", old, new, "--exit-code"]).exit_code == 1
    assert CliRunner().invoke(app, ["diff", old, old, "--exit-code"]).exit_code == 0
