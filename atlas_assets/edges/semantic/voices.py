"""Two voices: every consumer is asked of several providers, and what they agree on counts more.

An edge that several name is one edge with all their names, their reasons side by side, and the
confidence that at least one of them is right, were they to err independently (never above MOST_SURE:
they do not). One that a single provider names stays as it is. A found edge is doubted where a provider
doubts it and none confirms it.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.edges.semantic.client import CallLimits
from atlas_assets.edges.semantic.money import Estimate, Limit, read_limit
from atlas_assets.edges.semantic.result import ConsumerResult, Doubt, PassReport
from atlas_assets.edges.semantic.semantic_pass import PassInputs, estimate_pass, run_pass
from atlas_assets.storage.root import DataRoot

MOST_SURE = 0.98


def run_voices(
    choices: Sequence[ProviderChoice],
    consumers: Sequence[str],
    *,
    tools: Sequence[Tool],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    root: DataRoot,
    environ: Mapping[str, str] = os.environ,
    limits: CallLimits | None = None,
    max_cost: str | None = None,
    batch: bool = False,
    on_result: Callable[[ConsumerResult], None] | None = None,
) -> PassReport:
    """Ask every provider about every consumer, one provider after the other, within one limit.

    Arguments are those of `run_semantic_pass`. A consumer has an error only where none of the providers
    answered; one that did not is named in its notes.
    """
    limit = read_limit(max_cost, environ)
    if len(choices) == 1:
        inputs = PassInputs.of(consumers, tools, direct, slots, root, choices[0], environ, limits)
        return run_pass(inputs, limit, on_result, batch=batch)
    reports: list[PassReport] = []
    for choice in choices:
        inputs = PassInputs.of(consumers, tools, direct, slots, root, choice, environ, limits)
        report = run_pass(inputs, limit, batch=batch)
        limit = _rest(limit, report)
        reports.append(report)
    joined = join_reports(reports)
    if on_result is not None:
        for result in joined.results:
            on_result(result)
    return joined


def estimate_voices(
    choices: Sequence[ProviderChoice],
    consumers: Sequence[str],
    *,
    tools: Sequence[Tool],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    root: DataRoot,
    environ: Mapping[str, str] = os.environ,
    batch: bool = False,
) -> tuple[Estimate, ...]:
    """The estimate of each provider's pass, in their order."""
    return tuple(
        estimate_pass(
            consumers,
            tools=tools,
            direct=direct,
            slots=slots,
            root=root,
            choice=choice,
            environ=environ,
            batch=batch,
        )
        for choice in choices
    )


def join_estimates(estimates: Sequence[Estimate]) -> Estimate:
    """One estimate of several providers' passes: sums, and a price only where each has one."""
    return Estimate(
        provider=" + ".join(e.provider for e in estimates),
        model=" + ".join(e.model for e in estimates),
        receiver=" ".join(e.receiver for e in estimates),
        full=sum(e.full for e in estimates),
        more=sum(e.more for e in estimates),
        none=sum(e.none for e in estimates),
        kept=sum(e.kept for e in estimates),
        input_tokens=sum(e.input_tokens for e in estimates),
        cached_tokens=sum(e.cached_tokens for e in estimates),
        written_tokens=sum(e.written_tokens for e in estimates),
        output_tokens=sum(e.output_tokens for e in estimates),
        cost=_sum([e.cost for e in estimates]),
        batch=any(e.batch for e in estimates),
    )


def join_reports(reports: Sequence[PassReport]) -> PassReport:
    """One report of several providers' reports about the same consumers."""
    by_consumer: dict[str, list[ConsumerResult]] = defaultdict(list)
    for report in reports:
        for result in report.results:
            by_consumer[result.consumer].append(result)
    costs = [report.cost for report in reports]
    return PassReport(
        results=tuple(join_results(by_consumer[slug]) for slug in sorted(by_consumer)),
        provider=" + ".join(report.provider for report in reports),
        model=" + ".join(report.model for report in reports),
        receiver=" ".join(report.receiver for report in reports),
        requests=sum(report.requests for report in reports),
        cost=_sum(costs),
        stopped="; ".join(report.stopped for report in reports if report.stopped),
    )


def join_results(results: Sequence[ConsumerResult]) -> ConsumerResult:
    """One result of several providers' results about one consumer, in the order they were asked."""
    answered = [r for r in results if r.error is None]
    if not answered:
        first = results[0]
        return replace(first, error="; ".join(dict.fromkeys(r.error or "" for r in results)))
    silent = tuple(f"{r.provider} did not answer: {r.error}" for r in results if r.error is not None)
    confirmed = {pair for r in answered for pair in r.confirmed}
    doubts: dict[tuple[str, str], Doubt] = {}
    for doubt in (d for r in answered for d in r.doubts):
        pair = (doubt.producer, doubt.consumes)
        if pair in confirmed:
            continue
        before = doubts.get(pair)
        doubts[pair] = doubt if before is None else _both_doubt(before, doubt)
    return ConsumerResult(
        consumer=results[0].consumer,
        edges=join_edges([edge for r in answered for edge in r.edges]),
        rejected=tuple(
            sorted(
                (x for r in answered for x in r.rejected), key=lambda x: (x.producer, x.consumes, x.reason)
            )
        ),
        doubts=tuple(doubts[pair] for pair in sorted(doubts)),
        confirmed=tuple(sorted(confirmed - set(doubts))),
        provider=" + ".join(r.provider for r in answered),
        model=" + ".join(r.model for r in answered),
        cached=all(r.cached for r in results),
        input_tokens=sum(r.input_tokens for r in results),
        cached_tokens=sum(r.cached_tokens for r in results),
        written_tokens=sum(r.written_tokens for r in results),
        output_tokens=sum(r.output_tokens for r in results),
        cost=_sum([r.cost for r in results]),
        notes=(*dict.fromkeys(note for r in answered for note in r.notes), *silent),
        warnings=tuple(dict.fromkeys(w for r in results for w in r.warnings)),
    )


def join_edges(edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """Edges with each key once, sorted; what several providers name is joined."""
    by_key: dict[tuple[str, str, str, str], list[Edge]] = defaultdict(list)
    for edge in edges:
        by_key[edge.key].append(edge)
    return tuple(_join(by_key[key]) for key in sorted(by_key))


def _join(same: Sequence[Edge]) -> Edge:
    if len(same) == 1:
        return same[0]
    wrong = 1.0
    for edge in same:
        wrong *= 1.0 - edge.confidence
    highest = max(edge.confidence for edge in same)
    reasons = [f"{edge.provider}: {edge.reason}" for edge in same if edge.reason]
    return replace(
        same[0],
        provider=" + ".join(edge.provider for edge in same),
        confidence=round(max(min(1.0 - wrong, MOST_SURE), highest), 4),
        hidden=all(edge.hidden for edge in same),
        reason=" ".join(reasons),
        produces=next((edge.produces for edge in same if edge.produces), None),
        quote=next((edge.quote for edge in same if edge.quote), None),
    )


def _both_doubt(one: Doubt, other: Doubt) -> Doubt:
    reason = "; ".join(text for text in (one.reason, other.reason) if text)
    return replace(one, provider=f"{one.provider} + {other.provider}", reason=reason)


def _sum(costs: Sequence[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def _rest(limit: Limit | None, report: PassReport) -> Limit | None:
    """What a limit leaves for the next provider; tokens are counted where a price is unknown."""
    if limit is None:
        return None
    used = report.cost
    if limit.tokens or used is None:
        used = Decimal(report.input_tokens + report.output_tokens)
    return replace(limit, amount=max(limit.amount - used, Decimal(0)))
