"""What all providers' clients share: the answer, how a call fails, and the pace of a run.

A failure is one line that never quotes a key; a server's own words are only quoted, shortened, where
they say what to change. `CallFailed.stops_run` is true where asking again can only fail again (a refused
key, no credit, no such model): the run stops instead of failing once a consumer.
"""

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import httpx2

from atlas_assets.edges.semantic.choose import NO_KEY, ProviderChoice
from atlas_assets.edges.semantic.cleaning import clean_text
from atlas_assets.edges.semantic.prompt import Question
from atlas_assets.errors import ProviderError

MAX_OUTPUT_TOKENS = 8_000
MAX_WAIT_SECONDS = 120.0
"""A rate-limit header may hold a run this long at most; the call's own deadline still counts."""


UNREADABLE = (ValueError, AttributeError, TypeError)
"""What the SDKs raise, or leave to be stumbled over, for a body of another shape: they do not validate."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Bounds of a run. `deadline` is seconds for one question with all its retries."""

    in_flight: int = 8
    deadline: float = 300.0
    retries: int = 3
    output_tokens: int = MAX_OUTPUT_TOKENS


@dataclass(frozen=True, slots=True)
class Turn:
    """A refused answer and what was said to it, sent along in the repair round."""

    answer: str
    complaint: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's text and what it was billed for; `cut` where it ran into its length limit."""

    text: str
    model: str
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cut: bool = False


class CallFailed(ProviderError):
    """One question that got no answer. `status` is the HTTP status, 0 where there was none."""

    def __init__(self, message: str, *, status: int = 0, stops_run: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.stops_run = stops_run


class Client(Protocol):
    """A provider that can be asked."""

    pace: "Pace"

    async def resolve_model(self) -> str:
        """The model that will be asked first, looked up where the server is to say."""
        ...

    async def ask(self, question: Question, turns: tuple[Turn, ...] = ()) -> Answer:
        """Ask; raises CallFailed."""
        ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class Pace:
    """Counts requests, and holds new ones back while the provider's headers say the limit is reached.

    `requests` counts what was sent to be answered, the SDK's retries included.
    """

    requests: int = 0
    held_until: float = 0.0
    clock: "Clock" = field(default_factory=lambda: Clock())

    async def wait(self) -> None:
        """Return when a new question may be sent."""
        while (rest := self.held_until - self.clock.now()) > 0:
            await self.clock.sleep(min(rest, MAX_WAIT_SECONDS))

    async def count_request(self, request: httpx2.Request) -> None:
        """An httpx2 request hook; looking up a server's models is free and does not count."""
        self.requests += request.method == "POST"

    async def read_response(self, response: httpx2.Response) -> None:
        """An httpx2 response hook: Retry-After on 429 and 503, and an exhausted request allowance."""
        seconds = hold_seconds(response.status_code, response.headers)
        if seconds > 0:
            self.held_until = max(self.held_until, self.clock.now() + min(seconds, MAX_WAIT_SECONDS))


class Clock:
    """The time of a run; a test brings its own."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def hold_seconds(status: int, headers: Mapping[str, str]) -> float:
    """For how many seconds no new question should be sent, 0 where nothing holds.

    Reads Retry-After (seconds) on 429, 503 and 529, and, where no requests remain, OpenAI's
    `x-ratelimit-reset-requests` (as in `1m2.5s`). Anthropic gives the time of day of its resets and
    Retry-After beside it, so its Retry-After is what counts.
    """
    if status in (429, 503, 529):
        try:
            return max(0.0, float(headers.get("retry-after", "0")))
        except ValueError:
            return 0.0
    if headers.get("x-ratelimit-remaining-requests", "").strip() == "0":
        return _duration(headers.get("x-ratelimit-reset-requests", ""))
    return 0.0


def _duration(text: str) -> float:
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text[:40])
    return sum(float(number) * units[unit] for number, unit in parts)


def explain_status(choice: ProviderChoice, status: int, message: str, model: str) -> CallFailed:
    """The failure that an HTTP status means, as one line with what to do next."""
    who = f"{choice.name} at {choice.host}"
    said = f": {quote(choice, message)}" if message else ""
    if status in (401, 403):
        line = f"{who} refused the key ({status}); check {choice.key_name or 'the key'}"
        return CallFailed(line, status=status, stops_run=True)
    if status == 402:
        return CallFailed(f"{who} wants payment (402); top up the account", status=status, stops_run=True)
    if status == 404:
        line = f"{who} has no model {model!r} (404); set LLM_MODEL to one it has"
        return CallFailed(line, status=status, stops_run=True)
    if status == 429 and "quota" in message.lower():
        line = f"{who} says the account's quota is used up (429){said}"
        return CallFailed(line, status=status, stops_run=True)
    if status == 429:
        return CallFailed(f"{who} limits requests (429); run again later", status=status)
    if status == 413:
        line = f"{who} finds the prompt too long (413); set ATLAS_PROMPT_TOKENS lower"
        return CallFailed(line, status=status)
    if status >= 500:
        return CallFailed(f"{who} had an error of its own ({status}); run again later", status=status)
    return CallFailed(f"{who} did not accept the request ({status}){said}", status=status)


def timed_out(choice: ProviderChoice, seconds: float) -> CallFailed:
    """The failure of a call that did not end before its deadline."""
    return CallFailed(f"{choice.name} at {choice.host} did not answer within {seconds:g} s; run again later")


def unreachable(choice: ProviderChoice) -> CallFailed:
    """The failure of a connection that could not be made or broke."""
    return CallFailed(f"cannot reach {choice.name} at {choice.host}; check the address and the network")


def unreadable(choice: ProviderChoice) -> CallFailed:
    """The failure of an answer that is no answer of the protocol."""
    return CallFailed(f"{choice.name} at {choice.host} sent what its SDK cannot read; run again later")


def quote(choice: ProviderChoice, message: str) -> str:
    """A server's words, short, on one line, and without the key or what looks like one."""
    text = message.replace(choice.key, "***") if choice.key and choice.key != NO_KEY else message
    text = re.sub(r"\b(sk|key|AIza|Bearer)[-_ A-Za-z0-9*.]{8,}", "***", text)
    return clean_text(text, 160)


def http_client_options(pace: Pace) -> dict[str, object]:
    """Options for the SDKs' own HTTP client: hooks for the pace, and no redirects.

    A redirect is refused: it would carry the catalog, and an `x-api-key` header with it, to a host
    that nobody chose.
    """
    return {
        "event_hooks": {"request": [pace.count_request], "response": [pace.read_response]},
        "follow_redirects": False,
    }
