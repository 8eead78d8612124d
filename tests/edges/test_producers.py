import pytest

from atlas_assets.edges.names import split_name
from atlas_assets.edges.producers import read_signatures
from atlas_assets.edges.words import split_words


@pytest.mark.parametrize(
    ("name", "verb", "noun"),
    [
        ("list_beehives", "list", ("beehives",)),
        ("beehive_list", "list", ("beehive",)),
        ("get_kiln_by_glaze", "get", ("kiln",)),
        ("create_or_update_kiln", "create", ("kiln",)),
        ("bulk_delete_kilns", "delete", ("kilns",)),
        ("retrieve-a-kiln", "retrieve", ("kiln",)),
        ("post-search", "search", ("search",)),
        ("deleteAKilnV2", "delete", ("kiln",)),
        ("orchard", "", ("orchard",)),
    ],
)
def test_a_name_falls_into_verb_and_object(name, verb, noun):
    found, _, words = split_name(split_words(name))
    assert (found, words) == (verb, noun)


def signatures(*tools):
    return {signature.tool.name: signature for signature in read_signatures(list(tools))}


def test_a_prefix_that_all_tools_share_says_nothing(make_tool):
    found = signatures(*(make_tool(f"acme_{name}") for name in ("list_kilns", "get_kiln", "fire_kiln")))
    assert found["acme_list_kilns"].noun == ("kiln",)


def test_a_getter_of_a_plural_lists(make_tool):
    found = signatures(make_tool("get_kilns"), make_tool("get_kiln"), make_tool("read_kilns"))
    assert found["get_kilns"].verb_class == "many"
    assert found["get_kiln"].verb_class == "one"
    assert found["read_kilns"].verb_class == "one"


def test_a_read_only_hint_overrides_a_verb_and_a_destructive_hint_does_not(make_tool):
    found = signatures(
        make_tool("sync_kilns", annotations={"readOnlyHint": True}),
        make_tool("search_kilns", annotations={"destructiveHint": True}),
        make_tool("update_kiln"),
        make_tool("list_droplets"),
    )
    assert not found["sync_kilns"].mutates
    assert not found["search_kilns"].mutates
    assert found["update_kiln"].mutates
    assert not found["list_droplets"].mutates


def offers(tool):
    return {offer.noun for offer in read_signatures([tool])[0].offers}


def test_descriptions_offer_their_noun_phrases(make_tool):
    found = offers(make_tool("orchard", "List all pear trees and cider presses in an orchard."))
    assert {("pear", "tree"), ("cider", "press")} <= found


def test_what_an_author_says_is_returned_is_offered(make_tool):
    tool = make_tool("fire_kiln", "Fire a kiln. Returns a firing_id to ask about it later.")
    assert ("firing",) in offers(tool)


def test_output_fields_are_looked_for_through_envelopes(make_tool):
    fields = {
        "data": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "glaze_id": {"type": "string"}},
            },
        }
    }
    found = offers(make_tool("kilns", outputs=fields))
    assert {("kiln",), ("glaze",)} <= found


def test_opaque_wrappers_offer_nothing(make_tool):
    tool = make_tool("update_kiln", outputs={"result": {"type": "string"}})
    assert {offer.source for offer in read_signatures([tool])[0].offers} <= {"name"}


def test_rest_names_are_read_as_paths(make_tool):
    signature = read_signatures([make_tool("GET /kilns/{kilnId}/firings", required={"kilnId": ""})])[0]
    assert signature.noun == ("firing",)
    assert signature.verb_class == "many"
    assert signature.above == {"kilnId": ("kiln",)}
