"""Schemas as servers send them, flattened into parameters and output fields without loss."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atlas_assets.catalog.recorded import load_recorded
from atlas_assets.catalog.schema import MAX_PLACES, flatten_outputs, flatten_parameters, read_tool, step
from atlas_assets.catalog.tool import Parameter
from atlas_assets.errors import ScanError

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def flat(schema: object) -> dict[str, tuple[str, bool]]:
    """Place → (type, required) of a schema's parameters."""
    return {place(p): (p.type, p.required) for p in flatten_parameters(schema)}


def place(parameter: Parameter) -> str:
    """One parameter's place from the top, the way output fields are named."""
    top = step("", parameter.name)
    if parameter.path is None:
        return top
    return top + parameter.path if parameter.path.startswith("[") else f"{top}.{parameter.path}"


def test_top_level_parameters_keep_their_order_and_come_before_what_is_inside_them() -> None:
    schema = {
        "properties": {
            "zebra": {"type": "object", "properties": {"id": STRING}},
            "apple": {"type": "string", "description": "An apple.", "default": "red", "format": "colour"},
        },
        "required": ["apple"],
    }
    assert flatten_parameters(schema) == (
        Parameter("zebra", None, "object", False),
        Parameter("zebra", "id", "string", False),
        Parameter("apple", None, "string", True, "An apple.", default='"red"', format="colour"),
    )


def test_a_place_is_required_where_all_above_it_is() -> None:
    inner = {"type": "object", "properties": {"id": STRING}, "required": ["id"]}
    schema = {
        "properties": {"a": inner, "b": inner, "c": {"type": "array", "items": inner}},
        "required": ["a", "c"],
    }
    assert flat(schema) == {
        "a": ("object", True),
        "a.id": ("string", True),
        "b": ("object", False),
        "b.id": ("string", False),
        "c": ("array<object>", True),
        "c[].id": ("string", True),
    }


@pytest.mark.parametrize("reference", ["#/$defs/Node", "#/definitions/Node", "#/properties/node"])
def test_local_references_are_followed(reference: str) -> None:
    node = {"type": "object", "properties": {"id": STRING}}
    schema = {
        "$defs": {"Node": node},
        "definitions": {"Node": node},
        "properties": {"node": node, "other": {"$ref": reference}},
    }
    assert flat(schema)["other.id"] == ("string", False)


def test_escaped_pointers_and_array_steps_are_followed() -> None:
    schema = {
        "$defs": {"a/b": {"anyOf": [{"type": "null"}, STRING]}},
        "properties": {"x": {"$ref": "#/$defs/a~1b"}, "y": {"$ref": "#/$defs/a~1b/anyOf/1"}},
    }
    assert flat(schema) == {"x": ("string|null", False), "y": ("string", False)}


def test_foreign_and_dangling_references_are_any() -> None:
    schema = {"properties": {"a": {"$ref": "https://example.com/s.json"}, "b": {"$ref": "#/$defs/none"}}}
    assert flat(schema) == {"a": ("any", False), "b": ("any", False)}


def test_top_level_reference_and_alternatives_are_merged() -> None:
    one = {"type": "object", "properties": {"id": STRING, "a": {}}, "required": ["id", "a"]}
    two = {"type": "object", "properties": {"id": INTEGER}, "required": ["id"]}
    assert flat({"$ref": "#/$defs/one", "$defs": {"one": one}}) == {
        "id": ("string", True),
        "a": ("any", True),
    }
    assert flat({"anyOf": [one, two]}) == {"id": ("string|integer", True), "a": ("any", False)}
    assert flat({"allOf": [one, two]}) == {"id": ("string|integer", True), "a": ("any", True)}


def test_either_of_two_parameters_requires_neither() -> None:
    schema = {
        "properties": {"a": STRING, "b": STRING},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert flat(schema) == {"a": ("string", False), "b": ("string", False)}


def test_nullable_unions_keep_what_is_inside_and_name_null_last() -> None:
    inner = {
        "type": "object",
        "properties": {"id": STRING},
        "required": ["id"],
        "description": "It.",
    }
    schema = {"properties": {"x": {"anyOf": [{"type": "null"}, inner]}, "y": {"type": ["null", "integer"]}}}
    assert flat(schema) == {
        "x": ("object|null", False),
        "x.id": ("string", False),
        "y": ("integer|null", False),
    }
    assert flatten_parameters(schema)[0].description == "It."


def test_recursion_ends_where_a_schema_meets_itself() -> None:
    node = {
        "type": "object",
        "properties": {
            "id": STRING,
            "children": {"type": "array", "items": {"$ref": "#/$defs/n"}},
        },
    }
    schema = {"$defs": {"n": node}, "properties": {"root": {"$ref": "#/$defs/n"}}}
    assert flat(schema) == {
        "root": ("object", False),
        "root.id": ("string", False),
        "root.children": ("array<object>", False),
    }
    assert flat({"$ref": "#"}) == flat({"allOf": [{"$ref": "#"}]}) == {}
    assert flat({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}) == {
        "a": ("any", False),
        "b": ("any", False),
    }


def test_enums_constants_and_those_of_list_items_are_kept() -> None:
    schema = {
        "properties": {
            "action": {"enum": ["get", "set", None]},
            "kind": {"const": 5},
            "many": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "either": {"oneOf": [{"const": "x", "type": "string"}, {"const": "y", "type": "string"}]},
        }
    }
    found = {p.name: (p.type, p.enum) for p in flatten_parameters(schema)}
    assert found == {
        "action": ("string|null", ('"get"', '"set"', "null")),
        "kind": ("integer", ("5",)),
        "many": ("array<string>", ('"a"', '"b"')),
        "either": ("string", ('"x"', '"y"')),
    }


def test_maps_tuples_and_conditions_are_walked_into() -> None:
    leaf = {"type": "object", "properties": {"id": STRING}, "required": ["id"]}
    schema = {
        "properties": {
            "map": {"additionalProperties": leaf},
            "patterns": {"patternProperties": {"^x": leaf}},
            "tuple": {"type": "array", "prefixItems": [leaf, STRING]},
            "old_tuple": {"type": "array", "items": [leaf]},
        },
        "required": ["map"],
        "if": {"properties": {"map": {}}},
        "then": {"properties": {"extra": STRING}, "required": ["extra"]},
    }
    assert flat(schema) == {
        "map": ("object", True),
        "map.*.id": ("string", False),
        "patterns": ("object", False),
        "patterns.*.id": ("string", False),
        "tuple": ("array<object|string>", False),
        "tuple[].id": ("string", False),
        "old_tuple": ("array<object>", False),
        "old_tuple[].id": ("string", False),
        "extra": ("string", False),
    }


@pytest.mark.parametrize(
    "schema",
    [
        None, 5, "object", [], {}, {"properties": []}, {"required": True}, {"required": "a"},
        {"required": [1, None]},
        {"properties": {"a": 5, "b": None, "c": True}}, {"type": 5}, {"type": ["object", 7]}, {"anyOf": {}},
        {"anyOf": [1, None]}, {"allOf": "x"}, {"$ref": 5}, {"$ref": "#/a"},
        {"items": 5, "properties": {"a": {"items": 5}}},
        {"properties": {"a": {"enum": 5, "default": {"x": []}, "description": 5, "format": []}}},
        {"properties": {"a": {"additionalProperties": 5, "patternProperties": 5, "prefixItems": 5}}},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)  # fmt: skip
def test_schema_that_is_not_valid_is_read_as_far_as_it_goes(schema: object) -> None:
    assert all(isinstance(parameter.name, str) for parameter in flatten_parameters(schema))
    assert flatten_outputs(schema) is not None


def test_required_that_names_a_missing_property_is_a_parameter() -> None:
    assert flat({"properties": {"a": {}}, "required": ["a", "ghost"]}) == {
        "a": ("any", True),
        "ghost": ("any", True),
    }


def test_names_that_look_like_steps_are_quoted() -> None:
    schema = {"properties": {"x": {"properties": {"a.b": {}, "[]": {}, "*": {}, "": {}, "StartTime<": {}}}}}
    assert [p.path for p in flatten_parameters(schema)] == [
        None, '["a.b"]', '["[]"]', '["*"]', '[""]', "StartTime<"
    ]  # fmt: skip


def test_hostile_schema_ends_and_keeps_every_top_level_parameter() -> None:
    # each definition refers twice to the next: 2**40 places, were there no bound
    definitions: dict[str, object] = {
        f"d{n}": {"properties": {"l": {"$ref": f"#/$defs/d{n + 1}"}, "r": {"$ref": f"#/$defs/d{n + 1}"}}}
        for n in range(40)
    }
    schema = {"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/d0"}, "z": STRING}}
    found = flatten_parameters(schema)
    assert {p.name for p in found if p.path is None} == {"a", "z"}
    assert len(found) == MAX_PLACES + 2


def test_hostile_alternatives_end() -> None:
    definitions = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 3} for n in range(60)}
    assert (
        flatten_parameters({"$defs": definitions, "properties": {"a": {"$ref": "#/$defs/d0"}}})[0].name == "a"
    )


def test_tool_keeps_what_the_server_said() -> None:
    raw = {
        "name": "../a b::c",
        "description": "D",
        "inputSchema": {"properties": {"x": STRING}, "$comment": "kept"},
        "outputSchema": {"properties": {"items": {"type": "array", "items": {"properties": {"id": STRING}}}}},
        "annotations": {"title": "T", "readOnlyHint": True, "extra": 1},
    }
    tool = read_tool("server", raw)
    assert (tool.slug, tool.title, tool.description) == ("server::../a b::c", "T", "D")
    assert (tool.input_schema, tool.output_schema) == (raw["inputSchema"], raw["outputSchema"])
    assert tool.annotations == raw["annotations"]
    assert [(field.path, field.type) for field in tool.outputs] == [
        ("items", "array<object>"),
        ("items[].id", "string"),
    ]


def test_what_json_and_utf8_cannot_carry_is_replaced() -> None:
    tool = read_tool(
        "s", {"name": "a\ud800", "inputSchema": {"default": float("nan"), "x": [float("inf"), "\udfff"]}}
    )
    assert tool.name == "a?"
    assert tool.input_schema == {"default": None, "x": [None, "?"]}
    assert tool.fingerprint


def test_tool_nested_beyond_reason_is_refused() -> None:
    schema: dict[str, object] = {}
    for _ in range(300):
        schema = {"items": schema}
    with pytest.raises(ScanError, match="is nested more than 200 levels deep"):
        read_tool("s", {"name": "deep", "inputSchema": schema})


# --- without loss ---------------------------------------------------------------------------------

_NAMES = st.text(max_size=6)
_LEAF = st.sampled_from(["string", "integer", "boolean", "number"])
_TREES = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.dictionaries(_NAMES, inner, min_size=1, max_size=4),
        st.tuples(st.just("list"), inner),
        st.tuples(st.just("map"), inner),
    ),
    max_leaves=20,
)
_WRAPPERS = st.sampled_from(["plain", "nullable", "ref", "all"])


def as_schema(tree: Any, wrap: Iterator[str], definitions: dict[str, object]) -> dict[str, object]:
    """A tree as a schema, each node written in one of the ways that mean the same."""
    schema: dict[str, object]
    if isinstance(tree, str):
        schema = {"type": tree}
    elif isinstance(tree, dict):
        inner = {name: as_schema(value, wrap, definitions) for name, value in tree.items()}
        schema = {"type": "object", "properties": inner, "required": sorted(inner)}
    elif tree[0] == "list":
        schema = {"type": "array", "items": as_schema(tree[1], wrap, definitions)}
    else:
        schema = {"type": "object", "additionalProperties": as_schema(tree[1], wrap, definitions)}
    kind = next(wrap)
    if kind == "nullable":
        return {"anyOf": [schema, {"type": "null"}]}
    if kind == "ref":
        name = f"d{len(definitions)}"
        definitions[name] = schema
        return {"$ref": f"#/$defs/{name}"}
    return {"allOf": [schema]} if kind == "all" else schema


def named_places(tree: Any, path: str = "") -> set[str]:
    """Every place of a tree that has a name."""
    if isinstance(tree, str):
        return set()
    if isinstance(tree, dict):
        found = set()
        for name, value in tree.items():
            found |= {step(path, name)} | named_places(value, step(path, name))
        return found
    if tree[0] == "list":
        return named_places(tree[1], f"{path}[]")
    return named_places(tree[1], f"{path}.*" if path else "*")


@given(tree=st.dictionaries(_NAMES, _TREES, max_size=5), data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_every_place_of_any_schema_is_found_again_and_no_other(
    tree: dict[str, Any], data: st.DataObject
) -> None:
    definitions: dict[str, object] = {}
    wrap = iter(lambda: data.draw(_WRAPPERS), None)
    properties = {name: as_schema(value, wrap, definitions) for name, value in tree.items()}
    schema = {"type": "object", "properties": properties, "$defs": definitions}
    assert {place(p) for p in flatten_parameters(schema)} == named_places(tree)
    assert {field.path for field in flatten_outputs(schema)} == named_places(tree)


def leaf_properties(root: Any, node: Any, path: str, above: tuple[int, ...]) -> Iterator[str]:
    """The places of a real schema's properties, by a walk that knows nothing of the flattening."""
    if not isinstance(node, dict) or id(node) in above:
        return
    inside = (*above, id(node))
    for name, inner in (node.get("properties") or {}).items():
        yield step(path, name)
        yield from leaf_properties(root, inner, step(path, name), inside)
    items = node.get("items")
    for inner in items if isinstance(items, list) else [items]:
        yield from leaf_properties(root, inner, f"{path}[]", inside)
    yield from leaf_properties(root, node.get("additionalProperties"), f"{path}.*" if path else "*", inside)
    reference = node.get("$ref", "")
    if reference.startswith("#/"):
        target = root
        for part in reference[2:].split("/"):
            target = target[int(part)] if isinstance(target, list) else target[part]
        yield from leaf_properties(root, target, path, inside)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for inner in node.get(keyword) or []:
            yield from leaf_properties(root, inner, path, inside)


@pytest.mark.shared
def test_every_name_and_schema_of_the_recorded_catalogs_is_normalised_without_loss(shared: Path) -> None:
    tools = 0
    for path in sorted((shared / "catalogs").glob("*.json")):
        raw_tools = {raw["name"]: raw for raw in json.loads(path.read_bytes())["tools"]}
        catalog = load_recorded(path)
        assert catalog.problems == ()
        assert {tool.name for tool in catalog.tools} == set(raw_tools)
        for tool in catalog.tools:
            raw = raw_tools[tool.name]
            schema = raw.get("inputSchema") or {}
            missing = set(leaf_properties(schema, schema, "", ())) - {place(p) for p in tool.parameters}
            assert not missing, (tool.slug, sorted(missing)[:3])
            output = raw.get("outputSchema") or {}
            lost = set(leaf_properties(output, output, "", ())) - {field.path for field in tool.outputs}
            assert not lost, (tool.slug, sorted(lost)[:3])
            assert tool.input_schema == schema
            tools += 1
    assert tools == 3_717
