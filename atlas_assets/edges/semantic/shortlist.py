"""Which producers a consumer is asked about: all of them while they fit, else the likeliest.

`PROMPT_TOKENS` is the budget of one prompt, a provider at a time; `ATLAS_PROMPT_TOKENS` sets another.
Beyond it all consumers of a server (of a part of it, where the server alone is too large) share one
shortlist, so that the prompt's prefix stays shared: what their slots want from their own server's tools,
with room left for other servers'.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.semantic.choose import ProviderChoice
from atlas_assets.edges.semantic.prompt import count_tokens, producer_line
from atlas_assets.edges.semantic.ranker import Ranker, most_wanted, ranker_version
from atlas_assets.errors import ConfigError

PROMPT_TOKENS: dict[str, int] = {
    "anthropic": 24_000,
    "openai": 24_000,
    "gemini": 24_000,
    "openrouter": 16_000,
    "own server": 8_000,
}
"""Estimated input tokens of one prompt. A server of one's own is often set to a small context."""

BESIDE_CATALOG = 2_500
"""Tokens of a prompt that rules and consumer may take; the catalog has the rest."""

CANDIDATES = 120
ROOM_FOR_OTHERS = 24
"""Producers of a shortlist, and how many of those places other servers' tools keep."""

SECTION = 32
"""Consumers that share a shortlist on a server with more tools than its places: a server of 570 tools
has too many producers for one list, and thirty consumers still pay for a prefix."""


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

    def __init__(
        self,
        tools: Sequence[Tool],
        budget: int,
        direct: Sequence[Edge] = (),
        candidates: int = CANDIDATES,
    ) -> None:
        self.tools = tuple(sorted(tools, key=lambda t: t.slug))
        self.candidates = candidates
        self.room = max(budget - BESIDE_CATALOG, 500)
        self.ranker = Ranker(self.tools, direct)
        self._lines = {t.slug: producer_line(t, self.ranker.offers(t.slug)) for t in self.tools}
        self._cost = {slug: count_tokens(line) + 1 for slug, line in self._lines.items()}
        self._whole = sum(self._cost.values()) <= self.room
        self._by_slug = {tool.slug: tool for tool in self.tools}
        self._by_server: dict[str, list[Tool]] = defaultdict(list)
        for tool in self.tools:
            self._by_server[tool.server].append(tool)
        self._lists: dict[tuple[str, int], tuple[Tool, ...]] = {}
        self._sections: dict[str, dict[str, int]] = {}

    @property
    def version(self) -> str:
        return ranker_version()

    def line(self, tool: Tool) -> str:
        """The tool's line of the catalog."""
        return self._lines[tool.slug]

    @property
    def whole(self) -> bool:
        """Whether the whole catalog fits into one prompt."""
        return self._whole

    def shown(self, consumer: Tool) -> tuple[Tool, ...]:
        """The producers that a first question about `consumer` shows, sorted by slug."""
        if self.whole:
            return self.tools
        key = self._section(consumer)
        if key not in self._lists:
            self._lists[key] = self._shortlist(*key)
        return self._lists[key]

    def likely(self, consumer: Tool, producer: Tool) -> bool:
        """Whether the ranker sees in `producer` a candidate for any of `consumer`'s slots."""
        return producer.slug in self.ranker.candidates(consumer.slug)

    @property
    def _most_own(self) -> int:
        return max(self.candidates - ROOM_FOR_OTHERS, self.candidates // 2)

    def _section(self, consumer: Tool) -> tuple[str, int]:
        """The server, and which part of it where it has more tools than a shortlist has places."""
        server = consumer.server
        own = self._by_server[server]
        if len(own) <= self._most_own:
            return server, 0
        if server not in self._sections:
            slugs = [t.slug for t in own if t.top_parameters]
            count = max(1, round(len(slugs) / SECTION))
            self._sections[server] = {slug: i * count // len(slugs) for i, slug in enumerate(slugs)}
        return server, self._sections[server].get(consumer.slug, 0)

    def _shortlist(self, server: str, section: int) -> tuple[Tool, ...]:
        own = self._by_server[server]
        asking = [t.slug for t in own if self._section(t) == (server, section)]
        if len(own) <= self._most_own:
            chosen = [t.slug for t in own]
        else:
            rankings = [r for slug in asking for r in self.ranker.slot_rankings(slug, foreign=False)]
            chosen = most_wanted(rankings, self._most_own)
            if len(chosen) < self._most_own:
                rest = sorted((t.slug for t in own), key=lambda s: (-self.ranker.general_worth(s), s))
                chosen += [s for s in rest if s not in set(chosen)][: self._most_own - len(chosen)]
        abroad = [r for slug in asking for r in self.ranker.slot_rankings(slug, foreign=True)]
        others = most_wanted(abroad, self.candidates - len(chosen))
        return tuple(self._by_slug[s] for s in sorted(self._fit(chosen, others)))

    def _fit(self, own: Sequence[str], others: Sequence[str]) -> list[str]:
        """As many of both as the budget holds, in their order; the others keep their share of it."""
        for_others = self.room * ROOM_FOR_OTHERS // self.candidates
        spent = 0
        kept: list[str] = []
        for slug in own:
            if spent + self._cost[slug] <= self.room - for_others:
                kept.append(slug)
                spent += self._cost[slug]
        for slug in others:
            if spent + self._cost[slug] <= self.room:
                kept.append(slug)
                spent += self._cost[slug]
        return kept
