"""The small picture asks for nothing outside itself and says what it leaves out."""

import xml.etree.ElementTree as ET

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.graph.contract import build_graph
from atlas_assets.graph.sketch import SHOWN, sketch

HOSTILE = '<script>alert(1)</script>"&\u202e http://evil'


def edge(producer: str, consumer: str) -> Edge:
    return Edge(
        producer=producer,
        consumer=consumer,
        consumes="x",
        type="semantic",
        layer="local",
        provider="local",
        confidence=0.9,
    )


def test_servers_are_circles_and_cross_server_edges_lines() -> None:
    tools = [Tool(server=s, name=n) for s in "abc" for n in ("x", "y")]
    edges = [edge("a::x", "b::x"), edge("b::y", "a::y"), edge("c::x", "c::y")]
    drawn = ET.fromstring(sketch(build_graph([], tools, [], edges)))
    tags = [element.tag.rpartition("}")[2] for element in drawn.iter()]
    assert tags.count("circle") == 3
    # the two edges between a and b are one line, that inside c is none
    assert tags.count("line") == 1


def test_a_hostile_server_name_stays_text_and_nothing_is_asked_for() -> None:
    svg = sketch(build_graph([], [Tool(server=HOSTILE, name="x")], [], []))
    drawn = ET.fromstring(svg)
    assert "script" not in {element.tag.rpartition("}")[2] for element in drawn.iter()}
    assert "\u202e" not in svg
    assert not {"href", "src"} & {name for element in drawn.iter() for name in element.attrib}


def test_what_is_not_drawn_is_counted() -> None:
    tools = [Tool(server=f"s{number:03}", name="x") for number in range(SHOWN + 6)]
    assert "6 servers not drawn" in sketch(build_graph([], tools, [], []))


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert "0 servers, 0 tools, 0 edges" in sketch(build_graph([], [], [], []))
