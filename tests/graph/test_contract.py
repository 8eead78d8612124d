"""graph.json: its schema, its counts, and that the same input gives the same bytes."""

import random

import pytest

from atlas_assets.catalog.tool import Parameter, ServerRecord, Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.errors import GraphError
from atlas_assets.graph.contract import build_graph, validate_graph
from atlas_assets.storage.root import to_json_bytes

TOOLS = [
    Tool(server="shop", name="list_orders"),
    Tool(
        server="shop",
        name="refund",
        parameters=(
            Parameter(name="order_id", path=None, type="string", required=True),
            Parameter(name="request", path=None, type="object", required=True),
            Parameter(name="request", path="till_id", type="string", required=True),
            Parameter(name="note", path=None, type="string", required=False),
        ),
    ),
    Tool(server="shop", name="gone", status="removed"),
]
SERVERS = [ServerRecord(name="shop", tools=2, seconds=1.25)]


def edge(**more: object) -> Edge:
    values = {
        "producer": "shop::list_orders",
        "consumer": "shop::refund",
        "consumes": "order_id",
        "type": "direct",
        "layer": "name",
        "provider": "heuristic",
        "confidence": 0.75,
        **more,
    }
    return Edge(**values)


def refund(graph: dict) -> dict:
    return next(n for n in graph["nodes"] if n["id"] == "shop::refund")


def test_a_built_graph_follows_the_published_schema():
    slots = [Slot(consumer="shop::refund", param="request", path="till_id", kind="identifier", entity="till")]
    graph = build_graph(SERVERS, TOOLS, slots, [edge(), edge(consumes="request", path="till_id")])
    assert validate_graph(graph) is graph


def test_a_graph_that_breaks_the_schema_is_refused_with_the_place():
    graph = build_graph(SERVERS, TOOLS, [], [edge()])
    graph["edges"][0]["confidence"] = 7
    with pytest.raises(GraphError, match="edges/0/confidence"):
        validate_graph(graph)


def test_a_parameter_is_left_to_a_person_only_where_no_visible_edge_fills_it():
    graph = build_graph(SERVERS, TOOLS, [], [edge(), edge(consumes="request", path="till_id", hidden=True)])
    supplied = {p["name"]: p["user_supplied"] for p in refund(graph)["required_params"]}
    assert supplied == {"order_id": False, "request": True}
    assert graph["stats"]["user_supplied"] == 1
    assert (graph["stats"]["edges"], graph["stats"]["hidden"]) == (1, 1)


def test_an_edge_into_a_place_fills_its_parameter_and_that_slot_alone():
    slots = [
        Slot(consumer="shop::refund", param="request", path="till_id"),
        Slot(consumer="shop::refund", param="order_id", slot_class="user"),
    ]
    node = refund(build_graph(SERVERS, TOOLS, slots, [edge(consumes="request", path="till_id")]))
    assert {p["name"]: p["user_supplied"] for p in node["required_params"]} == {
        "order_id": True,
        "request": False,
    }
    assert {(s["param"], s["path"]): s["user_supplied"] for s in node["slots"]} == {
        ("order_id", None): True,
        ("request", "till_id"): False,
    }


def test_removed_tools_are_no_nodes_and_time_is_nowhere():
    graph = build_graph(SERVERS, TOOLS, [], [])
    assert [n["id"] for n in graph["nodes"]] == ["shop::list_orders", "shop::refund"]
    assert "seconds" not in graph["servers"][0]


def test_the_order_of_the_input_changes_no_byte():
    edges = [edge(), edge(consumes="request", type="manual"), edge(consumes="request", path="till_id")]
    slots = [Slot(consumer="shop::refund", param=p) for p in ("request", "order_id")]
    expected = to_json_bytes(build_graph(SERVERS, TOOLS, slots, edges))
    for seed in range(10):
        order = random.Random(seed)
        shuffled = [order.sample(items, len(items)) for items in (TOOLS, slots, edges)]
        assert to_json_bytes(build_graph(SERVERS, *shuffled)) == expected
