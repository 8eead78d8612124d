"""What a tool offers: the resources that its name, its description and its output fields speak of."""

import re
from typing import Literal

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.outputs import Offer, output_offers
from atlas_assets.edges.phrases import Noun, given_nouns, nouns, returned_ids
from atlas_assets.edges.vocabulary import HARD_SHELLS, ID_SUFFIXES, READERS, SHELLS, STATES, VERBS, VerbClass

_BRACKETS = re.compile(
    r"^(?:(?!\b(?:for|in|of|on|from|by|to|with|at|as)\b)[^().]){3,60}\(([a-z][^()]{2,80})\)"
)


def read_offers(
    tool: Tool,
    kind: VerbClass,
    noun: Noun,
    mutates: bool,
    said_verb: str,
    said_rest: str,
    opening: list[str],
    kept: Noun = (),
) -> list[Offer]:
    found: dict[tuple[Noun, str], Offer] = {}

    def offer(
        what: Noun, weight: float, source: Literal["name", "description", "returns"], hard: bool
    ) -> None:
        for shape, factor in _shapes(what, hard):
            new = Offer(shape, weight * factor, source)
            old = found.get((shape, ""))
            if shape and (old is None or old.weight < new.weight):
                found[shape, ""] = new

    offer(noun, 1.0, "name", True)
    if kept:
        offer(kept, 0.9, "name", False)
    said_kind = VERBS.get(said_verb)
    if said_kind in READERS or (said_kind in ("make", "start", "login") and kind != "change"):
        for place, what in enumerate(nouns(said_rest, 4 if said_kind in READERS else 1)):
            offer(what, (0.9, 0.85, 0.8, 0.75)[place], "description", place == 0)
    elif not said_verb and opening and kind in READERS:
        for what in nouns(opening[0], 1):
            offer(what, 0.7, "description", True)
    if not mutates:
        brackets = _BRACKETS.search(opening[0]) if opening else None
        for what in nouns(brackets.group(1)) if brackets else ():
            offer(what, 0.6, "returns", True)
        for place, sentence in enumerate(opening[:8]):
            for what in given_nouns(sentence):
                offer(what, 0.6 if place else 0.55, "returns", True)
    said_ids = [
        Offer(
            what,
            0.95 if kind not in READERS else 0.6,
            "returns",
            None,
            suffix,
            bool(noun) and what[-1] == noun[-1],
        )
        for what, suffix in returned_ids(tool.description)
    ]
    return [*found.values(), *said_ids, *output_offers(tool, noun, mutates)]


def _shapes(noun: Noun, hard: bool) -> list[tuple[Noun, float]]:
    """The noun, and the nouns inside its shells: (page, tree) also offers (page)."""
    shapes = [(noun, 1.0)]
    inner = noun
    while len(inner) > 1 and (inner[-1] in SHELLS or inner[-1] in ID_SUFFIXES):
        plain = inner[-1] in HARD_SHELLS or inner[-1] in ID_SUFFIXES
        if not plain and len(shapes) > 1:
            break  # inside a shell a soft one is a noun: a page tree lists pages, not their space
        inner = inner[:-1]
        shapes.append((inner, shapes[-1][1] * (1.0 if hard and plain else 0.75)))
    if len(noun) > 1 and noun[-1] in STATES and noun[-1] not in SHELLS:
        shapes = [(noun, 1.0)]
    return shapes
