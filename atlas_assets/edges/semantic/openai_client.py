"""The OpenAI chat protocol through the `openai` SDK: OpenAI, Gemini, OpenRouter, servers of one's own.

Each is asked for JSON by the strongest means it takes: a strict schema, else JSON mode, else plain text.
What a model refuses (400, 422) is remembered for the run. OpenRouter falls back through its list of
models on 404, 429, 5xx and empty answers, and leaves those that failed so aside for the rest of the run.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

from atlas_assets.catalog.tool import Json
from atlas_assets.edges.semantic.batch import BatchStatus, as_lines
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

JSON_SCHEMA: dict[str, object] = {
    "type": "json_schema",
    "json_schema": {"name": "edges", "strict": True, "schema": ANSWER_SCHEMA},
}
FORMATS: tuple[dict[str, object] | None, ...] = (JSON_SCHEMA, {"type": "json_object"}, None)
"""Response formats from the strongest to none."""

DOWN_STATUSES = frozenset({400, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529})
"""Statuses that say something of one model, not of the key: the next model may still answer."""


class OpenAIClient:
    """Asks the models of a choice, the first that answers."""

    def __init__(self, choice: ProviderChoice, limits: CallLimits) -> None:
        self.choice = choice
        self.limits = limits
        self.pace = Pace()
        self.models: tuple[str, ...] = choice.models
        self.down: set[str] = set()
        """Models that failed in this run and are not asked again in it."""
        self._format: dict[str, int] = {}
        options = cast(dict[str, Any], http_client_options(self.pace))
        # with others to fall back on, waiting for one that limits requests is time lost
        retries = 0 if len(choice.models) > 1 else limits.retries
        self._sdk = openai.AsyncOpenAI(
            api_key=choice.key,
            base_url=choice.base_url,
            max_retries=retries,
            timeout=limits.deadline,
            default_headers=cast(dict[str, str], _foreign_headers(choice)),
            http_client=openai.DefaultAsyncHttpxClient(**options),
        )

    async def resolve_model(self) -> str:
        """Raises CallFailed where a server of one's own lists no model."""
        if not self.models:
            try:
                async with asyncio.timeout(min(self.limits.deadline, 30.0)):
                    page = await self._sdk.models.list()
            except (openai.OpenAIError, TimeoutError) as error:
                failed = self._explain(error, "")
                line = f"{failed}; or set LLM_MODEL" if failed.status in (0, 404) else str(failed)
                raise CallFailed(line, status=failed.status, stops_run=True) from error
            listed = tuple(m.id for m in page.data or () if isinstance(m.id, str) and m.id)
            if not listed:
                raise CallFailed(f"{self.choice.host} lists no model; set LLM_MODEL", stops_run=True)
            self.models = listed[:1]
        return self.models[0]

    async def ask(self, question: Question, turns: tuple[Turn, ...] = ()) -> Answer:
        await self.resolve_model()
        failed: CallFailed | None = None
        for model in self.models:
            if model in self.down:
                continue
            try:
                answer = await self._ask_model(model, question, turns)
            except CallFailed as error:
                failed = error
                if len(self.models) == 1 or error.status not in DOWN_STATUSES | {0}:
                    raise
                self.down.add(model)
                continue
            if answer.text.strip() or len(self.models) == 1:
                return answer
            self.down.add(model)
        raise CallFailed(
            f"none of {self.choice.name}'s {len(self.models)} models answered"
            + (f" (last: {failed})" if failed else " (empty answers)"),
            status=failed.status if failed else 0,
            stops_run=True,
        )

    async def _ask_model(self, model: str, question: Question, turns: tuple[Turn, ...]) -> Answer:
        try:
            async with asyncio.timeout(self.limits.deadline):
                if len(self.models) == 1:
                    await self.pace.wait()
                return await self._send(model, question, turns)
        except (openai.OpenAIError, TimeoutError, *UNREADABLE) as error:
            raise self._explain(error, model) from error

    async def _send(self, model: str, question: Question, turns: tuple[Turn, ...]) -> Answer:
        first: openai.APIStatusError | None = None
        for level in range(self._format.get(model, 0), len(FORMATS)):
            try:
                answer = await self._create(model, question, turns, FORMATS[level])
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                # where no format helps, the first refusal is the true one
                first = first or error
                continue
            self._format[model] = max(level, self._format.get(model, 0))
            return answer
        assert first is not None
        raise first

    async def _create(
        self,
        model: str,
        question: Question,
        turns: tuple[Turn, ...],
        response_format: dict[str, object] | None,
    ) -> Answer:
        completion = await self._sdk.chat.completions.create(
            model=model,
            messages=messages_of(question, turns),
            # as a body of its own: the SDK walks every argument key by key, a large schema each time
            extra_body={"response_format": response_format} if response_format else None,
            **cast(Any, length_limit(self.choice, self.limits)),
        )
        return answer_of(completion, model)

    async def submit(self, questions: Sequence[tuple[str, Question]], label: str) -> str:
        lines: list[Json] = [
            {
                "custom_id": name,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {
                    "model": self.models[0],
                    "messages": cast(Json, messages_of(question, ())),
                    "response_format": cast(Json, JSON_SCHEMA),
                    **length_limit(self.choice, self.limits),
                },
            }
            for name, question in questions
        ]
        with self._explained():
            file = await self._sdk.files.create(file=(f"{label}.jsonl", as_lines(lines)), purpose="batch")
            batch = await self._sdk.batches.create(
                completion_window="24h",
                endpoint="/v1/chat/completions",
                input_file_id=file.id,
                metadata={"label": label},
            )
            return batch.id

    async def find(self, label: str, questions: int) -> str:
        with self._explained():
            page = await self._sdk.batches.list(limit=50)
            return next((b.id for b in page.data if (b.metadata or {}).get("label") == label), "")

    async def status(self, batch_id: str) -> BatchStatus:
        try:
            with self._explained():
                batch = await self._sdk.batches.retrieve(batch_id)
        except CallFailed as error:
            if error.status == 404:
                return "unknown"
            raise
        if batch.status in ("completed", "expired", "cancelled"):
            return "ended"
        return "failed" if batch.status == "failed" else "running"

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, Answer | str]]:
        with self._explained():
            batch = await self._sdk.batches.retrieve(batch_id)
            for file_id in (batch.output_file_id, batch.error_file_id):
                if file_id:
                    content = await self._sdk.files.content(file_id)
                    for line in content.text.splitlines():
                        yield self._result_line(line)

    def _result_line(self, line: str) -> tuple[str, Answer | str]:
        value = json.loads(line)
        response = value.get("response") or {}
        name = str(value.get("custom_id"))
        if response.get("status_code") == 200:
            completion = ChatCompletion.model_validate(response["body"])
            return name, answer_of(completion, self.models[0])
        return (
            name,
            f"openai's batch failed on its question ({response.get('status_code', 'not run')}); run again",
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (openai.OpenAIError, *UNREADABLE) as error:
            raise self._explain(error, self.choice.model) from error

    def _explain(self, error: BaseException, model: str) -> CallFailed:
        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return timed_out(self.choice, self.limits.deadline)
        if isinstance(error, openai.APIStatusError):
            body = error.body if isinstance(error.body, dict) else {}
            message = f"{body.get('code') or ''} {body.get('message') or ''}".strip()
            return explain_status(self.choice, error.status_code, message, model)
        if isinstance(error, openai.APIConnectionError):
            return unreachable(self.choice)
        return unreadable(self.choice)

    async def close(self) -> None:
        await self._sdk.close()


def length_limit(choice: ProviderChoice, limits: CallLimits) -> dict[str, int]:
    """OpenAI's own models know only the new name of the limit, most other servers only the old."""
    own_name = choice.name == "openai" and not choice.own_server
    return {"max_completion_tokens" if own_name else "max_tokens": limits.output_tokens}


def messages_of(question: Question, turns: tuple[Turn, ...]) -> list[ChatCompletionMessageParam]:
    """Rules, then catalog and consumer as one text: prefixes are cached by the providers themselves."""
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": question.rules},
        {"role": "user", "content": f"{question.shared}\n{question.own}"},
    ]
    for turn in turns:
        messages.append({"role": "assistant", "content": turn.answer or "(nothing)"})
        messages.append({"role": "user", "content": turn.complaint})
    return messages


def answer_of(completion: ChatCompletion, model: str) -> Answer:
    """Text and usage of a completion; compatible servers leave much of it out."""
    choices = completion.choices or []
    message = choices[0].message if choices else None
    usage = completion.usage
    details = usage.prompt_tokens_details if usage else None
    return Answer(
        text=(message.content or "") if message else "",
        model=model,
        input_tokens=(usage.prompt_tokens or 0) if usage else 0,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
        output_tokens=(usage.completion_tokens or 0) if usage else 0,
        cut=bool(choices) and choices[0].finish_reason == "length",
    )


def _foreign_headers(choice: ProviderChoice) -> dict[str, object]:
    """Headers to leave out where the SDK would send OpenAI's own settings to somebody else.

    It adds `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and `OPENAI_CUSTOM_HEADERS` of the process to every
    request, whoever receives it.
    """
    if choice.name == "openai":
        return {}
    names = {"OpenAI-Organization", "OpenAI-Project"}
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n"):
        name = line.partition(":")[0].strip()
        if name and name.lower() not in ("authorization", "content-type", "accept"):
            names.add(name)
    # an Authorization among those headers would replace the key
    own: dict[str, object] = {"Authorization": f"Bearer {choice.key}"}
    return own | {name: openai.Omit() for name in sorted(names)}
