"""Drift: what changed between two scans, and what changed since a person last accepted it.

A tool whose description changes while its name stays is what a "rug pull" looks like
(https://invariantlabs.ai/blog/mcp-security-notification-tool-poisoning-attacks): the text was
reviewed once, and steers the model differently now. So every tool's text is kept as it was first
seen, or last accepted, and a tool that says something else is reported until a person accepts it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from atlas_assets.catalog.tool import Json, Tool, split_slug
from atlas_assets.errors import CatalogError

ChangeKind = Literal["added", "removed", "changed"]
ChangedField = Literal["tool", "description", "input schema", "output schema", "annotations", "required"]

KEPT_CHANGE_SETS = 100
"""Change sets (scans that changed something) that the table of changes keeps."""


@dataclass(frozen=True, slots=True, order=True)
class ToolChange:
    """One thing that changed about one tool.

    `scan` numbers the scans that changed something, from 1. `field` is `tool` where a tool came or
    went. `before` and `after` are the text itself for a description, else canonical JSON; None
    where there was or is nothing.
    """

    scan: int
    slug: str
    kind: ChangeKind
    field: ChangedField
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """What is known about a catalog over time.

    `changes` sorted, of at most `KEPT_CHANGE_SETS` scans. `removed` are tombstones: the tools that
    are gone, as they were last seen, with status `removed`. `accepted` are tools as a person
    accepted them, or as they were when first seen. `seen` are the tools of the last scan.
    """

    changes: tuple[ToolChange, ...] = ()
    removed: tuple[Tool, ...] = ()
    accepted: tuple[Tool, ...] = ()
    seen: tuple[Tool, ...] = ()

    @property
    def last(self) -> tuple[ToolChange, ...]:
        """The changes of the last scan that changed something."""
        number = max((change.scan for change in self.changes), default=0)
        return tuple(change for change in self.changes if change.scan == number)


@dataclass(frozen=True, slots=True, order=True)
class TextChange:
    """A place in a tool's text that no longer says what was accepted."""

    slug: str
    place: str
    before: str
    after: str


def compare_tools(before: Iterable[Tool], after: Iterable[Tool], scan: int = 1) -> tuple[ToolChange, ...]:
    """What changed from one list of tools to another, sorted by slug."""
    old = {tool.slug: tool for tool in before if tool.status != "removed"}
    new = {tool.slug: tool for tool in after if tool.status != "removed"}
    changes: list[ToolChange] = []
    for slug in sorted(old.keys() | new.keys()):
        if slug not in old:
            changes.append(ToolChange(scan, slug, "added", "tool", None, new[slug].description))
        elif slug not in new:
            changes.append(ToolChange(scan, slug, "removed", "tool", old[slug].description, None))
        else:
            changes.extend(_changed_fields(old[slug], new[slug], scan))
    return tuple(changes)


def follow(drift: Drift, tools: Sequence[Tool]) -> Drift:
    """The drift after a scan that gave `tools`.

    The first scan of all is where watching begins: nothing is reported as added. A tool of a server
    that is down is among `tools`, marked stale, so it is neither removed nor changed. A tool that
    comes back loses its tombstone, and keeps the text that was accepted before it went.
    """
    number = max((change.scan for change in drift.changes), default=0) + 1
    found = compare_tools(drift.seen, tools, number) if drift.seen or drift.changes else ()
    # a scan that was cut short after its changes were written must not report them twice
    if found and [replace(c, scan=0) for c in found] == [replace(c, scan=0) for c in drift.last]:
        found = ()
    changes = [c for c in (*drift.changes, *found) if c.scan > number - KEPT_CHANGE_SETS]
    live = {tool.slug: tool for tool in tools if tool.status != "removed"}
    gone = {tool.slug: tool for tool in (*drift.removed, *drift.seen) if tool.slug not in live}
    accepted = {tool.slug: tool for tool in (*live.values(), *drift.accepted)}
    return Drift(
        changes=tuple(sorted(changes, key=_change_order)),
        removed=tuple(replace(gone[slug], status="removed") for slug in sorted(gone)),
        accepted=tuple(accepted[slug] for slug in sorted(accepted)),
        seen=tuple(live[slug] for slug in sorted(live)),
    )


def accept(drift: Drift, names: Iterable[str]) -> Drift:
    """`drift` with the present text of the named servers and slugs accepted.

    Raises CatalogError for a name that is neither a server nor a tool of the last scan.
    """
    accepted = {tool.slug: tool for tool in drift.accepted}
    for name in names:
        chosen = [tool for tool in drift.seen if name in (tool.slug, tool.server)]
        if not chosen:
            raise CatalogError(f"{name!r} is no server and no tool of the last scan; see `atlas scan`")
        accepted.update({tool.slug: tool for tool in chosen})
    return replace(drift, accepted=tuple(accepted[slug] for slug in sorted(accepted)))


def unaccepted(drift: Drift) -> tuple[TextChange, ...]:
    """Every place where a tool of the last scan says something else than was accepted, sorted."""
    accepted = {tool.slug: dict(texts_of(tool)) for tool in drift.accepted}
    found: list[TextChange] = []
    for tool in drift.seen:
        now = dict(texts_of(tool))
        before = accepted.get(tool.slug, now)
        for place in sorted(now.keys() | before.keys()):
            if now.get(place, "") != before.get(place, ""):
                found.append(TextChange(tool.slug, place, before.get(place, ""), now.get(place, "")))
    return tuple(sorted(found))


def texts_of(tool: Tool) -> Iterator[tuple[str, str]]:
    """Every text of a tool that reaches a model, with its place: descriptions, titles, defaults, enums."""
    yield "title", tool.title
    yield "description", tool.description
    yield from _texts("input", tool.input_schema)
    if tool.output_schema is not None:
        yield from _texts("output", tool.output_schema)
    yield from _texts("annotations", tool.annotations)


def _texts(place: str, value: Json) -> Iterator[tuple[str, str]]:
    pending: list[tuple[str, Json]] = [(place, value)]
    while pending:
        at, item = pending.pop()
        if isinstance(item, str):
            yield at, item
        elif isinstance(item, Mapping):
            pending.extend((f"{at}.{key}", child) for key, child in item.items())
        elif isinstance(item, list):
            pending.extend((f"{at}[{index}]", child) for index, child in enumerate(item))


def servers_of(changes: Iterable[ToolChange]) -> tuple[str, ...]:
    """The servers that changes are about, sorted."""
    return tuple(sorted({split_slug(change.slug)[0] for change in changes}))


def summary(changes: Sequence[ToolChange]) -> str:
    """One line: how many tools were added, removed and changed."""
    counts = {
        kind: len({c.slug for c in changes if c.kind == kind}) for kind in ("added", "removed", "changed")
    }
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "nothing changed"


def _changed_fields(old: Tool, new: Tool, scan: int) -> Iterator[ToolChange]:
    pairs: tuple[tuple[ChangedField, str | None, str | None], ...] = (
        ("description", _said(old), _said(new)),
        ("input schema", _json(old.input_schema), _json(new.input_schema)),
        ("output schema", _json(old.output_schema), _json(new.output_schema)),
        ("annotations", _json(old.annotations), _json(new.annotations)),
        ("required", _required(old), _required(new)),
    )
    for name, before, after in pairs:
        if before != after:
            yield ToolChange(scan, new.slug, "changed", name, before, after)


def _said(tool: Tool) -> str:
    return f"{tool.title}: {tool.description}" if tool.title else tool.description


def _json(value: Json) -> str | None:
    return None if value is None else json.dumps(value, sort_keys=True, separators=(",", ":"))


def _required(tool: Tool) -> str:
    names: list[Json] = [*sorted(p.name for p in tool.required_parameters)]
    return json.dumps(names)


def _change_order(change: ToolChange) -> tuple[int, str, str, str]:
    return (change.scan, change.slug, change.kind, change.field)
