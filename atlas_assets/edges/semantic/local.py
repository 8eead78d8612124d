"""The built-in provider: semantic edges by rule, with no model and no call. It says so honestly.

Paths, content, addresses, sessions, positions and coordinates have no identifier in common; what
joins them is what tools do. Content, paths and addresses cross servers; the rest stays on one.
"""

from collections.abc import Iterable, Sequence

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.calibration import HIDE_BELOW, guess_confidence
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.field import Field, Guess, Rule
from atlas_assets.edges.handles import choices, current_values, locations, positions, queries, sessions
from atlas_assets.edges.landscape import Landscape, Placed, survey
from atlas_assets.edges.paths import addresses, contents, paths, structures
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.weights import MAX_PRODUCERS

RULES: dict[str, Rule] = {
    "path": paths,
    "content": contents,
    "object": structures,
    "url": addresses,
    "session": sessions,
    "position": positions,
    "location": locations,
    "query": queries,
    "date": current_values,
    "text": current_values,
    "email": current_values,
    "number": current_values,
    "search": current_values,
    "enum": choices,
}
"""Which rule supplies which kind of slot."""


def local_edges(
    tools: Sequence[Tool], *, direct: Sequence[Edge], slots: Sequence[Slot]
) -> dict[str, tuple[Edge, ...]]:
    """Semantic edges by consumer slug; consumers without any are left out.

    `direct` are the edges already found, which are not repeated; `slots` restrict the result to
    the slots that are listed.
    """
    wanted = {(slot.consumer, slot.param, slot.path) for slot in slots}
    found: dict[str, list[Edge]] = {}
    for edge in edges_of(survey(tools), direct):
        if (edge.consumer, edge.consumes, edge.path) in wanted:
            found.setdefault(edge.consumer, []).append(edge)
    return {consumer: tuple(found[consumer]) for consumer in sorted(found)}


def edges_of(landscape: Landscape, direct: Sequence[Edge]) -> list[Edge]:
    """Every semantic edge of a landscape that `direct` has not, sorted by key."""
    known = {edge.key for edge in direct}
    field = Field(landscape)
    edges: dict[tuple[str, str, str, str], Edge] = {}
    for server in landscape.servers.values():
        for consumer in server.placed:
            for slot in consumer.slots:
                rule = RULES.get(slot.kind)
                for guess in _best(rule(slot, consumer, server, field)) if rule else ():
                    edge = _edge(consumer, slot, guess)
                    if edge.key not in known:
                        edges.setdefault(edge.key, edge)
    return [edges[key] for key in sorted(edges)]


def _best(guesses: Iterable[Guess]) -> list[Guess]:
    found: dict[str, Guess] = {}
    for guess in guesses:
        old = found.get(guess.placed.tool.slug)
        if old is None or old.score < guess.score:
            found[guess.placed.tool.slug] = guess
    return sorted(found.values(), key=lambda g: (-g.score, g.placed.tool.slug))[:MAX_PRODUCERS]


def _edge(consumer: Placed, slot: SlotSignature, guess: Guess) -> Edge:
    sure = guess_confidence(guess.score)
    return Edge(
        producer=guess.placed.tool.slug,
        consumer=consumer.tool.slug,
        consumes=slot.param,
        path=slot.path,
        required=slot.required,
        type="semantic",
        layer="local",
        provider="local",
        confidence=sure,
        hidden=sure < HIDE_BELOW,
        reason=guess.why,
        quote=guess.quote,
    )
