import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atlas_assets.catalog.schema import read_tool
from atlas_assets.edges.infer import ALL_LAYERS, infer, infer_direct


def visible(*tools, **options):
    return {
        (e.producer.split("::")[1], e.consumer.split("::")[1], e.consumes): e
        for e in infer(list(tools), **options).edges
        if not e.hidden
    }


def test_an_identifier_comes_from_the_lister_of_its_resource(make_tool):
    edge = visible(make_tool("list_kilns"), make_tool("fire_kiln", required={"kiln_id": ""}))[
        "list_kilns", "fire_kiln", "kiln_id"
    ]
    assert (edge.type, edge.layer, edge.provider) == ("direct", "name", "heuristic")
    assert "kiln" in edge.reason
    assert edge.reason.endswith(".")


def test_the_lister_comes_before_the_maker(make_tool):
    found = visible(
        make_tool("list_kilns"), make_tool("create_kiln"), make_tool("fire_kiln", required={"kiln_id": ""})
    )
    assert ("list_kilns", "fire_kiln", "kiln_id") in found
    assert ("create_kiln", "fire_kiln", "kiln_id") not in found


def test_tools_that_remove_produce_nothing(make_tool):
    assert not visible(make_tool("delete_kiln"), make_tool("fire_kiln", required={"kiln_id": ""}))


def test_a_child_never_produces_its_parents_id(make_tool):
    found = visible(
        make_tool("list_kilns"),
        make_tool("list_kiln_firings", required={"kiln_id": ""}),
        make_tool("fire_kiln", required={"kiln_id": ""}),
    )
    assert ("list_kiln_firings", "fire_kiln", "kiln_id") not in found


def test_the_same_identifier_on_two_servers_is_two_identifiers(make_tool):
    found = visible(
        make_tool("list_kilns", server="pottery"),
        make_tool("fire_kiln", server="glassworks", required={"kiln_id": ""}),
    )
    assert not found


def test_an_output_field_carries_the_identifier(make_tool):
    outputs = {
        "rows": {"type": "array", "items": {"type": "object", "properties": {"glaze_id": {"type": "string"}}}}
    }
    edge = visible(make_tool("kiln_report", outputs=outputs), make_tool("mix", required={"glaze_id": ""}))[
        "kiln_report", "mix", "glaze_id"
    ]
    assert edge.layer == "output_schema"
    assert edge.produces == "rows[].glaze_id"


def test_the_authors_word_names_a_producer(make_tool):
    edge = visible(
        make_tool("survey_yard"),
        make_tool("fire", required={"unit_id": "Use survey_yard to get the id of the unit."}),
    )["survey_yard", "fire", "unit_id"]
    assert edge.layer == "mention"
    assert "survey_yard" in edge.quote


@pytest.mark.parametrize(
    "text",
    [
        "Use survey_yard instead.",
        "Unlike survey_yard, this one takes a unit.",
        "Prefer survey_yard where you can.",
        "Then call survey_yard with the unit id.",
    ],
)
def test_advice_to_use_another_tool_is_no_dependency(make_tool, text):
    assert not visible(make_tool("survey_yard"), make_tool("fire", required={"unit_id": text}))


def test_a_scope_that_is_always_beside_a_name_comes_with_it(make_tool):
    both = {"guild": "", "kiln": ""}
    tools = [make_tool(f"{verb}_it", required=both) for verb in ("fire", "cool", "clean")]
    found = visible(make_tool("search_kilns"), *tools)
    assert ("search_kilns", "fire_it", "guild") in found
    assert "beside" in found["search_kilns", "fire_it", "guild"].reason


def test_a_job_id_comes_from_the_tool_that_starts_the_job(make_tool):
    found = visible(
        make_tool("bake", "Start baking in the background."),
        make_tool("check_bake_status", required={"id": ""}),
    )
    assert ("bake", "check_bake_status", "id") in found


def test_a_special_kind_of_a_resource_stands_back(make_tool):
    found = visible(
        make_tool("list_wheels"),
        make_tool("list_potter_wheels"),
        make_tool("list_kiln_wheels", required={"kiln_id": ""}),
        make_tool("turn", required={"wheel_id": ""}),
    )
    assert ("list_wheels", "turn", "wheel_id") in found
    assert ("list_kiln_wheels", "turn", "wheel_id") in found
    assert ("list_potter_wheels", "turn", "wheel_id") not in found


def test_a_lister_of_many_kinds_meets_its_own_kind_parameter(make_tool):
    found = visible(
        make_tool("find_things", "List pottery things.", required={"thingType": ""}),
        make_tool("list_spare_things"),
        make_tool("polish", required={"thingType": "", "thing_id": ""}),
    )
    assert ("find_things", "polish", "thing_id") in found
    assert ("list_spare_things", "polish", "thing_id") not in found


def test_a_page_tree_lists_pages_and_not_what_holds_them(make_tool):
    found = visible(
        make_tool("get_album_page_tree"),
        make_tool("print_page", required={"page_id": ""}),
        make_tool("bind", required={"album_id": ""}),
    )
    assert ("get_album_page_tree", "print_page", "page_id") in found
    assert ("get_album_page_tree", "bind", "album_id") not in found


def test_what_nothing_lists_is_looked_for_in_what_holds_it(make_tool):
    found = visible(
        make_tool("list_kilns"),
        make_tool("get_kiln", required={"kiln_id": ""}),
        make_tool("replace_brick", required={"kiln_id": "", "brick_id": ""}),
    )
    assert "holds" in found["get_kiln", "replace_brick", "brick_id"].reason


def test_synonyms_help_where_the_word_itself_has_no_tool(make_tool):
    move = make_tool("move", required={"folder_id": ""})
    assert ("list_directories", "move", "folder_id") in visible(make_tool("list_directories"), move)
    both = visible(make_tool("list_directories"), make_tool("list_folders"), move)
    assert ("list_directories", "move", "folder_id") not in both


def test_layers_can_be_chosen(make_tool):
    tools = [make_tool("list_kilns"), make_tool("fire_kiln", required={"kiln_id": ""})]
    assert not infer(tools, ("mention",)).edges
    assert {e.layer for e in infer(tools, ("slug",)).edges} == {"slug"}
    assert infer_direct(tools, ALL_LAYERS).edges


def test_at_most_eight_producers_fill_a_slot(make_tool):
    tools = [make_tool(f"list_{word}_kilns", f"List kilns of the {word}.") for word in "abcdefghijklmnop"]
    found = infer([*tools, make_tool("fire", required={"kiln_id": ""})]).edges
    assert 0 < len(found) <= 8


def test_removed_tools_are_out_of_the_game(make_tool):
    from dataclasses import replace

    gone = replace(make_tool("list_kilns"), status="removed")
    assert not infer([gone, make_tool("fire_kiln", required={"kiln_id": ""})]).edges


WORDS = st.sampled_from(["kiln", "glaze", "wheel", "shelf", "firing", "potter"])
VERBS = st.sampled_from(["list", "get", "search", "create", "delete", "start", "check", "read", "write"])


@st.composite
def catalogs(draw):
    tools = {}
    for _ in range(draw(st.integers(2, 9))):
        server, verb, noun = draw(st.sampled_from(["north", "south"])), draw(VERBS), draw(WORDS)
        name = f"{verb}_{noun}{draw(st.sampled_from(['', 's', '_status']))}"
        params = draw(
            st.lists(
                st.sampled_from(["id", "kiln_id", "glaze_name", "path", "content", "session_id"]), max_size=3
            )
        )
        raw = {
            "name": name,
            "description": f"{verb.title()} {noun}s. Returns {draw(WORDS)}s.",
            "inputSchema": {
                "type": "object",
                "properties": {p: {"type": "string"} for p in params},
                "required": sorted(set(params)),
            },
        }
        tools[server, name] = read_tool(server, raw)
    return list(tools.values())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(catalogs(), st.randoms(use_true_random=False))
def test_the_result_never_depends_on_the_order_of_tools(tools, random):
    shuffled = list(tools)
    random.shuffle(shuffled)
    assert infer(shuffled, ALL_LAYERS) == infer(tools, ALL_LAYERS)


@pytest.mark.shared
def test_real_catalogs_give_the_same_in_reverse(shared):
    from atlas_assets.catalog.recorded import load_recorded_files

    files = sorted((shared / "catalogs").glob("*.json"))[::9]
    tools = load_recorded_files(files).tools
    assert infer(tools[::-1]) == infer(tools)
