"""Asks a plan's questions: a warm-up, then side by side; a failed consumer costs the others nothing.

The first question of a run goes alone: it shows whether key and model are good, and warms the prompt
cache. Likewise the first of every group that shares a catalog block. Once a failure can only repeat
itself (a refused key), the run stops; what was answered is kept.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal

from atlas_assets.edges.semantic.check import check_claims
from atlas_assets.edges.semantic.client import Answer, CallFailed, CallLimits, Client, Turn
from atlas_assets.edges.semantic.money import Ledger
from atlas_assets.edges.semantic.plan import Planned, Planner
from atlas_assets.edges.semantic.prompt import Question
from atlas_assets.edges.semantic.records import Asked, RecordStore
from atlas_assets.edges.semantic.reply import Check, Claim, Reply, ReplyError, read_reply
from atlas_assets.edges.semantic.result import ConsumerResult
from atlas_assets.errors import AtlasError

MOST_WRITERS = 64
CUT = "the answer was cut off"


@dataclass(slots=True)
class Usage:
    """What one question's calls were billed for."""

    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)

    def add(self, answer: Answer, paid: Decimal | None) -> None:
        self.input_tokens += answer.input_tokens
        self.cached_tokens += answer.cached_tokens
        self.written_tokens += answer.written_tokens
        self.output_tokens += answer.output_tokens
        self.cost = None if self.cost is None or paid is None else self.cost + paid


class Asker:
    """Runs the plans of one pass; `stopped` is the line that says why it ended early, else ""."""

    def __init__(
        self,
        client: Client,
        planner: Planner,
        store: RecordStore,
        limits: CallLimits,
        ledger: Ledger,
        on_result: Callable[[ConsumerResult], None] | None = None,
    ) -> None:
        self.client = client
        self.planner = planner
        self.store = store
        self.ledger = ledger
        self.on_result = on_result
        self.stopped = ""
        self._free = asyncio.Semaphore(limits.in_flight)
        self._writers = ThreadPoolExecutor(min(limits.in_flight, MOST_WRITERS), "atlas-records")

    async def run(self, plans: Iterable[Planned]) -> list[ConsumerResult]:
        """Results in the order of the plans, which are drawn while earlier questions are in flight."""
        results: dict[str, ConsumerResult] = {}

        async def one(plan: Planned) -> None:
            result = await self._one(plan)
            results[plan.consumer.slug] = result
            if self.on_result is not None:
                self.on_result(result)

        async def after(first: "asyncio.Task[None]", plan: Planned) -> None:
            await asyncio.wait([first])
            await one(plan)

        order: list[str] = []
        firsts: dict[str, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            for plan in plans:
                order.append(plan.consumer.slug)
                if plan.question is None:
                    await one(plan)
                elif not firsts:
                    firsts[plan.group] = tasks.create_task(one(plan))
                    await asyncio.wait([firsts[plan.group]])
                elif plan.group not in firsts:
                    firsts[plan.group] = tasks.create_task(one(plan))
                else:
                    tasks.create_task(after(firsts[plan.group], plan))
                await asyncio.sleep(0)  # planning is work: those in flight go on between two plans
        self._writers.shutdown(wait=False)
        return [results[slug] for slug in order]

    async def _one(self, plan: Planned) -> ConsumerResult:
        try:
            if plan.question is None:
                return await self._without_asking(plan)
            async with self._free:
                if self.stopped:
                    return self.result(plan, plan.kept, Usage(), error=f"not asked: {self.stopped}")
                return await self._asking(plan)
        except AtlasError as error:
            return self.result(plan, plan.kept, Usage(), error=" ".join(str(error).split()))
        except Exception as error:  # noqa: BLE001 - one consumer's failure is a row, never a crash
            line = f"unexpected {type(error).__name__} while asking; please report it"
            return self.result(plan, plan.kept, Usage(), error=line)

    async def _without_asking(self, plan: Planned) -> ConsumerResult:
        kept = plan.kept
        if plan.kind == "none":
            asked = self.planner.asked(plan, kept[-1].model, "none")
            await self._keep(plan, asked)
        return self.result(plan, kept, Usage())

    async def _asking(self, plan: Planned) -> ConsumerResult:
        usage = Usage()
        try:
            reply, model, notes = await self._converse(plan, usage)
        except CallFailed as error:
            if error.stops_run:
                self.stopped = self.stopped or str(error)
            return self.result(plan, plan.kept, usage, error=str(error))
        except ReplyError as error:
            line = f"{self.planner.provider} gave no usable answer, not even when asked again: {error}"
            return self.result(plan, plan.kept, usage, error=line)
        asked = replace(
            self.planner.asked(plan, model, "full" if plan.kind == "full" else "more"),
            claims=reply.claims,
            checks=reply.checks,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            written_tokens=usage.written_tokens,
            output_tokens=usage.output_tokens,
            notes=notes,
        )
        await self._keep(plan, asked)
        if plan.left_out:
            none = self.planner.asked(plan, model, "none")
            await self._keep(plan, none)
        return self.result(plan, (*plan.kept, asked), usage, model=model)

    async def _keep(self, plan: Planned, asked: Asked) -> None:
        # a thread for each question in flight: on a busy disk a write waits long and works little
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writers, self.store.add, plan.consumer.slug, asked)

    async def _converse(self, plan: Planned, usage: Usage) -> tuple[Reply, str, tuple[str, ...]]:
        """Ask, and once more where the answer cannot be used. Raises CallFailed and ReplyError."""
        assert plan.question is not None
        answer = await self._pay(plan.question, (), usage)
        wrong, reply = _read(answer)
        if not wrong:
            assert reply is not None
            return reply, answer.model, _notes(reply)
        complaint = f"{self.planner.text.repair} {wrong}."
        try:
            again = await self._pay(plan.question, (Turn(answer.text[:4000], complaint),), usage)
        except CallFailed:
            if reply is not None:
                return reply, answer.model, (*_notes(reply), f"{wrong}; its whole edges are used")
            raise
        still_wrong, second = _read(again)
        if second is not None and not still_wrong:
            return second, again.model, (*_notes(second), f"asked again because {wrong}")
        best = second if second is not None and second.claims else reply
        if best is None:
            raise ReplyError(still_wrong)
        return best, again.model, (*_notes(best), f"{wrong}; its whole edges are used")

    async def _pay(self, question: Question, turns: tuple[Turn, ...], usage: Usage) -> Answer:
        """One call within the spending limit. Raises CallFailed."""
        aside = await self.ledger.set_aside(self.planner.models[0], question, len(turns))
        if aside is None:
            raise CallFailed(self.ledger.refusal(), stops_run=True)
        answer: Answer | None = None
        given_up = True
        try:
            answer = await self.client.ask(question, turns)
            return answer
        except CallFailed as error:
            given_up = error.status == 0
            raise
        finally:
            paid = await self.ledger.book(aside, answer, question, may_be_billed=given_up)
            if answer is not None:
                usage.add(answer, paid)

    def result(
        self,
        plan: Planned,
        answers: Sequence[Asked],
        usage: Usage,
        *,
        model: str = "",
        error: str | None = None,
        asked_now: bool = False,
    ) -> ConsumerResult:
        """What the answers come to, checked by the rules as they are now."""
        shown: set[str] = set()
        claims: list[Claim] = []
        checks: list[Check] = []
        for asked in (a for a in answers if a.kind != "none"):
            current = self.planner.current(asked)
            shown |= current
            # a producer that has changed or gone since is passed over: it is asked about anew, or never
            claims += [c for c in asked.claims if c.producer in current or c.producer not in asked.producers]
            checks += asked.checks
        checked = check_claims(
            plan.consumer,
            claims,
            checks,
            known=self.planner.known,
            shown=shown,
            found=plan.found,
            provider=self.planner.provider,
            names=self.planner.names,
            distrusted={slug for slug in shown if self.planner.attempts(slug)},
        )
        asked_model = model or next((a.model for a in reversed(answers) if a.kind != "none"), "")
        notes = tuple(dict.fromkeys(note for a in answers for note in a.notes))
        return ConsumerResult(
            consumer=plan.consumer.slug,
            edges=checked.edges,
            rejected=checked.rejected,
            doubts=checked.doubts,
            confirmed=checked.confirmed,
            provider=self.planner.provider,
            model=asked_model,
            cached=plan.question is None and not asked_now,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            written_tokens=usage.written_tokens,
            output_tokens=usage.output_tokens,
            cost=usage.cost,
            error=error,
            notes=notes,
            warnings=plan.warnings,
        )


def _read(answer: Answer) -> tuple[str, Reply | None]:
    """What is wrong with an answer ("" where nothing), and what can be read of it."""
    try:
        reply = read_reply(answer.text)
    except ReplyError as error:
        return (CUT if answer.cut else str(error)), None
    return (CUT if reply.cut or answer.cut else ""), reply


def _notes(reply: Reply) -> tuple[str, ...]:
    if not reply.unreadable:
        return ()
    return (f"{reply.unreadable} entries of the answer are no edges",)
