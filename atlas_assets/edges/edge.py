"""Edges and slots: what the inference finds, the merge weighs and the graph shows.

An edge `from → to [consumes]` says: to call `to` one may first need `from`, because `from` returns
the identifier (direct) or finds the value (semantic) that the parameter `consumes` needs; or a
person said so (manual). A slot is one parameter of one consumer, or one place inside it.
"""

from dataclasses import dataclass
from typing import Literal

EdgeType = Literal["direct", "semantic", "manual"]
SlotClass = Literal["produced", "user", "none"]

EDGE_TYPES: tuple[EdgeType, ...] = ("direct", "semantic", "manual")
"""In the order of precedence among equals: a direct edge before a semantic one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One edge into one parameter of its consumer.

    `producer` and `consumer` are slugs. `path` is None for the whole parameter, else the place
    inside it. `layer` names the rule that found it (`slug`, `name`, `output_schema`, `mention`,
    `annotation`, `local`, `model`, `person`), `provider` who answered (`heuristic`, `local`, a
    model provider's name, `person`). `confidence` is 0 to 1. `hidden` edges are kept and count
    nowhere. `reason` is one sentence for people. `produces` is the output field that carries the
    value and `quote` the author's words, None where the evidence is another.
    """

    producer: str
    consumer: str
    consumes: str
    path: str | None = None
    required: bool = True
    type: EdgeType
    layer: str
    provider: str
    confidence: float
    hidden: bool = False
    reason: str = ""
    produces: str | None = None
    quote: str | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes an edge one edge: (from, to, consumes, path), an absent path as ""."""
        return (self.producer, self.consumer, self.consumes, self.path or "")


def edge_row(edge: Edge) -> dict[str, object]:
    """An edge in the words of `graph.json`, which are those of the tables too."""
    return {
        "from": edge.producer,
        "to": edge.consumer,
        "consumes": edge.consumes,
        "path": edge.path,
        "required": edge.required,
        "type": edge.type,
        "layer": edge.layer,
        "provider": edge.provider,
        "confidence": edge.confidence,
        "hidden": edge.hidden,
        "reason": edge.reason,
        "produces": edge.produces,
        "quote": edge.quote,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One parameter of one consumer, or one place inside it, and who is expected to fill it.

    `slot_class` is `produced` (another tool can), `user` (a person says it) or `none` (neither: a
    constant or a control). `kind` is what sort of value (`identifier`, `path`, `url`, `content`,
    `session`, `text`, …), `entity` the resource it names, "" where unknown. `reason` says why.
    """

    consumer: str
    param: str
    path: str | None = None
    required: bool = True
    slot_class: SlotClass = "produced"
    kind: str = ""
    entity: str = ""
    reason: str = ""
