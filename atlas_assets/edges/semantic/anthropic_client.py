"""Anthropic's Messages API through its own SDK: output format by schema, the catalog cached by prefix."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import anthropic
from anthropic.types import MessageParam, OutputConfigParam, TextBlockParam
from anthropic.types.messages.batch_create_params import Request

from atlas_assets.edges.semantic.batch import BatchStatus
from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.edges.semantic.client import (
    UNREADABLE,
    Answer,
    CallFailed,
    CallLimits,
    Pace,
    Turn,
    explain_status,
    http_client_options,
    timed_out,
    unreachable,
    unreadable,
)
from atlas_assets.edges.semantic.prompt import Question
from atlas_assets.edges.semantic.reply import ANSWER_SCHEMA

OUTPUT_CONFIG: OutputConfigParam = {"format": {"type": "json_schema", "schema": dict(ANSWER_SCHEMA)}}


class AnthropicClient:
    """Asks one Anthropic model. Not every model takes an output format: after a 400 it is left out."""

    def __init__(self, choice: ProviderChoice, limits: CallLimits) -> None:
        self.choice = choice
        self.limits = limits
        self.pace = Pace()
        self._formatted = True
        options = cast(dict[str, Any], http_client_options(self.pace))
        self._sdk = anthropic.AsyncAnthropic(
            api_key=choice.key,
            base_url=choice.base_url,
            max_retries=limits.retries,
            timeout=limits.deadline,
            http_client=anthropic.DefaultAsyncHttpxClient(**options),
        )

    async def resolve_model(self) -> str:
        return self.choice.model

    async def ask(self, question: Question, turns: tuple[Turn, ...] = ()) -> Answer:
        try:
            with self._explained():
                async with asyncio.timeout(self.limits.deadline):
                    await self.pace.wait()
                    return await self._send(question, turns)
        except TimeoutError as error:
            raise timed_out(self.choice, self.limits.deadline) from error

    async def _send(self, question: Question, turns: tuple[Turn, ...]) -> Answer:
        if self._formatted:
            try:
                return await self._create(question, turns, formatted=True)
            except anthropic.BadRequestError as error:
                answer = await self._create_plain(question, turns, error)
                self._formatted = False
                return answer
        return await self._create(question, turns, formatted=False)

    async def _create_plain(
        self, question: Question, turns: tuple[Turn, ...], error: anthropic.BadRequestError
    ) -> Answer:
        """Again without the format; where that fails as well, the first failure is the true one."""
        try:
            return await self._create(question, turns, formatted=False)
        except anthropic.BadRequestError:
            raise error from None

    async def _create(self, question: Question, turns: tuple[Turn, ...], *, formatted: bool) -> Answer:
        message = await self._sdk.messages.create(
            model=self.choice.model,
            max_tokens=self.limits.output_tokens,
            system=[system_block(question)],
            messages=messages_of(question, turns),
            # as a body of its own: the SDK walks every argument key by key, a large schema each time
            extra_body={"output_config": OUTPUT_CONFIG} if formatted else None,
        )
        return answer_of(message, self.choice.model)

    async def submit(self, questions: Sequence[tuple[str, Question]], label: str) -> str:
        requests: list[Request] = [
            {
                "custom_id": name,
                "params": {
                    "model": self.choice.model,
                    "max_tokens": self.limits.output_tokens,
                    "system": [system_block(question)],
                    "messages": messages_of(question, ()),
                    "output_config": OUTPUT_CONFIG,
                },
            }
            for name, question in questions
        ]
        with self._explained():
            return (await self._sdk.messages.batches.create(requests=requests)).id

    async def find(self, label: str, questions: int) -> str:
        """Among the latest batches of as many questions, the one whose questions carry the label.

        One that still runs does not show its questions: it is taken for ours, and shows when it ends.
        """
        with self._explained():
            page = await self._sdk.messages.batches.list(limit=20)
            for batch in page.data:
                counts = batch.request_counts
                total = (
                    counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                )
                if total != questions:
                    continue
                if batch.processing_status != "ended":
                    return batch.id
                async for line in await self._sdk.messages.batches.results(batch.id):
                    if line.custom_id.startswith(label):
                        return batch.id
                    break
        return ""

    async def status(self, batch_id: str) -> BatchStatus:
        try:
            with self._explained():
                batch = await self._sdk.messages.batches.retrieve(batch_id)
        except CallFailed as error:
            if error.status == 404:
                return "unknown"
            raise
        return "ended" if batch.processing_status == "ended" else "running"

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, Answer | str]]:
        with self._explained():
            async for line in await self._sdk.messages.batches.results(batch_id):
                if line.result.type == "succeeded":
                    yield line.custom_id, answer_of(line.result.message, self.choice.model)
                else:
                    yield (
                        line.custom_id,
                        f"anthropic's batch says {line.result.type} of its question; run again",
                    )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except anthropic.APITimeoutError as error:
            raise timed_out(self.choice, self.limits.deadline) from error
        except anthropic.APIStatusError as error:
            message = error.api_message or ""
            raise explain_status(self.choice, error.status_code, message, self.choice.model) from error
        except anthropic.APIConnectionError as error:
            raise unreachable(self.choice) from error
        except (anthropic.AnthropicError, *UNREADABLE) as error:
            raise unreadable(self.choice) from error

    async def close(self) -> None:
        await self._sdk.close()


def system_block(question: Question) -> TextBlockParam:
    return {"type": "text", "text": question.rules}


def messages_of(question: Question, turns: tuple[Turn, ...]) -> list[MessageParam]:
    """The catalog ends with the cache breakpoint; what follows differs from consumer to consumer."""
    shared: TextBlockParam = {
        "type": "text",
        "text": question.shared,
        "cache_control": {"type": "ephemeral"},
    }
    messages: list[MessageParam] = [
        {"role": "user", "content": [shared, {"type": "text", "text": question.own}]}
    ]
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.answer or "(nothing)"})
        messages.append({"role": "user", "content": turn.complaint})
    return messages


def answer_of(message: anthropic.types.Message, model: str) -> Answer:
    """Text and usage of a message; tolerant of servers that leave parts of it out.

    `model` is the name that was asked for: the answer's may be a dated one, under which no record
    would be found again.
    """
    text = "".join(block.text for block in message.content or () if block.type == "text")
    usage = message.usage
    read = (usage.cache_read_input_tokens or 0) if usage else 0
    written = (usage.cache_creation_input_tokens or 0) if usage else 0
    return Answer(
        text=text,
        model=model,
        input_tokens=((usage.input_tokens or 0) if usage else 0) + read + written,
        cached_tokens=read,
        written_tokens=written,
        output_tokens=(usage.output_tokens or 0) if usage else 0,
        cut=message.stop_reason in ("max_tokens", "model_context_window_exceeded"),
    )
