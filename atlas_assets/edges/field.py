"""The field of play for values that have no identifier: all tools by role, and a guess about one."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from atlas_assets.edges.landscape import Landscape, Placed, ServerView
from atlas_assets.edges.mentions import by_tool
from atlas_assets.edges.roles import Role, Roles, roles_of
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.words import split_words

MAX_FOREIGN = 4
"""Producers on other servers that one slot may get."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One tool that may supply a value: `score` as calibrated in `calibration`, and why."""

    placed: Placed
    score: float
    why: str
    quote: str | None = None


class Field:
    """All tools by role: on their own servers, and across servers for what crosses them."""

    def __init__(self, landscape: Landscape) -> None:
        self._roles: dict[str, Roles] = {}
        self._by_server: dict[tuple[str, Role], list[Placed]] = defaultdict(list)
        self._everywhere: dict[Role, list[Placed]] = defaultdict(list)
        for placed in landscape.placed():
            roles = roles_of(placed)
            self._roles[placed.tool.slug] = roles
            for role in roles.roles:
                self._by_server[placed.tool.server, role].append(placed)
        for (_, role), tools in sorted(self._by_server.items()):
            # the simplest of each server, so that a large catalog does not become a list of all pairs
            self._everywhere[role].extend(
                sorted(tools, key=lambda p: (p.required, p.tool.slug))[:MAX_FOREIGN]
            )
        for tools in self._everywhere.values():
            tools.sort(key=lambda p: (p.required, p.tool.slug))

    def roles(self, placed: Placed) -> Roles:
        return self._roles[placed.tool.slug]

    def here(self, server: ServerView, role: Role) -> list[Placed]:
        return self._by_server.get((server.name, role), [])

    def elsewhere(self, server: ServerView, role: Role) -> list[Placed]:
        """Tools of that role on other servers, the simplest first, at most MAX_FOREIGN."""
        found: list[Placed] = []
        for placed in self._everywhere.get(role, ()):
            if placed.tool.server != server.name:
                found.append(placed)
                if len(found) == MAX_FOREIGN:
                    break
        return found


Rule = Callable[[SlotSignature, Placed, ServerView, Field], Iterable[Guess]]


def speaks_of(sentence: str, param: str) -> bool:
    """Whether a sentence names a parameter: a name of several words, or one in quotes."""
    if len(split_words(param)) > 1:
        return param in sentence
    return any(f"{quote}{param}{quote}" in sentence for quote in "`'\"")


def named(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Guess]:
    """Tools that the author names for the slot."""
    mentioned = by_tool(
        [
            *server.names.mentions(slot.text, itself=consumer.tool.name),
            *server.told(slot.text),
            *(m for m in consumer.mentions if speaks_of(m.sentence, slot.param)),
        ]
    )
    return [
        Guess(placed, 0.85, f"The author names {name!r} for {slot.param!r}.", mentioned[name].sentence)
        for name in sorted(mentioned)
        if (placed := server.by_name.get(name)) is not None and placed is not consumer
    ]
