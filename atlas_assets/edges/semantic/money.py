"""What a pass costs: prices, an estimate before anything is spent, and a limit that is not exceeded.

Prices come from `genai-prices`, a snapshot that is installed with the Atlas; what it does not know has no
price here either, and a limit then counts tokens. A free model of OpenRouter costs nothing.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.edges.semantic.client import Answer, CallLimits
from atlas_assets.edges.semantic.plan import Planned, by_group
from atlas_assets.edges.semantic.prompt import Question, count_tokens, fillable
from atlas_assets.errors import ConfigError

BATCH_SHARE = Decimal("0.5")
"""What a batch costs of the price, at Anthropic and at OpenAI."""

CACHED_FROM = 1_024
"""Tokens from which on a shared prefix is cached by a provider."""

ANSWER_TOKENS = 40
TOKENS_PER_PARAMETER = 110
"""Estimated output: the frame of an answer, and about two edges with a reason for each parameter."""

SAFETY = 1.3
"""Factor on estimated input when money is set aside for a call, until answers show the true one."""

_PRICE_NAMES = {"anthropic": "anthropic", "openai": "openai", "gemini": "google", "openrouter": "openrouter"}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one call; `cached` and `written` are parts of `input`."""

    input: int
    output: int
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """A spending limit: US dollars, or tokens where `tokens` is set or no price is known."""

    amount: Decimal
    tokens: bool = False


def price(choice: ProviderChoice, model: str, tokens: Tokens) -> Decimal | None:
    """US dollars for one call; None where the price is unknown (a server of one's own, a new model)."""
    if choice.name == "local" or (choice.name == "openrouter" and model.endswith(":free")):
        return Decimal(0)
    if choice.own_server:
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=tokens.input,
        cache_read_tokens=tokens.cached,
        cache_write_tokens=tokens.written,
        output_tokens=tokens.output,
    )
    try:
        return calc_price(usage, model, provider_id=_PRICE_NAMES[choice.name]).total_price
    except (LookupError, ValueError):
        return None


def read_limit(text: str | None, environ: Mapping[str, str]) -> Limit | None:
    """The limit of a run: `text` (an option), else `ATLAS_MAX_COST`; None where neither is set.

    `2.50` means US dollars, or tokens where the price is unknown; `200000 tokens` means tokens. Raises
    ConfigError for anything else.
    """
    name = "ATLAS_MAX_COST" if text is None else "--max-cost"
    wanted = environ.get(name) if text is None else text
    if wanted is None or not wanted.strip():
        return None
    found = re.fullmatch(r"\$?\s*(\d[\d_]*(?:\.\d+)?)\s*(usd|\$|tokens?)?", wanted.strip().lower())
    if found is None:
        raise ConfigError(f"{name}={wanted!r} is no limit; write dollars as in 2.50, or 200000tokens")
    try:
        amount = Decimal(found.group(1).replace("_", ""))
    except InvalidOperation as error:
        raise ConfigError(f"{name}={wanted!r} is no number") from error
    return Limit(amount, tokens=(found.group(2) or "").startswith("token"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a pass would ask and cost. `full`, `more`, `none` and `kept` count consumers by their plan.

    Tokens are estimates; `cached_tokens` is the part of the input that the provider's prompt cache
    should serve. `cost` is in US dollars, None where the price is unknown.
    """

    provider: str
    model: str
    receiver: str
    full: int = 0
    more: int = 0
    none: int = 0
    kept: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None
    batch: bool = False

    @property
    def calls(self) -> int:
        return self.full + self.more

    @property
    def cached_share(self) -> float:
        """The share of input tokens that the prompt cache should serve, 0 to 1."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else 0.0

    def lines(self) -> list[str]:
        """The estimate for people, a fact a line."""
        cost = "unknown" if self.cost is None else f"{self.cost:.4f} USD"
        asked = f" to {self.provider} {self.model}" if self.calls else ""
        return [
            self.receiver,
            f"{self.calls} calls{asked}: {self.full} in full, {self.more} about new producers only; "
            f"{self.kept + self.none} consumers need none.",
            f"About {self.input_tokens:,} input tokens, {self.cached_share:.0%} of them from the prompt "
            f"cache, and {self.output_tokens:,} output tokens.",
            f"Price: {cost}" + (" (batch, at half price)" if self.batch else "") + ".",
        ]


def estimate(
    choice: ProviderChoice, model: str, plans: Sequence[Planned], *, batch: bool = False
) -> Estimate:
    """What the plans would cost, each call priced on its own."""
    kinds = [plan.kind for plan in plans]
    whole = Tokens(0, 0)
    cost: Decimal | None = Decimal(0)
    for members in by_group(plans).values():
        shared = count_tokens(members[0].question.rules + members[0].group) if members[0].question else 0
        caches = shared >= CACHED_FROM and not choice.own_server and not batch
        for number, plan in enumerate(members):
            assert plan.question is not None
            call = Tokens(
                input=plan.question.tokens,
                output=guess_output(plan),
                cached=shared if caches and number else 0,
                written=shared if caches and not number and choice.name == "anthropic" else 0,
            )
            whole = Tokens(
                whole.input + call.input,
                whole.output + call.output,
                whole.cached + call.cached,
                whole.written + call.written,
            )
            paid = price(choice, model, call)
            cost = None if cost is None or paid is None else cost + paid
    if batch and cost is not None:
        cost *= BATCH_SHARE
    return Estimate(
        provider=choice.name,
        model=model,
        receiver=choice.receiver,
        full=kinds.count("full"),
        more=kinds.count("more"),
        none=kinds.count("none"),
        kept=kinds.count("kept"),
        input_tokens=whole.input,
        cached_tokens=whole.cached,
        written_tokens=whole.written,
        output_tokens=whole.output,
        cost=cost,
        batch=batch,
    )


def guess_output(plan: Planned) -> int:
    """Estimated output tokens of the answer to a plan's question."""
    return ANSWER_TOKENS + TOKENS_PER_PARAMETER * min(len(fillable(plan.consumer)), 8)


class Ledger:
    """Sets money aside before a call and books what it came to, so that a limit is never exceeded.

    For each call the dearest case is set aside: nothing from the prompt cache, an answer of full length.
    A call that does not fit waits for those in flight, which mostly cost far less than was set aside.
    """

    def __init__(self, choice: ProviderChoice, limits: CallLimits, limit: Limit | None) -> None:
        self.choice = choice
        self.limits = limits
        self.limit = limit
        self.spent: Decimal | None = Decimal(0)
        self.tokens = 0
        self._unsure = Decimal(0)
        self._ratio = SAFETY
        self._aside = Decimal(0)
        self._changed = asyncio.Condition()

    async def set_aside(self, model: str, question: Question, turns: int = 0) -> Decimal | None:
        """Set the dearest case of a call aside; None where the limit does not allow it."""
        dearest = self._dearest(model, question, turns)
        if self.limit is None:
            return dearest
        async with self._changed:
            while self._booked() + self._aside + dearest > self.limit.amount:
                if not self._aside:
                    return None
                await self._changed.wait()
            self._aside += dearest
            return dearest

    async def book(
        self, aside: Decimal, answer: Answer | None, question: Question, *, may_be_billed: bool = False
    ) -> Decimal | None:
        """Book an answer, None where the call failed; returns its price, None if unknown.

        A failed call costs nothing, but one that `may_be_billed` (it was given up while the provider
        worked on it) counts against the limit as what was set aside.
        """
        paid: Decimal | None = Decimal(0)
        if answer is not None:
            tokens = Tokens(
                answer.input_tokens, answer.output_tokens, answer.cached_tokens, answer.written_tokens
            )
            paid = price(self.choice, answer.model, tokens)
            self.spent = None if self.spent is None or paid is None else self.spent + paid
            self.tokens += answer.input_tokens + answer.output_tokens
            self._ratio = max(self._ratio, 1.1 * answer.input_tokens / max(question.tokens, 1))
        if self.limit is not None:
            async with self._changed:
                self._aside -= aside
                self._unsure += aside if answer is None and may_be_billed else 0
                self._changed.notify_all()
        return paid

    def refusal(self) -> str:
        """The line that says why the run stops here."""
        assert self.limit is not None
        if self._in_tokens:
            have = f"{self.limit.amount:,} tokens ({self.tokens:,} spent)"
        else:
            have = f"{self.limit.amount} USD ({self.spent or Decimal(0):.4f} spent)"
        return (
            f"the next call could exceed the limit of {have}; "
            "raise --max-cost or ATLAS_MAX_COST and run again: what was paid for is kept"
        )

    @property
    def _in_tokens(self) -> bool:
        assert self.limit is not None
        return self.limit.tokens or price(self.choice, self.choice.model, Tokens(1, 1)) is None

    def _booked(self) -> Decimal:
        return self._unsure + (Decimal(self.tokens) if self._in_tokens else (self.spent or Decimal(0)))

    def _dearest(self, model: str, question: Question, turns: int) -> Decimal:
        tokens = int(question.tokens * self._ratio) + turns * self.limits.output_tokens
        call = Tokens(tokens, self.limits.output_tokens, written=tokens if self._writes else 0)
        if self.limit is not None and self._in_tokens:
            return Decimal(call.input + call.output)
        return price(self.choice, model, call) or Decimal(0)

    @property
    def _writes(self) -> bool:
        return self.choice.name == "anthropic"
