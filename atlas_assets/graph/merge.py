"""The merge: direct, semantic and manual edges become one set, and bogus semantic edges fall.

The bogus-edge filter is that of the first MCP Atlas, with its two rules kept as configuration:

1. A tool that changes something is no producer of a looked-up value. It is known by a verb in its
   name, or by its annotations where its name agrees with them.
2. A tool that itself requires the same `<noun>_id` / `<noun>Id` cannot be where it comes from. Only
   such names count: a `path`, `query` or `url` may well pass through a tool.

Manual edges are exempt: a person said so. Nothing is lost: what falls is kept with its reason.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge

FIRST_ATLAS_VERBS = ("delete", "update", "patch", "remove", "close", "write", "send")
DEFAULT_VERBS = (*FIRST_ATLAS_VERBS, "move", "edit", "merge", "reply")

# Verbs that change something, believed only where an annotation says the same.
AGREEING_VERBS = frozenset(
    """
    archive assign cancel clear disable drop kill modify post publish purge push put rename replace
    reset restart resolve revert revoke save set stop submit terminate transfer trash truncate
    unassign unlink unpublish upload
    """.split()  # noqa: SIM905
)

# A tool whose name reads before it writes only talks of the change: get_merge_status, list_updates.
READING_VERBS = frozenset(
    ["check", "describe", "fetch", "find", "get", "list", "lookup", "query", "read", "search", "show", "view"]
)

_ID_NAME = re.compile(r"[A-Za-z0-9]_id$|[a-z0-9]Id$")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_TYPE_RANK = {"manual": 0, "direct": 1, "semantic": 2}


@dataclass(frozen=True, slots=True)
class MergeRules:
    """The rules of the bogus-edge filter on semantic edges.

    `mutation_verbs` are whole words of a tool's name, with no reading verb before them.
    `use_annotations` adds tools whose annotations say that they change something, where a verb of
    their name agrees, and believes `readOnlyHint: true`.
    `drop_same_identifier` is rule 2 of the module.
    """

    mutation_verbs: tuple[str, ...] = DEFAULT_VERBS
    use_annotations: bool = True
    drop_same_identifier: bool = True


@dataclass(frozen=True, slots=True)
class DroppedEdge:
    """An edge that the merge did not take, and why."""

    edge: Edge
    reason: str


@dataclass(frozen=True, slots=True)
class Merged:
    """What the merge took and what it dropped, both sorted."""

    edges: tuple[Edge, ...]
    dropped: tuple[DroppedEdge, ...]


def merge_edges(
    direct: Iterable[Edge],
    semantic: Iterable[Edge],
    manual: Iterable[Edge],
    tools: Sequence[Tool],
    rules: MergeRules | None = None,
) -> Merged:
    """Merge into one edge per (from, to, consumes, path): manual before direct before semantic.

    Among edges of one type and key the more confident stays, then the first by provider and layer,
    so that the order of the input never matters. Edges whose tools are not in `tools`, or whose
    parameter the consumer does not have, are dropped with that reason.
    """
    rules = rules or MergeRules()
    by_slug = {tool.slug: tool for tool in tools}
    kept: dict[tuple[str, str, str, str], Edge] = {}
    dropped: list[DroppedEdge] = []
    for edge in sorted((*manual, *direct, *semantic), key=_merge_order):
        reason = _misfit(edge, by_slug)
        if not reason and edge.type == "semantic":
            reason = bogus(edge, by_slug[edge.producer], rules)
        if not reason and edge.key in kept:
            first = kept[edge.key]
            reason = f"a {first.type} edge of layer {first.layer} says the same"
        if reason:
            dropped.append(DroppedEdge(edge, reason))
        else:
            kept[edge.key] = edge
    return Merged(
        edges=tuple(sorted(kept.values(), key=lambda e: e.key)),
        dropped=tuple(sorted(dropped, key=lambda d: (*d.edge.key, *_merge_order(d.edge)))),
    )


def bogus(edge: Edge, producer: Tool, rules: MergeRules) -> str:
    """Why the filter drops this semantic edge; "" where it does not."""
    said = _says_it_mutates(producer) if rules.use_annotations else ""
    trusted_reader = rules.use_annotations and producer.hint("readOnlyHint") is True
    verb = None if trusted_reader else _leading_verb(producer.name, rules.mutation_verbs)
    if verb:
        return f"{producer.name!r} changes something ({verb!r} in its name), so it is no producer"
    verb = _leading_verb(producer.name, AGREEING_VERBS) if said else None
    if verb:
        return f"{producer.name!r} changes something ({said}, and {verb!r} in its name agrees)"
    if rules.drop_same_identifier and is_identifier_name(edge.consumes):
        required = {p.name for p in producer.required_parameters}
        if required & _spellings(edge.consumes):
            return f"{producer.name!r} itself requires {edge.consumes!r}"
    return ""


def _leading_verb(name: str, verbs: Collection[str]) -> str | None:
    """The first of `verbs` that is a word of the name, with no reading verb before it."""
    for word in _WORD.findall(name):
        if word.lower() in verbs:
            return str(word.lower())
        if word.lower() in READING_VERBS:
            return None
    return None


def is_identifier_name(parameter: str) -> bool:
    """Whether a parameter is named `<noun>_id` or `<noun>Id`."""
    return bool(_ID_NAME.search(parameter))


def _spellings(parameter: str) -> set[str]:
    """`issue_id` and `issueId` are one name in two styles."""
    words = _WORD.findall(parameter)
    snake = "_".join(w.lower() for w in words)
    camel = "".join(w.lower() if i == 0 else w[:1].upper() + w[1:].lower() for i, w in enumerate(words))
    return {parameter, snake, camel}


def _says_it_mutates(tool: Tool) -> str:
    if tool.hint("readOnlyHint") is True:
        return ""
    if tool.hint("destructiveHint") is True:
        return "annotated as destructive"
    if tool.hint("readOnlyHint") is False:
        return "annotated as not read-only"
    return ""


def _merge_order(edge: Edge) -> tuple[int, bool, float, str, str, str]:
    return (
        _TYPE_RANK[edge.type],
        edge.hidden,
        -edge.confidence,
        edge.provider,
        edge.layer,
        edge.reason,
    )


def _misfit(edge: Edge, tools: Mapping[str, Tool]) -> str:
    for slug in (edge.producer, edge.consumer):
        if slug not in tools or tools[slug].status == "removed":
            return f"{slug!r} is not in the catalog"
    if edge.producer == edge.consumer:
        return "a tool is not its own producer"
    if all(p.name != edge.consumes for p in tools[edge.consumer].top_parameters):
        return f"{edge.consumer!r} has no parameter {edge.consumes!r}"
    return ""
