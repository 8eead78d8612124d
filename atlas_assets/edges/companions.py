"""Composite keys: a scope that is always given beside a name takes the name's producers.

`owner` says nothing by itself, but every tool that wants an `owner` wants a `repo` beside it: what
finds the repository finds both. (Known from REST inference as "parent parameters".)
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace

from atlas_assets.edges.edge import Edge
from atlas_assets.edges.kinds import CONTENTS, NUMBERS, QUERIES, TEXTS
from atlas_assets.edges.landscape import Placed, ServerView
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.words import split_words

LEAST_TOOLS = 3
"""Tools that must want both before one is taken for the other's scope."""
LESS_SURE = 0.9
SCOPE_KINDS = frozenset({"text", "identifier"})
NAME_SUFFIXES = frozenset({"", "name", "slug", "key"})


def companion_edges(view: ServerView, edges: Iterable[Edge], sure: Collection[tuple[str, str]]) -> list[Edge]:
    """Edges into scope parameters, copied from the parameter they always accompany.

    `sure` are the slots (consumer, parameter) that have a producer by their own name.
    """
    into: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.path is None and not edge.hidden:
            into[edge.consumer, edge.consumes].append(edge)
    wanting: dict[str, set[str]] = defaultdict(set)
    for placed in view.placed:
        for slot in _required(placed):
            wanting[slot.param].add(placed.tool.name)
    found: list[Edge] = []
    for consumer in view.placed:
        slots = _required(consumer)
        for scope in slots:
            if not _may_be_scope(scope, consumer, sure) or len(wanting[scope.param]) < LEAST_TOOLS:
                continue
            beside = [
                slot
                for slot in slots[slots.index(scope) + 1 :]
                if slot.suffix in NAME_SUFFIXES
                and len(wanting[scope.param] ^ wanting[slot.param]) <= 0.25 * len(wanting[scope.param])
                and into.get((consumer.tool.slug, slot.param))
            ]
            for slot in beside[:1]:
                found.extend(_copies(scope, slot, into[consumer.tool.slug, slot.param], view))
    return found


def _required(placed: Placed) -> list[SlotSignature]:
    return [slot for slot in placed.slots if slot.required and slot.path is None]


def _may_be_scope(slot: SlotSignature, consumer: Placed, sure: Collection[tuple[str, str]]) -> bool:
    words = split_words(slot.param)
    return (
        slot.kind in SCOPE_KINDS
        and (consumer.tool.slug, slot.param) not in sure
        and bool(words)
        and words[-1] not in TEXTS | CONTENTS | NUMBERS | QUERIES
    )


def _copies(scope: SlotSignature, slot: SlotSignature, edges: list[Edge], view: ServerView) -> list[Edge]:
    copies = []
    for edge in edges:
        producer = view.by_name[edge.producer.partition("::")[2]]
        if any(own.param == scope.param for own in _required(producer)):
            continue
        copies.append(
            replace(
                edge,
                consumes=scope.param,
                confidence=round(edge.confidence * LESS_SURE, 2),
                reason=f"{scope.param!r} is always given beside {slot.param!r}, and comes with it.",
                produces=None,
                quote=None,
            )
        )
    return copies
