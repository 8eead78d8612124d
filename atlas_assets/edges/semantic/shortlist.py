"""Which producers a consumer is asked about: all of them while they fit, else the likeliest.

`PROMPT_TOKENS` is the budget of one prompt, a provider at a time; `ATLAS_PROMPT_TOKENS` sets another.
"""

from collections.abc import Mapping, Sequence

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.errors import ConfigError

PROMPT_TOKENS: dict[str, int] = {
    "anthropic": 24_000,
    "openai": 24_000,
    "gemini": 24_000,
    "openrouter": 16_000,
    "own server": 8_000,
}
"""Estimated input tokens of one prompt. A server of one's own is often set to a small context."""

RANKER = "all-1"


def prompt_budget(choice: ProviderChoice, environ: Mapping[str, str]) -> int:
    """Input tokens that one prompt may have. Raises ConfigError for a variable that is no number."""
    wanted = environ.get("ATLAS_PROMPT_TOKENS", "").strip()
    if wanted:
        if not wanted.isdigit() or int(wanted) < 1000:
            raise ConfigError(f"ATLAS_PROMPT_TOKENS={wanted!r} is no number of at least 1000 tokens")
        return int(wanted)
    return PROMPT_TOKENS["own server" if choice.own_server else choice.name]


class Shortlists:
    """The producers shown to each consumer; `version` changes whenever the choice could."""

    version = RANKER

    def __init__(self, tools: Sequence[Tool], budget: int) -> None:
        self.tools = tuple(sorted(tools, key=lambda t: t.slug))
        self.budget = budget

    def shown(self, consumer: Tool) -> tuple[Tool, ...]:
        """The producers that a first question about `consumer` shows, the same for its whole server."""
        return self.tools

    def likely(self, consumer: Tool, producer: Tool) -> bool:
        """Whether the ranker sees in `producer` a candidate for any of `consumer`'s parameters."""
        return True
