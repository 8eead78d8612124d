"""The rules that a model's claims must pass before they are edges.

`from` is a tool that the model was asked about and not the consumer; `consumes` is one of the
consumer's required parameters (any, where it requires none); `path`, if given, is a place inside it; no
repeat of an edge found without the model, none of another claim. What is refused is kept with its reason.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.semantic.cleaning import clean_text
from atlas_assets.edges.semantic.prompt import fillable
from atlas_assets.edges.semantic.reply import WORDS, Check, Claim
from atlas_assets.edges.semantic.result import Doubt, RejectedEdge

UNKNOWN_TOOL = "no such tool in the catalog"
NOT_SHOWN = "a tool that was not asked about"
ITSELF = "the consumer itself"
UNKNOWN_PARAMETER = "no such parameter of the consumer"
NOT_REQUIRED = "a parameter that is not required"
UNKNOWN_PATH = "no such place inside the parameter"
FOUND_ALREADY = "repeats an edge found already"
STEERS = "The producer's own text tries to steer the model."
REPEATED = "repeats another edge of the answer"


@dataclass(frozen=True, slots=True)
class Checked:
    """Claims sorted into edges and refusals, and the word on found edges; all sorted."""

    edges: tuple[Edge, ...]
    rejected: tuple[RejectedEdge, ...]
    doubts: tuple[Doubt, ...]
    confirmed: tuple[tuple[str, str], ...]


def check_claims(
    consumer: Tool,
    claims: Iterable[Claim],
    checks: Iterable[Check],
    *,
    known: Collection[str],
    shown: Collection[str],
    found: Sequence[Edge],
    provider: str,
    distrusted: Collection[str] = (),
    names: Mapping[str, str] = MappingProxyType({}),
) -> Checked:
    """Check claims about `consumer`; `known` are all slugs, `shown` those that were asked about.

    `names` maps what a prompt calls a tool to its slug, where that is not the slug itself.
    `distrusted` are tools whose own text tries to steer the model: a claim for one may be its own
    doing, so it counts as the weakest word at most, and says so.
    """
    taken = {edge.key for edge in found}
    edges: dict[tuple[str, str, str, str], Edge] = {}
    rejected: list[RejectedEdge] = []
    for claim in claims:
        producer = names.get(claim.producer, claim.producer)
        consumes, path = _place(consumer, claim)
        reason = _refusal(consumer, producer, consumes, path, known, shown)
        key = (producer, consumer.slug, consumes, path or "")
        if not reason and key in taken:
            reason = FOUND_ALREADY
        if not reason and key in edges:
            reason = REPEATED
        if reason:
            rejected.append(
                RejectedEdge(
                    producer=clean_text(producer, 300),
                    consumer=consumer.slug,
                    consumes=clean_text(consumes, 300),
                    reason=reason,
                )
            )
            continue
        parameter = next(p for p in consumer.top_parameters if p.name == consumes)
        steers = producer in distrusted
        edges[key] = Edge(
            producer=producer,
            consumer=consumer.slug,
            consumes=consumes,
            path=path,
            required=parameter.required,
            type="semantic",
            layer="model",
            provider=provider,
            confidence=min(claim.confidence, WORDS["low"]) if steers else claim.confidence,
            reason=f"{claim.reason} {STEERS}".strip() if steers else claim.reason,
            produces=claim.produces or None,
        )
    doubts, confirmed = _words_on_found(consumer, checks, found, names, provider)
    return Checked(
        tuple(edges[k] for k in sorted(edges)),
        tuple(sorted(rejected, key=lambda r: (r.producer, r.consumes, r.reason))),
        doubts,
        confirmed,
    )


def mark_doubted(edges: Iterable[Edge], doubts: Iterable[Doubt]) -> tuple[Edge, ...]:
    """`edges` with every doubted one marked: kept, half as confident, the model's reason beside ours."""
    spoken = {(d.producer, d.consumer, d.consumes): d for d in doubts}
    marked: list[Edge] = []
    for edge in edges:
        doubt = spoken.get((edge.producer, edge.consumer, edge.consumes))
        if doubt is not None:
            why = doubt.reason or "no reason given"
            reason = f"{edge.reason} Doubted by {doubt.provider}: {why}".strip()
            edge = replace(edge, confidence=round(edge.confidence / 2, 4), reason=reason)
        marked.append(edge)
    return tuple(marked)


def _place(consumer: Tool, claim: Claim) -> tuple[str, str | None]:
    """Parameter and path of a claim; `request.cluster_id` is read as the path it means."""
    path = claim.path or None
    names = {p.name for p in consumer.top_parameters}
    if claim.consumes in names:
        return claim.consumes, None if path == claim.consumes else path
    for p in consumer.parameters:
        if p.path is not None and claim.consumes in (f"{p.name}.{p.path}", f"{p.name}{p.path}"):
            return p.name, p.path
    return claim.consumes, path


def _refusal(
    consumer: Tool,
    producer: str,
    consumes: str,
    path: str | None,
    known: Collection[str],
    shown: Collection[str],
) -> str:
    if producer not in known:
        return UNKNOWN_TOOL
    if producer == consumer.slug:
        return ITSELF
    if producer not in shown:
        return NOT_SHOWN
    if consumes not in {p.name for p in consumer.top_parameters}:
        return UNKNOWN_PARAMETER
    if consumes not in {p.name for p in fillable(consumer)}:
        return NOT_REQUIRED
    if path is not None and (consumes, path) not in {(p.name, p.path) for p in consumer.parameters}:
        return UNKNOWN_PATH
    return ""


def _words_on_found(
    consumer: Tool, checks: Iterable[Check], found: Sequence[Edge], names: Mapping[str, str], provider: str
) -> tuple[tuple[Doubt, ...], tuple[tuple[str, str], ...]]:
    pairs = {(edge.producer, edge.consumes) for edge in found}
    doubts: dict[tuple[str, str], Doubt] = {}
    confirmed: set[tuple[str, str]] = set()
    for check in checks:
        pair = (names.get(check.producer, check.producer), check.consumes)
        if pair not in pairs:
            continue
        if check.doubted:
            doubts[pair] = Doubt(
                producer=pair[0],
                consumer=consumer.slug,
                consumes=pair[1],
                provider=provider,
                reason=check.reason,
            )
        else:
            confirmed.add(pair)
    # contradicting oneself is no word at all
    both = confirmed & set(doubts)
    return (
        tuple(doubts[p] for p in sorted(doubts) if p not in both),
        tuple(sorted(confirmed - both)),
    )
