import pytest

from atlas_assets.edges.slug_rule import noun_of, plurals, slug_edges


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("boat_id", "boat"),
        ("boatId", "boat"),
        ("sail_boat_id", "sail_boat"),
        ("id", None),
        ("boat", None),
        ("boatid", None),
        ("boat_ids", None),
    ],
)
def test_noun_is_what_stands_before_the_identifier_suffix(name, noun):
    assert noun_of(name) == noun


def test_plurals_follow_english_endings():
    assert "ferries" in plurals("ferry")
    assert "boxes" in plurals("box")


def test_slug_rule_joins_noun_and_verb(make_tool):
    tools = [
        make_tool("list_ferries"),
        make_tool("paint_ferry"),
        make_tool("board", required={"ferry_id": "", "deck": ""}),
    ]
    edges = slug_edges(tools)
    assert [(e.producer, e.consumer, e.consumes) for e in edges] == [
        ("shop::list_ferries", "shop::board", "ferry_id")
    ]
    assert edges[0].type == "direct"
    assert edges[0].layer == "slug"


def test_slug_rule_is_blind_to_case_and_to_servers(make_tool):
    tools = [make_tool("GET_Ferry", server="port"), make_tool("board", required={"ferryId": ""})]
    assert [e.producer for e in slug_edges(tools)] == ["port::GET_Ferry"]


def test_slug_rule_ignores_optional_parameters_and_the_tool_itself(make_tool):
    tools = [
        make_tool("list_ferries", optional={"ferry_id": ""}),
        make_tool("get_ferry", required={"ferry_id": ""}),
    ]
    assert [e.producer for e in slug_edges(tools)] == ["shop::list_ferries"]


def test_slug_rule_gives_the_same_for_any_order(make_tool):
    tools = [
        make_tool("list_ferries"),
        make_tool("search_ferry"),
        make_tool("board", required={"ferry_id": ""}),
    ]
    assert slug_edges(tools) == slug_edges(tools[::-1])
