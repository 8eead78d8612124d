"""The weighing of evidence for one slot: which tools offer its resource, and how surely.

Weights follow a prototype measured on hand-judged servers: what a tool's name says counts most, then
its description, then its "returns …" clauses and output fields; an author who names the tool decides;
listers come before searchers, searchers before getters; a tool that itself requires the identifier
cannot be where it comes from.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from atlas_assets.edges.landscape import SYNONYMS, Placed, ServerView, ends_with
from atlas_assets.edges.mentions import Mention, by_tool
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import MODIFIERS, VerbClass

KEEP = 3.3
"""A candidate is kept from this score on,"""
MARGIN = 1.6
"""and within this of the best of its slot."""
TENTATIVE = 2.0
"""Where no candidate reaches KEEP, the best ones are kept as guesses from this score on."""
MAX_PRODUCERS = 8

OFFER = 3.0
EXACT_MANY_WORDS = 1.0
MENTIONED = 6.0
SYNONYM = 0.75
VERB: dict[VerbClass, float] = {
    "many": 1.0,
    "find": 0.9,
    "one": -0.3,
    "make": -1.2,
    "start": -1.0,
    "login": -0.6,
    "change": -8.0,
    "other": -0.6,
}
SAME_SPACE = 0.4
OTHER_SPACE = -1.6
SAME_SERVER = 0.6
REQUIRES_IT = -4.0
PER_PARAMETER = -0.25
FOREIGN = -0.3
CLASH = -1.5
HANDLE = 2.8


@dataclass(slots=True)
class Candidate:
    """One tool that may fill a slot, with what speaks for it."""

    placed: Placed
    score: float
    offer: Offer | None = None
    noun: Noun = ()
    mention: Mention | None = None
    synonym: bool = False
    why: str = ""

    @property
    def layer(self) -> str:
        if self.mention is not None:
            return "mention"
        return "output_schema" if self.offer is not None and self.offer.source == "output" else "name"


def closeness(offer: Noun, wanted: Noun) -> float:
    """How well an offered resource answers a wanted one, 0 to 1; their heads decide."""
    if offer == wanted:
        return 1.0
    if ends_with(offer, wanted):
        return 0.9
    if ends_with(wanted, offer):
        before = wanted[: len(wanted) - len(offer)]
        return 1.0 if all(word in MODIFIERS for word in before) else 0.55
    return 0.0


def _suffix_clash(slot: SlotSignature, placed: Placed, offer: Offer) -> float:
    """Against a tool whose output fields name the resource by another suffix than the slot's."""
    if slot.suffix not in ("arn", "name", "key", "number", "slug", "sha", "iid", "email") and not slot.suffix:
        return 0.0
    theirs = {
        o.suffix for o in placed.signature.offers if o.source == "output" and o.noun[-1] == offer.noun[-1]
    }
    if (
        not theirs
        or slot.suffix in theirs
        or ({"id", "identifier", "uuid"} & {slot.suffix} and theirs & {"id", "uuid"})
    ):
        return 0.0
    return CLASH


def rank(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Candidate]:
    """The candidates for one identifier slot among its own server's tools, best first."""
    named = by_tool(slot_mentions(slot, consumer, server))
    found: dict[str, Candidate] = {}
    nouns = slot.nouns[:4]
    own = consumer.signature.noun
    if nouns and len(own) > len(nouns[0]) and ends_with(own, nouns[0]):
        nouns = (own, *nouns)
    for place, noun in enumerate(nouns):
        matched = _match(noun, noun, 1.0 if place == 0 else 0.92, slot, consumer, server, found)
        if matched:
            break
    else:
        for noun in nouns:
            for other in SYNONYMS.get(noun, ()) or SYNONYMS.get(noun[-1:], ()):
                _match(other, noun, SYNONYM, slot, consumer, server, found)
    if nouns:
        _handles(nouns[-1], slot, consumer, server, found)
    for name, mention in named.items():
        placed = next((p for p in server.placed if p.tool.name == name), None)
        if placed is None or placed is consumer:
            continue
        candidate = found.setdefault(name, Candidate(placed, _context(slot, consumer, placed, ())))
        candidate.mention = mention
        candidate.score += MENTIONED
    return select(found.values())


def select(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that are sure enough and close to the best, best first; the same whatever came first."""
    ordered = sorted(candidates, key=lambda c: (-round(c.score, 6), c.placed.tool.name))
    if not ordered:
        return []
    best = min(ordered[0].score, 8.0)
    floor = KEEP if best >= KEEP else TENTATIVE
    return [c for c in ordered if c.score >= floor and c.score >= best - MARGIN][:MAX_PRODUCERS]


def slot_mentions(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Mention]:
    """Tools named for this slot: in its own text, or in a sentence of the tool's that speaks of it."""
    found = list(server.names.mentions(slot.text, itself=consumer.tool.name))
    heads = {noun[-1] for noun in slot.nouns[:2]}
    for mention in consumer.mentions:
        if heads & mention.words and (slot.suffix in mention.words or slot.param in mention.sentence):
            found.append(mention)
    return found


def _match(
    noun: Noun,
    wanted: Noun,
    factor: float,
    slot: SlotSignature,
    consumer: Placed,
    server: ServerView,
    found: dict[str, Candidate],
) -> bool:
    reading = False
    for placed, offer in server.offers.get(noun[-1], ()):
        if placed is consumer:
            continue
        close = closeness(offer.noun, noun)
        if not close:
            continue
        strength = close * offer.weight * factor
        score = OFFER * strength
        if offer.noun == noun and len(noun) > 1:
            score += EXACT_MANY_WORDS * factor
        if offer.source == "output" and not offer.own:
            score += FOREIGN
        if offer.source == "output" and placed.signature.verb_class == "one":
            score -= VERB["one"]
        score += _context(slot, consumer, placed, wanted) + _suffix_clash(slot, placed, offer)
        name = placed.tool.name
        old = found.get(name)
        if old is None or old.score < score:
            found[name] = Candidate(placed, score, offer, noun, synonym=noun != wanted)
        if placed.signature.reads and score >= KEEP:
            reading = True
    return reading


def _handles(
    noun: Noun, slot: SlotSignature, consumer: Placed, server: ServerView, found: dict[str, Candidate]
) -> None:
    """A tool whose verb is the resource gives its handle: `run_job` gives a `run_id`."""
    for placed in server.verbs.get(noun[-1], ()):
        if placed is consumer or len(noun) > 1:
            continue
        if any(ends_with(need, noun) for need, _ in placed.needs):
            continue
        score = HANDLE + SAME_SERVER + PER_PARAMETER * min(placed.required, 2)
        old = found.get(placed.tool.name)
        if old is None or old.score < score:
            found[placed.tool.name] = Candidate(placed, score, Offer(noun, 0.8, "name"), noun)


def _context(slot: SlotSignature, consumer: Placed, placed: Placed, wanted: Noun) -> float:
    """What speaks for or against a tool whatever it offers."""
    signature = placed.signature
    score = SAME_SERVER + (VERB["change"] if signature.mutates else VERB[signature.verb_class])
    mine, its = consumer.signature.space[:1], signature.space[:1]
    if mine and its:
        score += SAME_SPACE if mine == its else OTHER_SPACE
    if wanted and any(_same(need, wanted) and "parent" not in param for need, param in placed.needs):
        score += REQUIRES_IT
    return score + PER_PARAMETER * min(placed.required, 4)


def _same(need: Noun, wanted: Noun) -> bool:
    return ends_with(need, wanted) or ends_with(wanted, need)
