"""What JSON Schemas allow at one place, and how two such views are merged.

`allOf`, references and a schema's own keywords hold together: what one of them requires is
required. `anyOf`, `oneOf`, `then`/`else` are alternatives: their properties are all there, and
required only where every alternative (other than null) requires them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from atlas_assets.catalog.tool import JsonObject


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


def add_part(view: View, part: View) -> None:
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


def add_alternatives(view: View, options: Iterable[View]) -> None:
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
