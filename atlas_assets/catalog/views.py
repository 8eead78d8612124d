"""Reading JSON Schemas into views: references followed, alternatives merged, nothing fetched."""

import json
from json.encoder import encode_basestring
from urllib.parse import unquote

from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.catalog.view import Property, View, add_alternatives, add_part

MAX_MERGED = 400
"""Schemas merged for one place: guards against references that multiply."""

_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_MAX_ENUM = 1_000
_TYPE_DEPTH = 4
_NOTHING: frozenset[int] = frozenset()
_STRUCTURE = frozenset(
    ("properties", "required", "items", "prefixItems", "additionalProperties", "patternProperties")
)
_MERGED = frozenset(("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "then", "else"))


class Views:
    """The views of one schema document, each made once; `root` is what references start from."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root
        self._made: dict[tuple[int, ...], View] = {}
        self._types: dict[int, str] = {}
        self.left = 0

    def view(self, schemas: tuple[JsonObject, ...]) -> View:
        """What the schemas allow, merged; as alternatives, where there are several."""
        key = tuple([id(schema) for schema in schemas])
        made = self._made.get(key)
        if made is None:
            self.left = MAX_MERGED
            if len(schemas) == 1:
                made = _read(self, schemas[0], _NOTHING)
            else:
                made = View()
                add_alternatives(made, [_read(self, schema, _NOTHING) for schema in schemas])
            self._made[key] = made
        return made

    def type_text(self, view: View, depth: int = 0) -> str:
        """The type for people: `string`, `array<string>`, `integer|null`, `any`; null comes last."""
        types = view.types
        if not types:
            return "any"
        if len(types) == 1 and not view.items:
            return next(iter(types))
        names = [name for name in types if name != "null"]
        if "array" in types and view.items and depth < _TYPE_DEPTH:
            inner = self.type_text(self.view(view.items), depth + 1)
            if inner != "any":
                names[names.index("array")] = f"array<{inner}>"
        if "null" in types:
            names.append("null")
        return "|".join(names)

    def enum_texts(self, view: View) -> tuple[str, ...]:
        """The allowed values as JSON texts; of a list, the values its items may have."""
        if view.enum or not view.items:
            return tuple(view.enum)
        return tuple(self.view(view.items).enum)


def _read(merge: Views, schema: JsonObject, above: frozenset[int]) -> View:
    view = View(sources=frozenset((id(schema),)))
    if id(schema) in above or merge.left <= 0:
        return view
    merge.left -= 1
    get = schema.get
    description = get("description")
    if isinstance(description, str):
        view.description = description
    declared = get("type")
    if isinstance(declared, str):
        if declared in _TYPES:
            view.types[declared] = None
    elif isinstance(declared, list):
        for name in declared:
            if isinstance(name, str) and name in _TYPES:
                view.types[name] = None
    format_name = get("format")
    if isinstance(format_name, str):
        view.format = format_name
    if "default" in schema:
        view.default = _json(schema["default"])
    if "enum" in schema or "const" in schema:
        _read_enum(view, schema)
    if not _STRUCTURE.isdisjoint(schema):
        _read_structure(view, schema)
    if _MERGED.isdisjoint(schema):
        if not view.types:
            _guess_type(view)
        return view
    if "$ref" in schema or "$dynamicRef" in schema:
        target = _resolve(merge.root, get("$ref", get("$dynamicRef")))
        if target is not None:
            add_part(view, _read(merge, target, above | {id(schema)}))
    if "allOf" in schema:
        for part in _schemas(schema["allOf"]):
            add_part(view, _read(merge, part, above | {id(schema)}))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            inside = above | {id(schema)}
            add_alternatives(view, [_read(merge, part, inside) for part in _schemas(schema[keyword])])
    if "then" in schema or "else" in schema:
        inside = above | {id(schema)}
        branches = [_read(merge, part, inside) for part in _schemas([get("then"), get("else")])]
        add_alternatives(view, [*branches, View()])
    if not view.types:
        _guess_type(view)
    return view


def _read_enum(view: View, schema: JsonObject) -> None:
    values = schema.get("enum")
    if isinstance(values, list):
        listed: list[Json] = values[:_MAX_ENUM]
    elif "const" in schema:
        listed = [schema["const"]]
    else:
        return
    for value in listed:
        view.enum[_json(value)] = None
    if not view.types:
        for value in listed:
            view.types[_type_of(value)] = None


def _read_structure(view: View, schema: JsonObject) -> None:
    """Properties, items and map values that this schema itself describes."""
    required = schema.get("required")
    names = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            described = inner if isinstance(inner, dict) else {}
            needed = name in names or described.get("required") is True
            view.properties[name] = Property((described,), needed)
    for name in sorted(names):
        if name not in view.properties:
            view.properties[name] = Property((), True)
    items = schema.get("items")
    if items is not None or "prefixItems" in schema:
        tuples = _schemas(schema.get("prefixItems"))
        view.items = (*tuples, *_schemas(items if isinstance(items, list) else [items]))
    values = schema.get("additionalProperties")
    patterns = schema.get("patternProperties")
    if isinstance(values, dict) or isinstance(patterns, dict):
        found = [*(patterns.values() if isinstance(patterns, dict) else ()), values]
        view.values = tuple(_schemas(found))


def _guess_type(view: View) -> None:
    if view.items:
        view.types["array"] = None
    elif view.values or any(child.schemas for child in view.properties.values()):
        view.types["object"] = None


def _schemas(value: Json) -> list[JsonObject]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _resolve(root: JsonObject, reference: Json) -> JsonObject | None:
    """The schema a local reference names, None for any other: nothing is fetched."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    node: Json = root
    for part in reference[1:].split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and name in node:
            node = node[name]
        elif isinstance(node, list) and name.isdecimal() and int(name) < len(node):
            node = node[int(name)]
        else:
            return None
    return node if isinstance(node, dict) else None


def _type_of(value: Json) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")


def _json(value: Json) -> str:
    if isinstance(value, str):  # nearly all enum values are, and this is the encoder's own fast path
        return encode_basestring(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
