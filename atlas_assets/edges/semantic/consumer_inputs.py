"""Which consumers' questions changed since the last inference, so that only those are asked anew.

A question rests on the consumer itself, on the tools that the ranker sees as candidates for its
slots, and on the edges already found into it. A new tool that is no candidate changes no question,
and a tool that is gone changes none either: the merge drops its edges.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.semantic.ranker import Ranker
from atlas_assets.edges.semantic.semantic_pass import consumers_of


@dataclass(frozen=True, slots=True)
class Input:
    """What was known of one tool: its fingerprint, and a digest of the edges found into it."""

    slug: str
    fingerprint: str
    found: str


def inputs_of(tools: Iterable[Tool], direct: Iterable[Edge]) -> dict[str, Input]:
    """Slug to input, for every tool that is not removed."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for edge in direct:
        found[edge.consumer].append("\0".join((*edge.key, edge.layer, str(edge.hidden))))
    return {
        tool.slug: Input(tool.slug, tool.fingerprint, _digest(sorted(found[tool.slug])))
        for tool in tools
        if tool.status != "removed"
    }


def changed_questions(
    tools: Sequence[Tool], direct: Sequence[Edge], before: Mapping[str, Input]
) -> tuple[str, ...]:
    """The slugs of the consumers whose question changed since `before`, sorted; all where it is empty."""
    live = [tool for tool in tools if tool.status != "removed"]
    now = inputs_of(live, direct)
    changed = {s for s, known in now.items() if s not in before or before[s].fingerprint != known.fingerprint}
    consumers = consumers_of(live)
    touched = {s for s in consumers if s in changed or before[s].found != now[s].found}
    rest = [slug for slug in consumers if slug not in touched]
    if changed and rest:
        ranker = Ranker(live, direct)
        touched.update(slug for slug in rest if not changed.isdisjoint(ranker.candidates(slug)))
    return tuple(sorted(touched))


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\1".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]
