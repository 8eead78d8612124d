"""One raw `tools/list` entry into a Tool, and JSON Schemas into flat parameters and output fields.

Schemas follow JSON Schema 2020-12 and the older drafts that servers still send: local `$ref`
(`#/$defs/…`, `#/definitions/…`, `#/properties/…`), `allOf`, `anyOf`, `oneOf`, `if`/`then`/`else`,
nullable unions, maps, tuples, and draft 3's `required: true` inside a property. Nothing is ever
fetched. A place is named by the steps to it, joined by `.`; `[]` is any item of an array, `*` any
value of a map; a name that holds one of `.[]"` or is `*` or empty is written `["…"]`.

Own code, since resolvers (`referencing`, `jsonref`) end where this begins: what is needed is the
union of all alternatives, which no library offers, and it must stand schemas that are not valid.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from atlas_assets.catalog.tool import Json, JsonObject, OutputField, Parameter, Tool, as_object
from atlas_assets.catalog.view import View
from atlas_assets.catalog.views import Views
from atlas_assets.errors import ScanError

MAX_NESTING = 200
"""Levels of nesting in one tool; deeper JSON cannot be written and read back everywhere."""
MAX_DEPTH = 24
"""Steps into a schema; recursion is cut where a schema meets itself, whichever comes first."""
MAX_PLACES = 10_000
"""Places inside one schema, nearest to the top first; the top-level ones are always kept."""

_TOO_DEEP = f"is nested more than {MAX_NESTING} levels deep"
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_QUOTED = frozenset('.[]"')


def read_tool(server: str, raw: object) -> Tool:
    """Validate one raw `tools/list` entry.

    Input and output schema, annotations, name and texts stay as the server said them; a schema that
    is no object counts as empty, a text that is none as "". Raises ScanError with the reason where
    the entry is no object, its name is no text, or it cannot be written as JSON.
    """
    if not isinstance(raw, Mapping):
        raise ScanError(f"a tool is {_kind(raw)}, not an object")
    name = raw.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ScanError(
            f"a tool's name is {_kind(name) if not isinstance(name, str) else 'empty'}, not a text"
        )
    said = _writable(
        {
            "name": name,
            "title": raw.get("title"),
            "description": raw.get("description"),
            "inputSchema": raw.get("inputSchema"),
            "outputSchema": raw.get("outputSchema"),
            "annotations": raw.get("annotations"),
        }
    )
    annotations = as_object(said["annotations"])
    input_schema = as_object(said["inputSchema"])
    output_schema = as_object(said["outputSchema"]) if isinstance(said["outputSchema"], dict) else None
    return Tool(
        server=server,
        name=cast(str, said["name"]),
        title=_text(said["title"]) or _text(annotations.get("title")),
        description=_text(said["description"]),
        input_schema=input_schema,
        output_schema=output_schema,
        annotations=annotations,
        parameters=flatten_parameters(input_schema),
        outputs=flatten_outputs(output_schema) if output_schema else (),
    )


def flatten_parameters(schema: object) -> tuple[Parameter, ...]:
    """Top-level parameters in the schema's order, each followed by the places inside it, nearest first.

    A parameter that `required` names without describing it is there too, as `any`.
    """
    root = as_object(schema)
    if not root:
        return ()
    views = Views(root)
    top = views.view((root,))
    seeds = [
        _Place(number, name, "", views.view(child.schemas), child.required, top.sources)
        for number, (name, child) in enumerate(top.properties.items())
    ]
    found = [(place, _parameter(views, place)) for place in seeds]
    found.extend((place, _parameter(views, place)) for place in _inside(views, seeds))
    found.sort(key=lambda pair: pair[0].number)
    return tuple(parameter for _, parameter in found)


def flatten_outputs(schema: object) -> tuple[OutputField, ...]:
    """Every named place of an output schema, nearest to the top first; empty where it names none."""
    root = as_object(schema)
    if not root:
        return ()
    views = Views(root)
    seed = _Place(0, "", "", views.view((root,)), True, frozenset())
    return tuple(
        OutputField(place.path, views.type_text(place.view), place.view.description)
        for place in _inside(views, [seed])
    )


def step(path: str, name: str) -> str:
    """`path` and one property name more; a name that could be misread is quoted."""
    if not name or name == "*" or not _QUOTED.isdisjoint(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


class _Place(NamedTuple):
    """One place of a schema: `number` and `name` of its parameter, `above` the schemas it lies in."""

    number: int
    name: str
    path: str
    view: View
    required: bool
    above: frozenset[int]


def _inside(views: Views, seeds: list[_Place]) -> Iterator[_Place]:
    """Every named place inside the seeds, level by level, at most MAX_PLACES."""
    left = MAX_PLACES
    level = [seed for seed in seeds if not seed.view.is_leaf]
    for _ in range(MAX_DEPTH):
        below: list[_Place] = []
        for number, name, path, view, required, above in level:
            if not above.isdisjoint(view.sources):
                continue  # a schema inside itself
            inside = above | view.sources
            for key, child in view.properties.items():
                if left <= 0:
                    return
                left -= 1
                place = _Place(
                    number,
                    name,
                    step(path, key),
                    views.view(child.schemas),
                    required and child.required,
                    inside,
                )
                yield place
                if not place.view.is_leaf:
                    below.append(place)
            # any item of an array and any value of a map are steps without a name of their own
            if view.items:
                below.append(_Place(number, name, f"{path}[]", views.view(view.items), required, inside))
            if view.values:
                star = f"{path}.*" if path else "*"
                below.append(_Place(number, name, star, views.view(view.values), False, inside))
        level = below
        if not level:
            return


def _parameter(views: Views, place: _Place) -> Parameter:
    view = place.view
    return Parameter(
        name=place.name,
        path=place.path or None,
        type=views.type_text(view),
        required=place.required,
        description=view.description,
        enum=views.enum_texts(view),
        default=view.default,
        format=view.format,
    )


def _writable(said: JsonObject) -> JsonObject:
    """`said`, with what JSON and UTF-8 cannot carry (NaN, lone surrogates) replaced."""
    try:
        text = _encode(said)
        # what opens fewer brackets than that cannot be nested deeper: most tools need no walk
        if text.count("{") + text.count("[") > MAX_NESTING:
            _check_nesting(said)
        text.encode("utf-8")
    except RecursionError as error:
        raise ScanError(_TOO_DEEP) from error
    except (ValueError, TypeError):  # UnicodeEncodeError is a ValueError
        _check_nesting(said)
        return cast(JsonObject, mended(said))
    return said


def _check_nesting(said: JsonObject) -> None:
    level: list[object] = [said]
    for _ in range(MAX_NESTING):
        level = [
            value
            for node in level
            for value in (node.values() if isinstance(node, dict) else cast(list[object], node))
            if isinstance(value, dict | list)
        ]
        if not level:
            return
    raise ScanError(_TOO_DEEP)


def mended(value: object) -> Json:
    """`value` with what JSON and UTF-8 cannot carry (NaN, infinities, lone surrogates) replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode("utf-8")
    if isinstance(value, dict):
        return {str(mended(str(key))): mended(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [mended(inner) for inner in value]
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if isinstance(value, bool | int) else None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _kind(value: object) -> str:
    if value is None:
        return "missing"
    return {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}.get(type(value), "a number")
