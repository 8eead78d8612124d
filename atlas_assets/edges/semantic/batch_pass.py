"""A semantic pass by batch: the plans and results of an ordinary pass, the asking left to `batch`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from atlas_assets.edges.semantic.asking import Asker, Usage
from atlas_assets.edges.semantic.batch import BatchClient, BatchDesk
from atlas_assets.edges.semantic.client import CallFailed
from atlas_assets.edges.semantic.money import BATCH_SHARE, Ledger, Limit, Tokens, price
from atlas_assets.edges.semantic.plan import Planned
from atlas_assets.edges.semantic.records import Asked, RecordStore
from atlas_assets.edges.semantic.result import ConsumerResult, PassReport
from atlas_assets.edges.semantic.semantic_pass import UNKNOWN_CONSUMER, PassInputs, failed_result, make_client
from atlas_assets.errors import ConfigError

WITH_BATCHES = ("anthropic", "openai")


async def run_batch_pass(
    inputs: PassInputs,
    limit: Limit | None,
    on_result: Callable[[ConsumerResult], None] | None = None,
    *,
    polls: int | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> PassReport:
    """Ask by batch and wait for the answers; `polls` bounds how often it looks before it leaves them.

    Raises ConfigError for a provider without batches.
    """
    choice = inputs.choice
    if choice.name not in WITH_BATCHES or choice.own_server:
        raise ConfigError(f"{choice.name} at {choice.host} has no batches; leave --batch out")
    store = RecordStore(inputs.root)
    client = make_client(choice, inputs.limits)
    planner = inputs.planner(choice.model)
    present = inputs.present
    results = [failed_result(s, choice, UNKNOWN_CONSUMER) for s in inputs.consumers if s not in set(present)]
    desk = BatchDesk(cast(BatchClient, client), choice, choice.model, planner, store, sleep)
    asker = Asker(client, planner, store, inputs.limits, Ledger(choice, inputs.limits, None))
    stopped = ""
    try:
        plans = [planner.plan(slug, store.read(slug)) for slug in present]
        try:
            stopped = await desk.run(plans, limit, polls)
        except CallFailed as error:
            stopped = str(error)
        # what was collected is in the records now, so a second plan shows what is still without an answer
        for slug in present:
            plan = planner.plan(slug, store.read(slug))
            results.append(await _result(asker, desk, plan, stopped))
    finally:
        await client.close()
    if on_result is not None:
        for result in results:
            on_result(result)
    return PassReport(
        results=tuple(sorted(results, key=lambda r: r.consumer)),
        provider=choice.name,
        model=choice.model,
        receiver=choice.receiver,
        requests=client.pace.requests,
        cost=desk.collected.cost,
        stopped=stopped,
    )


async def _result(asker: Asker, desk: BatchDesk, plan: Planned, stopped: str) -> ConsumerResult:
    slug = plan.consumer.slug
    if plan.question is not None:
        error = desk.collected.errors.get(slug) or f"not asked: {stopped or 'its batch has no answer'}"
        return asker.result(plan, plan.kept, Usage(), error=error)
    answered = desk.collected.answered.get(slug)
    usage = _usage(desk, answered) if answered is not None else Usage()
    return asker.result(plan, plan.kept, usage, asked_now=answered is not None)


def _usage(desk: BatchDesk, asked: Asked) -> Usage:
    tokens = Tokens(asked.input_tokens, asked.output_tokens, asked.cached_tokens, asked.written_tokens)
    paid = price(desk.choice, desk.model, tokens)
    return Usage(
        asked.input_tokens,
        asked.cached_tokens,
        asked.written_tokens,
        asked.output_tokens,
        None if paid is None else paid * BATCH_SHARE,
    )
