"""What a semantic pass hands back: one result a consumer, and the pass's own figures."""

from dataclasses import dataclass
from decimal import Decimal

from atlas_assets.edges.edge import Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedEdge:
    """An edge that a model claimed and the rules refused; `reason` says which rule, in a few words."""

    producer: str
    consumer: str
    consumes: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A model's word against an edge that was found without it; `reason` is the model's."""

    producer: str
    consumer: str
    consumes: str
    provider: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerResult:
    """What one consumer's question came to.

    `edges` and `rejected` are sorted. `model` is the one that answered. `cached` is true where
    nothing was asked. Tokens count what was paid for in this pass: `cached_tokens` are the part of
    `input_tokens` read from the provider's prompt cache, `written_tokens` the part written to it; `cost`
    is their price in US dollars, None where it is unknown.
    `error` is one line, None where an answer was had; a consumer with an error has no edges, save
    those of an earlier record. `notes` say what people should know of a good answer (it was cut, it
    needed repair). `warnings` name attempts in the tools' text to steer the model.
    """

    consumer: str
    edges: tuple[Edge, ...] = ()
    rejected: tuple[RejectedEdge, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    confirmed: tuple[tuple[str, str], ...] = ()
    provider: str = ""
    model: str = ""
    cached: bool = False
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    error: str | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassReport:
    """A whole pass: `results` sorted by consumer, and sums over it.

    `requests` counts questions sent, retries included. `cost` is in US dollars, None where a
    model's price is unknown. `stopped` is the one line that says why a pass ended early, else "".
    """

    results: tuple[ConsumerResult, ...]
    provider: str
    model: str
    receiver: str
    requests: int = 0
    cost: Decimal | None = None
    stopped: str = ""

    @property
    def input_tokens(self) -> int:
        return sum(r.input_tokens for r in self.results)

    @property
    def cached_tokens(self) -> int:
        return sum(r.cached_tokens for r in self.results)

    @property
    def written_tokens(self) -> int:
        return sum(r.written_tokens for r in self.results)

    @property
    def output_tokens(self) -> int:
        return sum(r.output_tokens for r in self.results)

    @property
    def failed(self) -> tuple[ConsumerResult, ...]:
        """The consumers that got no answer."""
        return tuple(r for r in self.results if r.error is not None)

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(e for r in self.results for e in r.edges)

    def rejected_by_reason(self) -> dict[str, int]:
        """How many claimed edges were refused, by rule; sorted by rule."""
        counts: dict[str, int] = {}
        for rejected in (e for r in self.results for e in r.rejected):
            counts[rejected.reason] = counts.get(rejected.reason, 0) + 1
        return dict(sorted(counts.items()))
