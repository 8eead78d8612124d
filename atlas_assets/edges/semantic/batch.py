"""Questions by batch, at half price: submitted, waited for, collected, and resumed after a crash.

A batch is written down before it is submitted (`cache/semantic/batches/`), with its provider's id once
there is one, and forgotten when all its answers are kept. A later run finds it there, collects it, and
asks nothing that is in it a second time. A crash between submitting and writing the id down is healed by
looking for the batch at the provider, by the label that its questions carry.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, Protocol, cast

from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.edges.semantic.client import Answer, CallFailed
from atlas_assets.edges.semantic.money import BATCH_SHARE, Limit, Tokens, price
from atlas_assets.edges.semantic.plan import Planned, Planner
from atlas_assets.edges.semantic.prompt import Question
from atlas_assets.edges.semantic.records import FOLDER, Asked, RecordStore, asked_json, asked_of
from atlas_assets.edges.semantic.reply import ReplyError, read_reply
from atlas_assets.errors import StorageError
from atlas_assets.storage.root import DataRoot

BATCHES = f"{FOLDER}/batches"
MOST_QUESTIONS = 5_000
MOST_BYTES = 80_000_000
"""Bounds of one batch, well inside what the providers take."""

POLL_SECONDS = 30.0

BatchStatus = Literal["running", "ended", "failed", "unknown"]


class BatchClient(Protocol):
    """A provider that takes batches. All methods raise CallFailed."""

    async def submit(self, questions: Sequence[tuple[str, Question]], label: str) -> str:
        """Submit questions by their names, which begin with the label; returns the batch's id."""
        ...

    async def find(self, label: str, questions: int) -> str:
        """The id of a batch submitted under that label, "" where there is none."""
        ...

    async def status(self, batch_id: str) -> BatchStatus: ...

    def results(self, batch_id: str) -> AsyncIterator[tuple[str, Answer | str]]:
        """Name and answer of each question; a text says why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a batch: what it asked, and what the ranker left out beside it."""

    consumer: str
    asked: Asked
    left_out: Asked | None


@dataclass(frozen=True, slots=True)
class Job:
    """One batch that is not collected yet. `items` by the names of their questions."""

    label: str
    provider: str
    model: str
    batch_id: str
    items: dict[str, Item]


@dataclass(slots=True)
class Collected:
    """What came out of batches in this run, a consumer at a time."""

    answered: dict[str, Asked]
    errors: dict[str, str]
    cost: Decimal | None = Decimal(0)


class BatchDesk:
    """Submits and collects one provider's batches."""

    def __init__(
        self,
        client: BatchClient,
        choice: ProviderChoice,
        model: str,
        planner: Planner,
        store: RecordStore,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.client = client
        self.choice = choice
        self.model = model
        self.planner = planner
        self.store = store
        self.sleep = sleep
        self.collected = Collected({}, {})

    async def run(self, plans: Sequence[Planned], limit: Limit | None, polls: int | None) -> str:
        """Collect what was submitted before, submit the rest, wait and collect; returns why it stopped.

        `polls` is how often to look before leaving the rest for the next run, None for without end.
        """
        jobs = [job for job in read_jobs(self.store.root) if job.provider == self.choice.name]
        jobs = [job for job in [await self._found(job) for job in jobs] if job is not None]
        waiting = {(i.consumer, i.asked.id) for job in jobs for i in job.items.values()}
        fresh: list[tuple[Planned, Asked]] = []
        for plan in plans:
            if plan.question is None or plan.kind not in ("full", "more"):
                continue
            asked = self.planner.asked(plan, self.model, "full" if plan.kind == "full" else "more")
            if (plan.consumer.slug, asked.id) not in waiting:
                fresh.append((plan, asked))
        allowed, stopped = self._within(fresh, limit)
        for chunk in _chunks(allowed):
            jobs.append(await self._submit(chunk))
        await self._collect(jobs, polls)
        return stopped

    def _within(
        self, fresh: Sequence[tuple[Planned, Asked]], limit: Limit | None
    ) -> tuple[list[tuple[Planned, Asked]], str]:
        """As many questions as a limit allows in their dearest case, and why the others are not asked."""
        if limit is None:
            return list(fresh), ""
        spent = Decimal(0)
        allowed: list[tuple[Planned, Asked]] = []
        for plan, asked in fresh:
            assert plan.question is not None
            call = Tokens(int(plan.question.tokens * 1.3), 8_000)
            paid = None if limit.tokens else price(self.choice, self.model, call)
            dearest = Decimal(call.input + call.output) if paid is None else paid * BATCH_SHARE
            if spent + dearest > limit.amount:
                unit = "tokens" if paid is None else "USD"
                return allowed, (
                    f"a further question could exceed the limit of {limit.amount} {unit}; "
                    "raise --max-cost or ATLAS_MAX_COST and run again: what was paid for is kept"
                )
            spent += dearest
            allowed.append((plan, asked))
        return allowed, ""

    async def _submit(self, chunk: Sequence[tuple[Planned, Asked]]) -> Job:
        digest = hashlib.sha256("".join(asked.id + p.consumer.slug for p, asked in chunk).encode())
        label = f"atlas-{digest.hexdigest()[:16]}"
        items: dict[str, Item] = {}
        questions: list[tuple[str, Question]] = []
        for number, (plan, asked) in enumerate(chunk):
            assert plan.question is not None
            name = f"{label}-{number}"
            left = self.planner.asked(plan, self.model, "none") if plan.left_out else None
            items[name] = Item(plan.consumer.slug, asked, left)
            questions.append((name, plan.question))
        job = Job(label, self.choice.name, self.model, "", items)
        write_job(self.store.root, job)
        try:
            job = replace(job, batch_id=await self.client.submit(questions, label))
        except CallFailed as error:
            if error.status:
                forget_job(self.store.root, job)  # the provider refused it, so there is nothing to find
            raise
        write_job(self.store.root, job)
        return job

    async def _found(self, job: Job) -> Job | None:
        """The job with its id; None for one that never reached the provider."""
        if job.batch_id:
            return job
        batch_id = await self.client.find(job.label, len(job.items))
        if not batch_id:
            forget_job(self.store.root, job)
            return None
        job = replace(job, batch_id=batch_id)
        write_job(self.store.root, job)
        return job

    async def _collect(self, jobs: Sequence[Job], polls: int | None) -> None:
        open_jobs = list(jobs)
        looked = 0
        while open_jobs:
            still: list[Job] = []
            for job in open_jobs:
                status = await self.client.status(job.batch_id)
                if status == "running":
                    still.append(job)
                else:
                    await self._take(job, status)
            open_jobs = still
            looked += 1
            if open_jobs and polls is not None and looked >= polls:
                for job in open_jobs:
                    for item in job.items.values():
                        self.collected.errors[item.consumer] = (
                            f"its question waits in batch {job.batch_id}; run again to collect the answer"
                        )
                return
            if open_jobs:
                await self.sleep(POLL_SECONDS)

    async def _take(self, job: Job, status: BatchStatus) -> None:
        missing = dict(job.items)
        if status != "unknown":
            async for name, answer in self.client.results(job.batch_id):
                item = missing.pop(name, None)
                if item is not None:
                    self._keep(item, answer)
        for item in missing.values():
            self.collected.errors[item.consumer] = f"batch {job.batch_id} ended without its answer; run again"
        forget_job(self.store.root, job)

    def _keep(self, item: Item, answer: Answer | str) -> None:
        if isinstance(answer, str):
            self.collected.errors[item.consumer] = answer
            return
        tokens = Tokens(
            answer.input_tokens, answer.output_tokens, answer.cached_tokens, answer.written_tokens
        )
        paid = price(self.choice, self.model, tokens)
        total = self.collected.cost
        self.collected.cost = None if total is None or paid is None else total + paid * BATCH_SHARE
        try:
            reply = read_reply(answer.text)
        except ReplyError as error:
            self.collected.errors[item.consumer] = f"{self.choice.name} gave no usable answer: {error}"
            return
        asked = replace(
            item.asked,
            claims=reply.claims,
            checks=reply.checks,
            input_tokens=answer.input_tokens,
            cached_tokens=answer.cached_tokens,
            written_tokens=answer.written_tokens,
            output_tokens=answer.output_tokens,
            notes=("the answer was cut off; its whole edges are used",) if reply.cut or answer.cut else (),
        )
        self.store.add(item.consumer, asked)
        if item.left_out is not None:
            self.store.add(item.consumer, item.left_out)
        self.collected.answered[item.consumer] = asked


def read_jobs(root: DataRoot) -> list[Job]:
    """The batches that are not collected yet, sorted by label; a damaged file is passed over."""
    jobs: list[Job] = []
    for name in root.names(BATCHES, ".json"):
        try:
            job = _job_of(root.read_json(f"{BATCHES}/{name}"))
        except (FileNotFoundError, StorageError):
            continue
        if job is not None:
            jobs.append(job)
    return jobs


def write_job(root: DataRoot, job: Job) -> None:
    """Write a batch down. Raises StorageError."""
    items: JsonObject = {
        name: {
            "consumer": item.consumer,
            "asked": asked_json(item.asked),
            "left_out": asked_json(item.left_out) if item.left_out is not None else None,
        }
        for name, item in job.items.items()
    }
    root.write_json(
        f"{BATCHES}/{job.label}.json",
        {
            "label": job.label,
            "provider": job.provider,
            "model": job.model,
            "batch": job.batch_id,
            "items": items,
        },
    )


def forget_job(root: DataRoot, job: Job) -> None:
    root.delete(f"{BATCHES}/{job.label}.json")


def _job_of(value: object) -> Job | None:
    if not isinstance(value, dict) or not isinstance(value.get("items"), dict):
        return None
    texts = [value.get(key) for key in ("label", "provider", "model", "batch")]
    if not all(isinstance(text, str) for text in texts):
        return None
    items: dict[str, Item] = {}
    for name, entry in value["items"].items():
        if not isinstance(entry, dict) or not isinstance(entry.get("consumer"), str):
            return None
        asked = asked_of(entry.get("asked"))
        if asked is None:
            return None
        items[name] = Item(entry["consumer"], asked, asked_of(entry.get("left_out")))
    label, provider, model, batch_id = cast(list[str], texts)
    return Job(label, provider, model, batch_id, items)


def _chunks(allowed: Sequence[tuple[Planned, Asked]]) -> list[list[tuple[Planned, Asked]]]:
    chunks: list[list[tuple[Planned, Asked]]] = []
    size = 0
    for plan, asked in allowed:
        assert plan.question is not None
        own = len(json.dumps(plan.question.shared + plan.question.own)) + len(plan.question.rules)
        if not chunks or size + own > MOST_BYTES or len(chunks[-1]) >= MOST_QUESTIONS:
            chunks.append([])
            size = 0
        chunks[-1].append((plan, asked))
        size += own
    return chunks


def as_lines(values: Sequence[Json]) -> bytes:
    """JSON values as a file of lines."""
    return "".join(json.dumps(v, ensure_ascii=True, separators=(",", ":")) + "\n" for v in values).encode()
