import pytest

from atlas_assets.edges.infer import infer_direct


def slots(*tools):
    return {(s.consumer.split("::")[1], s.param, s.path): s for s in infer_direct(list(tools)).slots}


@pytest.mark.parametrize(
    ("name", "schema", "kind", "slot_class"),
    [
        ("kiln_id", "The kiln", "identifier", "produced"),
        ("kilnUuid", "", "identifier", "produced"),
        ("hot", {"type": "boolean"}, "boolean", "user"),
        ("glaze", {"type": "string", "enum": ["matt", "shiny"]}, "enum", "user"),
        ("limit", {"type": "integer"}, "number", "user"),
        ("message", "What to say", "text", "user"),
        ("file_path", "", "path", "produced"),
        ("output", "Path of the file to write", "path", "produced"),
        ("page_url", "", "url", "produced"),
        ("start_date", "", "date", "user"),
        ("session_id", "", "session", "produced"),
        ("shelf_index", {"type": "integer"}, "position", "produced"),
        ("latitude", {"type": "number"}, "location", "produced"),
        ("sql", "", "query", "user"),
        ("ctx", {}, "control", "none"),
    ],
)
def test_kind_and_class_of_a_parameter(make_tool, name, schema, kind, slot_class):
    slot = slots(make_tool("paint_fence", required={name: schema}))["paint_fence", name, None]
    assert (slot.kind, slot.slot_class) == (kind, slot_class)
    assert slot.reason.endswith(".")


def test_a_bare_id_is_that_of_the_consumers_object(make_tool):
    assert slots(make_tool("fire_kiln", required={"id": ""}))["fire_kiln", "id", None].entity == "kiln"


def test_a_bare_id_is_that_of_what_its_description_names(make_tool):
    slot = slots(make_tool("fire", required={"id": "ID of the kiln"}))["fire", "id", None]
    assert slot.entity == "kiln"


def test_a_name_is_an_identifier_only_where_a_tool_returns_the_resource(make_tool):
    paint = make_tool("paint", required={"kiln_name": ""})
    assert slots(paint)["paint", "kiln_name", None].kind == "text"
    assert slots(paint, make_tool("list_kilns"))["paint", "kiln_name", None].kind == "identifier"


def test_the_name_of_what_a_tool_makes_is_for_a_person(make_tool):
    tools = [make_tool("create_kiln", required={"name": "", "kiln_name": ""}), make_tool("list_kilns")]
    found = slots(*tools)
    assert found["create_kiln", "name", None].slot_class == "user"
    assert found["create_kiln", "kiln_name", None].slot_class == "user"


def test_an_identifier_given_to_a_new_thing_is_for_a_person(make_tool):
    found = slots(
        make_tool("create_kiln", required={"id": "Identifier of the kiln"}), make_tool("list_kilns")
    )
    assert found["create_kiln", "id", None].slot_class == "user"


def test_a_name_beside_an_id_is_a_new_name(make_tool):
    found = slots(
        make_tool("update_kiln", required={"id": "", "name": ""}),
        make_tool("cool_kiln", required={"name": "Name of the kiln"}),
        make_tool("list_kilns"),
    )
    assert found["update_kiln", "name", None].slot_class == "user"
    assert found["cool_kiln", "name", None].kind == "identifier"


def test_an_index_is_a_position_or_a_resource_by_its_type(make_tool):
    found = slots(
        make_tool("turn_page", required={"index": {"type": "integer"}}),
        make_tool("burn_book", required={"index": ""}),
        make_tool("list_indices"),
    )
    assert found["turn_page", "index", None].kind == "position"
    assert found["burn_book", "index", None].kind == "identifier"


def test_required_identifiers_inside_wrappers_and_arrays_are_slots(make_tool):
    shelf = {
        "type": "array",
        "items": {"type": "object", "properties": {"kiln_id": {"type": "string"}}, "required": ["kiln_id"]},
    }
    request = {"type": "object", "properties": {"kiln_id": {"type": "string"}}, "required": ["kiln_id"]}
    found = slots(
        make_tool("stack", required={"shelves": shelf}), make_tool("heat", required={"request": request})
    )
    assert found["stack", "shelves", "[].kiln_id"].entity == "kiln"
    assert found["heat", "request", "kiln_id"].entity == "kiln"


def test_optional_identifiers_are_slots_that_are_not_required(make_tool):
    found = slots(make_tool("paint", optional={"kiln_id": "", "colour": ""}))
    assert not found["paint", "kiln_id", None].required
    assert ("paint", "colour", None) not in found
