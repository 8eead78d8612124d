"""The semantic pass: asks a provider about consumers, and hands back edges, refusals and the bill."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.semantic.asking import Asker
from atlas_assets.edges.semantic.choose import ProviderChoice, choose_provider
from atlas_assets.edges.semantic.client import CallFailed, CallLimits, Client
from atlas_assets.edges.semantic.plan import Planner
from atlas_assets.edges.semantic.prompt import load_prompt
from atlas_assets.edges.semantic.records import RecordStore
from atlas_assets.edges.semantic.result import ConsumerResult, PassReport
from atlas_assets.edges.semantic.shortlist import Shortlists, prompt_budget
from atlas_assets.errors import ConfigError
from atlas_assets.storage.root import DataRoot

UNKNOWN_CONSUMER = "it is in no server's list; scan again"


def consumers_of(tools: Sequence[Tool]) -> tuple[str, ...]:
    """The slugs of the tools that have parameters, sorted; removed tools are none."""
    return tuple(sorted(t.slug for t in tools if t.top_parameters and t.status != "removed"))


def run_semantic_pass(
    consumers: Sequence[str],
    *,
    tools: Sequence[Tool],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    root: DataRoot,
    choice: ProviderChoice | None = None,
    environ: Mapping[str, str] = os.environ,
    limits: CallLimits | None = None,
    on_result: Callable[[ConsumerResult], None] | None = None,
) -> PassReport:
    """Ask about each consumer what no record answers yet.

    `direct` are the edges found by rule (given to the model, never repeated), `slots` what the rules
    say of parameters. `on_result` hears of every consumer as it is done. A consumer that got no answer
    has `error` in its result and costs the others nothing. Raises ConfigError for an environment that
    cannot be used; a provider that cannot be reached is an error of every consumer.
    """
    chosen = choose_provider(environ) if choice is None else choice
    live = tuple(sorted((t for t in tools if t.status != "removed"), key=lambda t: t.slug))
    wanted = sorted(set(consumers))
    if chosen.name == "local":
        return _local_pass(wanted, live, direct, slots, chosen, on_result)
    bounds = call_limits(environ) if limits is None else limits
    return asyncio.run(_ask_pass(wanted, live, direct, slots, root, chosen, environ, bounds, on_result))


def call_limits(environ: Mapping[str, str]) -> CallLimits:
    """The bounds of a run: `ATLAS_IN_FLIGHT` questions at once, `ATLAS_CALL_SECONDS` for each.

    Raises ConfigError for a value that is no positive number.
    """
    limits = CallLimits()
    return replace(
        limits,
        in_flight=int(_number(environ, "ATLAS_IN_FLIGHT", limits.in_flight)),
        deadline=_number(environ, "ATLAS_CALL_SECONDS", limits.deadline),
    )


def make_client(choice: ProviderChoice, limits: CallLimits) -> Client:
    """The client of a provider other than `local`; imports only the SDK it needs."""
    if choice.name == "anthropic":
        from atlas_assets.edges.semantic.anthropic_client import AnthropicClient

        return AnthropicClient(choice, limits)
    from atlas_assets.edges.semantic.openai_client import OpenAIClient

    return OpenAIClient(choice, limits)


async def _ask_pass(
    wanted: Sequence[str],
    live: tuple[Tool, ...],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    root: DataRoot,
    choice: ProviderChoice,
    environ: Mapping[str, str],
    limits: CallLimits,
    on_result: Callable[[ConsumerResult], None] | None,
) -> PassReport:
    text = load_prompt(environ)
    budget = prompt_budget(choice, environ)
    store = RecordStore(root)
    client = make_client(choice, limits)
    known = {tool.slug for tool in live}
    results = [_failed(slug, choice, UNKNOWN_CONSUMER) for slug in wanted if slug not in known]
    present = [slug for slug in wanted if slug in known]
    stopped = ""
    model = choice.model
    try:
        try:
            model = await client.resolve_model()
        except CallFailed as error:
            stopped = str(error)
            results += [_failed(slug, choice, stopped) for slug in present]
        if on_result is not None:
            for result in results:
                on_result(result)
        if not stopped:
            planner = Planner(
                live,
                direct,
                slots,
                text,
                choice.name,
                choice.models or (model,),
                Shortlists(live, budget, direct),
            )
            plans = [planner.plan(slug, store.read(slug)) for slug in present]
            asker = Asker(client, planner, store, limits, on_result)
            results += await asker.run(plans)
            stopped = asker.stopped
    finally:
        await client.close()
    return PassReport(
        results=tuple(sorted(results, key=lambda r: r.consumer)),
        provider=choice.name,
        model=model,
        receiver=choice.receiver,
        requests=client.pace.requests,
        stopped=stopped,
    )


def _local_pass(
    wanted: Sequence[str],
    live: tuple[Tool, ...],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    choice: ProviderChoice,
    on_result: Callable[[ConsumerResult], None] | None,
) -> PassReport:
    from atlas_assets.edges.semantic.local import local_edges

    known = {tool.slug for tool in live}
    found = local_edges(live, direct=direct, slots=slots)
    results: list[ConsumerResult] = []
    for slug in wanted:
        if slug in known:
            edges = tuple(sorted(found.get(slug, ()), key=lambda e: e.key))
            result = ConsumerResult(consumer=slug, edges=edges, provider="local", model="rules")
        else:
            result = _failed(slug, choice, UNKNOWN_CONSUMER)
        results.append(result)
        if on_result is not None:
            on_result(result)
    return PassReport(results=tuple(results), provider="local", model="rules", receiver=choice.receiver)


def _failed(slug: str, choice: ProviderChoice, error: str) -> ConsumerResult:
    return ConsumerResult(consumer=slug, provider=choice.name, model=choice.model, error=error)


def _number(environ: Mapping[str, str], name: str, default: float) -> float:
    wanted = environ.get(name, "").strip()
    if not wanted:
        return default
    try:
        number = float(wanted)
    except ValueError:
        number = 0.0
    if not 0 < number < 100_000 or (name == "ATLAS_IN_FLIGHT" and number != int(number)):
        raise ConfigError(f"{name}={wanted!r} is no positive number")
    return number
