"""What one or several JSON Schemas allow at one place, with references and alternatives merged.

`allOf`, references and a schema's own keywords hold together: what one of them requires is
required. `anyOf`, `oneOf`, `then`/`else` are alternatives: their properties are all there, and
required only where every alternative (other than null) requires them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from atlas_assets.catalog.tool import Json, JsonObject

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


@dataclass(slots=True)
class Property:
    """One property: the schemas that describe it, and whether it must be given."""

    schemas: tuple[JsonObject, ...] = ()
    required: bool = False


@dataclass(slots=True)
class View:
    """What is allowed at one place. `sources` are the identities of the schemas merged into it."""

    types: dict[str, None] = field(default_factory=dict)
    description: str = ""
    enum: dict[str, None] = field(default_factory=dict)
    default: str | None = None
    format: str | None = None
    properties: dict[str, Property] = field(default_factory=dict)
    items: tuple[JsonObject, ...] = ()
    values: tuple[JsonObject, ...] = ()
    sources: frozenset[int] = frozenset()

    @property
    def is_leaf(self) -> bool:
        return not (self.properties or self.items or self.values)


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
                _add_alternatives(made, [_read(self, schema, _NOTHING) for schema in schemas])
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
            _add_part(view, _read(merge, target, above | {id(schema)}))
    if "allOf" in schema:
        for part in _schemas(schema["allOf"]):
            _add_part(view, _read(merge, part, above | {id(schema)}))
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            inside = above | {id(schema)}
            _add_alternatives(view, [_read(merge, part, inside) for part in _schemas(schema[keyword])])
    if "then" in schema or "else" in schema:
        inside = above | {id(schema)}
        branches = [_read(merge, part, inside) for part in _schemas([get("then"), get("else")])]
        _add_alternatives(view, [*branches, View()])
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


def _add_part(view: View, part: View) -> None:
    """Merge a part that holds together with `view` (a reference, one of `allOf`)."""
    _add_shape(view, part)
    if not view.types:
        view.types.update(part.types)
    for name, child in part.properties.items():
        mine = view.properties.get(name)
        if mine is None:
            view.properties[name] = child
        else:
            view.properties[name] = Property(
                _joined(mine.schemas, child.schemas), mine.required or child.required
            )


def _add_alternatives(view: View, options: Iterable[View]) -> None:
    """Merge alternatives: required is what all of them require, null and nothing-said apart."""
    listed = list(options)
    real = [option for option in listed if list(option.types) != ["null"]]
    open_types = bool(view.types)
    for option in listed:
        _add_shape(view, option)
        if not open_types:
            view.types.update(option.types)
    if not open_types and any(not option.types for option in real):
        view.types.clear()  # one alternative allows anything
    required = (
        set.intersection(*({n for n, c in o.properties.items() if c.required} for o in real))
        if real
        else set()
    )
    for option in real:
        for name, child in option.properties.items():
            mine = view.properties.get(name)
            needed = name in required or (mine is not None and mine.required)
            schemas = child.schemas if mine is None else _joined(mine.schemas, child.schemas)
            if schemas or needed:
                view.properties[name] = Property(schemas, needed)


def _add_shape(view: View, other: View) -> None:
    """What is taken from both kinds of parts alike."""
    view.description = view.description or other.description
    view.format = view.format or other.format
    if view.default is None:
        view.default = other.default
    view.enum.update(other.enum)
    view.items = _joined(view.items, other.items)
    view.values = _joined(view.values, other.values)
    view.sources |= other.sources


def _joined(first: tuple[JsonObject, ...], second: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    if not second:
        return first
    known = {id(schema) for schema in first}
    return first + tuple(schema for schema in second if id(schema) not in known)


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
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
