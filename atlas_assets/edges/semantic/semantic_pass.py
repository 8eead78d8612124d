"""The semantic pass: asks a provider about consumers, and hands back edges, refusals and the bill."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.semantic.asking import Asker
from atlas_assets.edges.semantic.choose import ProviderChoice, chosen_providers
from atlas_assets.edges.semantic.client import CallFailed, CallLimits, Client
from atlas_assets.edges.semantic.money import Estimate, Ledger, Limit, estimate, read_limit
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
    max_cost: str | None = None,
    batch: bool = False,
    on_result: Callable[[ConsumerResult], None] | None = None,
) -> PassReport:
    """Ask about each consumer what no record answers yet.

    Without `choice` the environment says who is asked: every provider of `ATLAS_PROVIDERS`, else one.
    `direct` are the edges found by rule (given to the model, never repeated), `slots` what the rules
    say of parameters. `max_cost` is a spending limit as in `money.read_limit`; without it
    `ATLAS_MAX_COST` binds. `batch` asks by the provider's batch API, at half price, and
    waits for it; a run that was ended meanwhile is taken up by the next. `on_result` hears of every
    consumer as it is done. A consumer that got no answer has `error` in its result and costs the others
    nothing. Raises ConfigError for an environment that cannot be used; a provider that cannot be
    reached is an error of every consumer.
    """
    choices = chosen_providers(environ) if choice is None else (choice,)
    if len(choices) > 1:
        from atlas_assets.edges.semantic.voices import run_voices

        return run_voices(
            choices,
            consumers,
            tools=tools,
            direct=direct,
            slots=slots,
            root=root,
            environ=environ,
            limits=limits,
            max_cost=max_cost,
            batch=batch,
            on_result=on_result,
        )
    inputs = PassInputs.of(consumers, tools, direct, slots, root, choices[0], environ, limits)
    return run_pass(inputs, read_limit(max_cost, environ), on_result, batch=batch)


def run_pass(
    inputs: "PassInputs",
    limit: Limit | None,
    on_result: Callable[[ConsumerResult], None] | None = None,
    *,
    batch: bool = False,
) -> PassReport:
    """`run_semantic_pass` on inputs that are made already."""
    if inputs.choice.name == "local":
        return _local_pass(inputs, on_result)
    if batch:
        from atlas_assets.edges.semantic.batch_pass import run_batch_pass

        return asyncio.run(run_batch_pass(inputs, limit, on_result))
    return asyncio.run(_ask_pass(inputs, limit, on_result))


def estimate_pass(
    consumers: Sequence[str],
    *,
    tools: Sequence[Tool],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
    root: DataRoot,
    choice: ProviderChoice | None = None,
    environ: Mapping[str, str] = os.environ,
    batch: bool = False,
) -> Estimate:
    """What `run_semantic_pass` would ask and cost now; asks nothing that costs anything.

    Without `choice` it covers every provider that the environment asks for.
    A server of one's own without `LLM_MODEL` is asked for its list of models. Raises ConfigError, and
    ProviderError where that list cannot be had.
    """
    choices = chosen_providers(environ) if choice is None else (choice,)
    if len(choices) > 1:
        from atlas_assets.edges.semantic.voices import estimate_voices, join_estimates

        return join_estimates(
            estimate_voices(
                choices,
                consumers,
                tools=tools,
                direct=direct,
                slots=slots,
                root=root,
                environ=environ,
                batch=batch,
            )
        )
    inputs = PassInputs.of(consumers, tools, direct, slots, root, choices[0], environ, None)
    if inputs.choice.name == "local":
        return Estimate(provider="local", model="rules", receiver=inputs.choice.receiver, cost=Decimal(0))
    return asyncio.run(_estimate(inputs, batch))


@dataclass(frozen=True, slots=True)
class PassInputs:
    """What a pass works on: live tools sorted by slug, consumers sorted, each once."""

    consumers: tuple[str, ...]
    tools: tuple[Tool, ...]
    direct: Sequence[Edge]
    slots: Sequence[Slot]
    root: DataRoot
    choice: ProviderChoice
    environ: Mapping[str, str]
    limits: CallLimits

    @classmethod
    def of(
        cls,
        consumers: Sequence[str],
        tools: Sequence[Tool],
        direct: Sequence[Edge],
        slots: Sequence[Slot],
        root: DataRoot,
        choice: ProviderChoice | None,
        environ: Mapping[str, str],
        limits: CallLimits | None,
    ) -> "PassInputs":
        return cls(
            tuple(sorted(set(consumers))),
            tuple(sorted((t for t in tools if t.status != "removed"), key=lambda t: t.slug)),
            direct,
            slots,
            root,
            choice_or_default(choice, environ),
            environ,
            limits or call_limits(environ),
        )

    @property
    def present(self) -> list[str]:
        """The consumers that are in the catalog."""
        known = {tool.slug for tool in self.tools}
        return [slug for slug in self.consumers if slug in known]

    def planner(self, model: str) -> Planner:
        """The planner for questions to `model`. Raises ConfigError."""
        shortlists = Shortlists(self.tools, prompt_budget(self.choice, self.environ), self.direct)
        return Planner(
            self.tools,
            self.direct,
            self.slots,
            load_prompt(self.environ),
            self.choice.name,
            self.choice.models or (model,),
            shortlists,
        )


def choice_or_default(choice: ProviderChoice | None, environ: Mapping[str, str]) -> ProviderChoice:
    """The choice, or the first that the environment asks for."""
    return chosen_providers(environ)[0] if choice is None else choice


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
    inputs: PassInputs, limit: Limit | None, on_result: Callable[[ConsumerResult], None] | None
) -> PassReport:
    choice = inputs.choice
    store = RecordStore(inputs.root)
    client = make_client(choice, inputs.limits)
    present = inputs.present
    results = [failed_result(s, choice, UNKNOWN_CONSUMER) for s in inputs.consumers if s not in set(present)]
    ledger = Ledger(choice, inputs.limits, limit)
    stopped = ""
    model = choice.model
    try:
        try:
            model = await client.resolve_model()
        except CallFailed as error:
            stopped = str(error)
            results += [failed_result(slug, choice, stopped) for slug in present]
        if on_result is not None:
            for result in results:
                on_result(result)
        if not stopped:
            planner = inputs.planner(model)
            plans = (planner.plan(slug, store.read(slug)) for slug in present)
            asker = Asker(client, planner, store, inputs.limits, ledger, on_result)
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
        cost=ledger.spent,
        stopped=stopped,
    )


async def _estimate(inputs: PassInputs, batch: bool) -> Estimate:
    store = RecordStore(inputs.root)
    model = inputs.choice.model
    if not model:
        client = make_client(inputs.choice, inputs.limits)
        try:
            model = await client.resolve_model()
        finally:
            await client.close()
    planner = inputs.planner(model)
    plans = [planner.plan(slug, store.read(slug)) for slug in inputs.present]
    return estimate(inputs.choice, model, plans, batch=batch)


def _local_pass(inputs: PassInputs, on_result: Callable[[ConsumerResult], None] | None) -> PassReport:
    from atlas_assets.edges.semantic.local import local_edges

    known = {tool.slug for tool in inputs.tools}
    found = local_edges(inputs.tools, direct=inputs.direct, slots=inputs.slots)
    results: list[ConsumerResult] = []
    for slug in inputs.consumers:
        if slug in known:
            edges = tuple(sorted(found.get(slug, ()), key=lambda e: e.key))
            result = ConsumerResult(consumer=slug, edges=edges, provider="local", model="rules")
        else:
            result = failed_result(slug, inputs.choice, UNKNOWN_CONSUMER)
        results.append(result)
        if on_result is not None:
            on_result(result)
    return PassReport(
        results=tuple(results),
        provider="local",
        model="rules",
        receiver=inputs.choice.receiver,
        cost=Decimal(0),
    )


def failed_result(slug: str, choice: ProviderChoice, error: str) -> ConsumerResult:
    """The result of a consumer about which nothing could be asked."""
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
