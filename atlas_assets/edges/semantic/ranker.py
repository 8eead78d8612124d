"""The deterministic ranker: which tools might fill a consumer's slots, from likeliest to least.

It is generous where the layers that make edges are strict: a shortlist that lacks a true producer loses
the edge for good, one producer too many costs a hundred tokens. On a consumer's own server it weighs the
resources that tools offer against those the slots name, and the words they share; on other servers what
crosses them (files, text, addresses, dates, places) and rare words in common.
"""

import hashlib
import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.evidence import closeness
from atlas_assets.edges.landscape import Placed, ServerView, survey
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.roles import Role, roles_of
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.synonyms import synonyms
from atlas_assets.edges.words import singulars, split_words

FOUND = 12.0
OFFERS = 4.0
READS = 1.5
MAKES = 0.5
CHANGES = -2.0
WORDS = 1.0
ROLE = 3.0
"""Weights: an edge found by rule, an offered resource, what the verb does, words in common, a role."""

CROSSING: Mapping[str, tuple[Role, ...]] = {
    "path": ("local_files", "files"),
    "content": ("text", "web_text", "files"),
    "object": ("text", "web_text"),
    "url": ("web_finder", "web_text"),
    "text": ("text", "web_text", "now"),
    "date": ("now",),
    "location": ("place",),
    "query": ("schema",),
    "search": ("now", "place"),
    "session": ("session",),
}
"""Roles that fill a slot of that kind, on its own server and across servers."""

_TIME_WORDS = frozenset({"date", "time", "datetime", "timestamp", "day", "month", "year", "today", "now"})

PER_SLOT = 16
PER_SLOT_ABROAD = 40
"""Candidates one slot may bring in from its own server, and from others, where many do the same."""

SURE = 8.0
FURTHER = 0.5
"""A score above SURE counts as SURE; a slot's further candidate counts FURTHER of the one before it."""

ENOUGH_ABROAD = 1.2
ENOUGH_FOR_IDENTIFIERS = 2.6
"""Words in common that make a tool of another server a candidate by themselves. Identifiers rarely mean
the same on two servers, so theirs must say nearly the same thing."""

_AT_HOME_ONLY = frozenset({"position", "session", "number", "enum"})

COMMON_SHARE = 0.2
"""A word that this share of all tools has says nothing across servers."""

_STOP = frozenset(
    {
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "for",
        "from",
        "get",
        "has",
        "if",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "with",
        "which",
        "list",
        "set",
        "use",
        "used",
        "using",
        "returns",
        "return",
        "will",
        "when",
        "where",
        "you",
        "your",
        "not",
        "all",
        "any",
        "one",
        "more",
        "than",
        "optional",
        "required",
        "string",
        "number",
        "boolean",
        "true",
        "false",
        "default",
        "value",
        "parameter",
        "name",
        "id",
        "ids",
        "type",
    }
)


@cache
def ranker_version() -> str:
    """A hash of the rules the ranking rests on: records of what it left out hold while it stays."""
    digest = hashlib.sha256()
    for package in ("atlas_assets.edges", "atlas_assets.edges.semantic"):
        folder = files(package)
        for entry in sorted(folder.iterdir(), key=lambda e: e.name):
            wanted = package == "atlas_assets.edges" or entry.name in ("ranker.py", "shortlist.py")
            if wanted and entry.name.endswith(".py"):
                digest.update(entry.read_bytes())
    return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of one slot, best first, with scores above 0; `weight` is the slot's own."""

    weight: float
    candidates: tuple[tuple[str, float], ...]


class Ranker:
    """Ranks the tools of one catalog. Built once a pass: it reads every tool's words."""

    def __init__(self, tools: Sequence[Tool], direct: Sequence[Edge] = ()) -> None:
        landscape = survey(tools)
        self._views = landscape.servers
        self._placed: dict[str, Placed] = {p.tool.slug: p for p in landscape.placed()}
        # a slug is put together anew whenever it is asked for, which adds up over all pairs
        self._slugs: dict[int, str] = {id(p): slug for slug, p in self._placed.items()}
        self._worth: dict[str, float] = {slug: _verb_worth(p) for slug, p in self._placed.items()}
        self._words: dict[str, Counter[str]] = {s: tool_words(p) for s, p in self._placed.items()}
        frequency = Counter(word for words in self._words.values() for word in words)
        total = max(len(self._words), 1)
        self._idf = {word: math.log(1 + total / count) for word, count in frequency.items()}
        self._common = {w for w, count in frequency.items() if count > max(COMMON_SHARE * total, 3)}
        self._roles: dict[Role, list[str]] = defaultdict(list)
        self._abroad_words: dict[str, list[str]] = defaultdict(list)
        self._home_words: dict[tuple[str, str], list[str]] = defaultdict(list)
        for slug, placed in self._placed.items():
            for role in sorted(roles_of(placed).roles):
                self._roles[role].append(slug)
            for word in self._words[slug]:
                self._home_words[placed.tool.server, word].append(slug)
                if word not in self._common and _supplies(placed):
                    self._abroad_words[word].append(slug)
        self._found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for edge in direct:
            self._found[edge.consumer, edge.consumes].add(edge.producer)
        self._memory: dict[str, dict[str, float]] = {}

    def slot_rankings(self, consumer: str, *, foreign: bool) -> list[Ranking]:
        """The ranking of each slot of `consumer`: tools of other servers, or of its own."""
        placed = self._placed.get(consumer)
        if placed is None:
            return []
        view = self._views[placed.tool.server]
        rankings: list[Ranking] = []
        most = PER_SLOT_ABROAD if foreign else PER_SLOT
        for slot in placed.slots if foreign else [*placed.slots, *_other_slots(placed)]:
            scores = self._abroad(slot, placed) if foreign else self._at_home(slot, placed, view)
            if not scores:
                continue
            ordered = sorted((-round(score, 6), slug) for slug, score in scores.items() if score > 0)
            candidates = tuple((slug, -score) for score, slug in ordered[:most])
            rankings.append(Ranking(_slot_weight(slot), candidates))
        return rankings

    def candidates(self, consumer: str) -> dict[str, float]:
        """Every candidate of any slot of `consumer`, with its best score."""
        if consumer not in self._memory:
            best: dict[str, float] = {}
            for foreign in (False, True):
                for ranking in self.slot_rankings(consumer, foreign=foreign):
                    for slug, score in ranking.candidates:
                        best[slug] = max(best.get(slug, 0.0), score)
            self._memory[consumer] = best
        return self._memory[consumer]

    def offers(self, slug: str) -> tuple[str, ...]:
        """The resources that a tool's name and description say it gives, the surest first, at most three."""
        placed = self._placed.get(slug)
        if placed is None or placed.signature.mutates:
            return ()
        said = [
            offer for offer in placed.signature.offers if offer.source != "output" and offer.weight >= 0.6
        ]
        ordered = sorted(said, key=lambda offer: (-offer.weight, offer.noun))
        return tuple(dict.fromkeys(" ".join(offer.noun) for offer in ordered))[:3]

    def general_worth(self, slug: str) -> float:
        """How much a tool is worth to any consumer of its server: readers first, changers last."""
        placed = self._placed.get(slug)
        return _verb_worth(placed) - 0.1 * placed.required if placed is not None else 0.0

    def _at_home(self, slot: SlotSignature, consumer: Placed, view: ServerView) -> dict[str, float]:
        scores: dict[str, float] = defaultdict(float)
        offered: dict[str, float] = defaultdict(float)
        itself = consumer.tool.slug
        for place, noun in enumerate(_wanted_nouns(slot)):
            for variant in (noun, *synonyms(noun)):
                for other, offer in view.offers.get(variant[-1], ()):
                    strength = closeness(offer.noun, variant) * offer.weight * (0.9**place)
                    if strength:
                        slug = self._slugs[id(other)]
                        offered[slug] = max(offered[slug], OFFERS * strength)
        for slug, score in offered.items():
            scores[slug] += score
        for role in _roles_for(slot):
            for slug in self._roles.get(role, ()):
                if self._placed[slug].tool.server == view.name:
                    scores[slug] += ROLE
        wanted = slot_words(slot, consumer)
        for slug, overlap in self._overlaps(
            wanted, {w: self._home_words.get((view.name, w), ()) for w in wanted}
        ):
            scores[slug] += WORDS * overlap
        for mention in view.names.mentions(slot.text, itself=consumer.tool.name):
            scores[f"{view.name}::{mention.tool}"] += FOUND
        for mention in consumer.mentions:
            scores[f"{view.name}::{mention.tool}"] += FOUND / 3
        for slug in list(scores):
            if slug not in self._placed or slug == itself:
                del scores[slug]
            else:
                scores[slug] += self._worth[slug]
        for slug in self._found.get((consumer.tool.slug, slot.param), ()):
            if slug != consumer.tool.slug and slug in self._placed:
                scores[slug] += FOUND
        return scores

    def _abroad(self, slot: SlotSignature, consumer: Placed) -> dict[str, float]:
        scores: dict[str, float] = {}
        server = consumer.tool.server
        for place, role in enumerate(r for r in _roles_for(slot) if r != "session"):
            for slug in self._roles.get(role, ()):
                placed = self._placed[slug]
                if placed.tool.server != server:
                    worth = ROLE - place * 0.5 - 0.2 * placed.required
                    scores[slug] = max(scores.get(slug, 0.0), worth)
        # what a person decides has no producer elsewhere whose words would tell
        if slot.slot_class == "produced" and slot.kind not in _AT_HOME_ONLY:
            enough = ENOUGH_FOR_IDENTIFIERS if slot.kind == "identifier" else ENOUGH_ABROAD
            wanted = slot_words(slot, consumer)
            for slug, overlap in self._overlaps(wanted, {w: self._abroad_words.get(w, ()) for w in wanted}):
                if self._placed[slug].tool.server != server and (overlap >= enough or slug in scores):
                    scores[slug] = scores.get(slug, 0.0) + WORDS * overlap
        for slug in self._found.get((consumer.tool.slug, slot.param), ()):
            other = self._placed.get(slug)
            if other is not None and other.tool.server != server:
                scores[slug] = scores.get(slug, 0.0) + FOUND
        return scores

    def _overlaps(
        self, wanted: Mapping[str, float], where: Mapping[str, Sequence[str]]
    ) -> Iterable[tuple[str, float]]:
        """Tools that share words with what is wanted: rare ones count more; 4 is all of them."""
        whole = sum(weight * self._idf.get(word, 1.0) for word, weight in wanted.items())
        shared: dict[str, float] = defaultdict(float)
        for word, weight in wanted.items():
            for slug in where[word]:
                shared[slug] += weight * self._idf[word] * min(self._words[slug][word], 2) / 2
        return [(slug, 4.0 * sum_ / whole) for slug, sum_ in shared.items()] if whole else []


def tool_words(placed: Placed) -> Counter[str]:
    """The words that say what a tool gives: its name and offers twice, its description once."""
    words: Counter[str] = Counter()
    for word in singulars(split_words(placed.tool.name)):
        words[word] += 2
    for offer in placed.signature.offers[:24]:
        for word in offer.noun:
            words[word] += 1
    for word in set(singulars(_text_words(placed.tool.description[:400]))):
        words[word] += 1
    return Counter({word: count for word, count in words.items() if word not in _STOP and len(word) > 1})


def slot_words(slot: SlotSignature, consumer: Placed) -> dict[str, float]:
    """The words that say what a slot wants, with their weights."""
    words: dict[str, float] = {}
    name = slot.param if slot.path is None else slot.path.rsplit(".", 1)[-1]
    for source, weight in (
        (singulars(_text_words(slot.text[:240])), 0.5),
        (consumer.signature.noun, 0.5),
        (tuple(word for noun in slot.nouns[:3] for word in noun), 1.5),
        (singulars(split_words(name.replace("[]", ""))), 2.0),
    ):
        for word in source:
            if word not in _STOP and len(word) > 1:
                words[word] = max(words.get(word, 0.0), weight)
    return words


def _text_words(text: str) -> tuple[str, ...]:
    return tuple(word for chunk in text.split() for word in split_words(chunk.strip(".,;:()[]{}'\"`!?")))


def _verb_worth(placed: Placed) -> float:
    signature = placed.signature
    if signature.reads:
        return READS + (0.5 if signature.verb_class in ("many", "find") else 0.0)
    return CHANGES if signature.verb_class == "change" else MAKES


def _other_slots(placed: Placed) -> list[SlotSignature]:
    """The parameters that the rules make no slot of, as slots of which only the words are known."""
    known = {slot.param for slot in placed.slots}
    return [
        SlotSignature(p.name, None, p.required, "text", "none", (), "", "", p.description)
        for p in placed.tool.top_parameters[:40]
        if p.name not in known
    ]


def _roles_for(slot: SlotSignature) -> tuple[Role, ...]:
    """Roles whose tools may fill a slot, whatever the resource is called."""
    name = set(split_words(slot.param if slot.path is None else slot.path.rsplit(".", 1)[-1]))
    if slot.kind in ("text", "number", "enum") and name & _TIME_WORDS:
        return ("now",)
    return CROSSING.get(slot.kind, ())


def _wanted_nouns(slot: SlotSignature) -> list[Noun]:
    """The resources a slot may name, and last its own name, which is one as good as any."""
    name = slot.param if slot.path is None else slot.path.rsplit(".", 1)[-1]
    own = singulars(split_words(name.replace("[]", "")))
    nouns = list(slot.nouns[:4])
    return nouns if not own or own in nouns else [*nouns, own]


def _slot_weight(slot: SlotSignature) -> float:
    return (1.0 if slot.slot_class == "produced" else 0.4) * (1.0 if slot.required else 0.5)


def _supplies(placed: Placed) -> bool:
    return placed.signature.verb_class != "change"


def most_wanted(rankings: Sequence[Ranking], limit: int) -> list[str]:
    """At most `limit` slugs that together serve all slots best, the most wanted first.

    A slot is worth its candidates' scores, each further one half as much as the one before: so every
    slot gets its best before any gets a third. Chosen greedily, which is near the optimum for such sums.
    """
    worth: dict[str, float] = defaultdict(float)
    wanted_by: dict[str, list[tuple[int, int]]] = defaultdict(list)
    factors = [[1.0] * len(ranking.candidates) for ranking in rankings]
    for number, ranking in enumerate(rankings):
        for place, (slug, score) in enumerate(ranking.candidates):
            worth[slug] += ranking.weight * min(score, SURE)
            wanted_by[slug].append((number, place))

    def gain(slug: str) -> float:
        return sum(
            rankings[n].weight * min(rankings[n].candidates[p][1], SURE) * factors[n][p]
            for n, p in wanted_by[slug]
        )

    # what a tool adds only ever shrinks, so an old figure is a bound: only the top is worked out anew
    heap = [(-value, slug) for slug, value in worth.items()]
    heapq.heapify(heap)
    chosen: list[str] = []
    while heap and len(chosen) < limit:
        _, slug = heapq.heappop(heap)
        now = -gain(slug)
        if heap and (now, slug) > heap[0]:
            heapq.heappush(heap, (now, slug))
            continue
        chosen.append(slug)
        for number, place in wanted_by[slug]:
            after = factors[number]
            for later in range(place + 1, len(after)):
                after[later] *= FURTHER
    return chosen
