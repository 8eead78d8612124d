"""The merge: precedence, the bogus-edge filter, and that nothing is lost."""

import random

import pytest

from atlas_assets.catalog.tool import Parameter, Tool
from atlas_assets.edges.edge import Edge, EdgeType
from atlas_assets.graph.merge import FIRST_ATLAS_VERBS, MergeRules, merge_edges


def tool(name: str, *required: str, server: str = "shop", annotations: dict | None = None) -> Tool:
    return Tool(
        server=server,
        name=name,
        annotations=annotations or {},
        parameters=tuple(Parameter(name=p, path=None, type="string", required=True) for p in required),
    )


def edge(producer: str, consumer: str, consumes: str, kind: EdgeType = "semantic", **more: object) -> Edge:
    values = {"layer": "model", "provider": "test", "confidence": 0.9, **more}
    return Edge(
        producer=f"shop::{producer}", consumer=f"shop::{consumer}", consumes=consumes, type=kind, **values
    )


SHOP = [
    tool("list_orders"),
    tool("get_order", "order_id"),
    tool("refund_order", "order_id", "path"),
    tool("delete_order", "order_id"),
    tool("tar_files", "path"),
]


def test_a_direct_edge_comes_before_a_semantic_one_that_says_the_same():
    direct = edge("list_orders", "get_order", "order_id", "direct", layer="slug", confidence=0.5)
    semantic = edge("list_orders", "get_order", "order_id")
    merged = merge_edges([direct], [semantic], [], SHOP)
    assert merged.edges == (direct,)
    assert [d.edge for d in merged.dropped] == [semantic]
    assert "direct edge of layer slug" in merged.dropped[0].reason


def test_edges_into_two_places_of_one_parameter_are_two_edges():
    whole = edge("list_orders", "get_order", "order_id")
    inside = edge("list_orders", "get_order", "order_id", path="[].id")
    assert merge_edges([], [whole, inside], [], SHOP).edges == (whole, inside)


def test_a_semantic_edge_from_a_tool_that_changes_something_falls_with_its_reason():
    bogus = edge("delete_order", "refund_order", "path")
    merged = merge_edges([], [bogus], [], SHOP)
    assert merged.edges == ()
    assert "delete" in merged.dropped[0].reason


def test_the_same_edge_asserted_by_a_person_or_found_directly_stays():
    for kind in ("manual", "direct"):
        stays = edge("delete_order", "refund_order", "path", kind)
        lists = ([stays], [], []) if kind == "direct" else ([], [], [stays])
        assert merge_edges(*lists, SHOP).edges == (stays,)


@pytest.mark.parametrize(
    ("name", "falls"), [("get_merge_status", False), ("merge_carts", True), ("list_droplets", False)]
)
def test_a_verb_counts_only_as_a_whole_word_before_any_reading_verb(name, falls):
    tools = [*SHOP, tool(name, annotations={"destructiveHint": True})]
    assert bool(merge_edges([], [edge(name, "refund_order", "path")], [], tools).dropped) is falls


def test_annotations_count_only_where_the_name_agrees():
    liar = tool("search_things", annotations={"destructiveHint": True})
    writer = tool("archive_thing", annotations={"readOnlyHint": False})
    edges = [edge("search_things", "refund_order", "path"), edge("archive_thing", "refund_order", "path")]
    merged = merge_edges([], edges, [], [*SHOP, liar, writer])
    assert [e.producer for e in merged.edges] == ["shop::search_things"]
    without = merge_edges([], edges, [], [*SHOP, liar, writer], MergeRules(use_annotations=False))
    assert len(without.edges) == 2


def test_a_read_only_annotation_clears_a_tool_whose_name_looks_like_a_change():
    reader = tool("send_query", annotations={"readOnlyHint": True})
    assert merge_edges([], [edge("send_query", "refund_order", "path")], [], [*SHOP, reader]).dropped == ()


def test_a_producer_that_requires_the_same_identifier_falls_in_either_spelling_but_a_path_stays():
    camel = tool("ship_order", "orderId")
    merged = merge_edges(
        [],
        [edge("get_order", "refund_order", "order_id"), edge("get_order", "ship_order", "orderId")],
        [],
        [*SHOP, camel],
    )
    assert merged.edges == ()
    path = edge("tar_files", "refund_order", "path")
    assert merge_edges([], [path], [], SHOP).edges == (path,)


def test_rules_are_configuration():
    moved = edge("move_order", "refund_order", "path")
    tools = [*SHOP, tool("move_order")]
    assert merge_edges([], [moved], [], tools).edges == ()
    first_atlas = MergeRules(mutation_verbs=FIRST_ATLAS_VERBS, use_annotations=False)
    assert merge_edges([], [moved], [], tools, first_atlas).edges == (moved,)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (edge("nobody", "get_order", "order_id", "manual"), "not in the catalog"),
        (edge("get_order", "get_order", "order_id", "manual"), "its own producer"),
        (edge("list_orders", "get_order", "colour", "manual"), "no parameter 'colour'"),
    ],
)
def test_an_edge_that_fits_no_tool_is_kept_beside_with_its_reason(bad, why):
    merged = merge_edges([], [], [bad], SHOP)
    assert merged.edges == ()
    assert why in merged.dropped[0].reason


def test_the_order_of_edges_and_tools_changes_nothing():
    edges = [
        edge(p.name, c.name, param.name, confidence=confidence, provider=provider)
        for p in SHOP
        for c in SHOP
        for param in c.parameters
        for confidence, provider in [(0.9, "b"), (0.9, "a"), (0.4, "c")]
    ]
    expected = merge_edges(edges[:10], edges, [], SHOP)
    for seed in range(20):
        order = random.Random(seed)
        assert (
            merge_edges(
                order.sample(edges[:10], 10),
                order.sample(edges, len(edges)),
                [],
                order.sample(SHOP, len(SHOP)),
            )
            == expected
        )
