"""The weighing of evidence: how well one tool's offers answer the resource that a slot names.

What a tool's name says counts most, then its description, then its "returns …" clauses and output
fields; listers come before searchers, searchers before getters; a tool that itself requires the
identifier cannot be where it comes from.
"""

from dataclasses import dataclass

from atlas_assets.edges.landscape import Need, Placed, ServerView, ends_with
from atlas_assets.edges.mentions import Mention
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import ID_SUFFIXES, MODIFIERS
from atlas_assets.edges.weights import (
    CHILD_OF_IT,
    CLASH,
    CONCRETE,
    EXACT_MANY_WORDS,
    FOREIGN,
    KEEP,
    LINK,
    MAX_MATCHES,
    OFFER,
    OTHER_COLLECTION,
    OTHER_SPACE,
    PER_PARAMETER,
    REQUIRES_IT,
    SAME_SERVER,
    SAME_SPACE,
    TAKES_IT,
    TELLS,
    VERB,
)
from atlas_assets.edges.words import singulars, word_set

ID_LIKE = frozenset({"id", "identifier", "uuid", "guid", "uid", "number", "key"})
NAMES = frozenset({"name", "username", "email", "login"})
CHILDREN = word_set("children child tree descendants subtree nested")


@dataclass(slots=True)
class Candidate:
    """One tool that may fill a slot, with what speaks for it."""

    placed: Placed
    score: float
    offer: Offer | None = None
    noun: Noun = ()
    mention: Mention | None = None
    synonym: bool = False
    apart: bool = False
    held: bool = False

    @property
    def certainty(self) -> float:
        """The score, higher where an output field carries the very identifier."""
        concrete = self.offer is not None and self.offer.source == "output" and not self.synonym
        return self.score + (CONCRETE if concrete else 0.0)

    @property
    def layer(self) -> str:
        if self.mention is not None:
            return "mention"
        return "output_schema" if self.offer is not None and self.offer.source == "output" else "name"


def closeness(offer: Noun, wanted: Noun) -> float:
    """How well an offered resource answers a wanted one, 0 to 1; their heads decide."""
    if offer == wanted:
        return 1.0
    plain = tuple(word for word in offer if word not in MODIFIERS)
    if plain != offer and plain == wanted:
        return 0.95
    if ends_with(offer, wanted):
        return 0.9
    if ends_with(wanted, offer):
        before = wanted[: len(wanted) - len(offer)]
        return 1.0 if all(word in MODIFIERS for word in before) else 0.55
    return 0.0


def _suffix_clash(slot: SlotSignature, placed: Placed, offer: Offer) -> float:
    """Against a tool whose output fields name the resource by another suffix than the slot's."""
    if slot.suffix in ("", "identifier"):
        return 0.0
    if offer.source == "output" and not offer.own:
        return 0.0 if offer.suffix in ("", slot.suffix) else CLASH
    theirs = {
        o.suffix for o in placed.signature.offers if o.source == "output" and o.noun[-1] == offer.noun[-1]
    }
    alike = slot.suffix in ID_LIKE and theirs & ID_LIKE
    return 0.0 if not theirs or "" in theirs or slot.suffix in theirs or alike else CLASH


def match(
    noun: Noun,
    wanted: Noun,
    factor: float,
    slot: SlotSignature,
    consumer: Placed,
    server: ServerView,
    found: dict[str, Candidate],
) -> bool:
    """Weigh every tool that offers `noun`, into `found` (the better score stays).

    `wanted` is the slot's own word where `noun` is a synonym; `factor` weakens what is less sure.
    Returns whether a tool that reads is surely among them.
    """
    reading = False
    scheme, matches = _matches(noun, server)
    for placed, offer, close in matches:
        if placed is consumer:
            continue
        if noun != wanted and offer.source in ("output", "returns"):
            continue  # a synonym must be what a tool is for
        carries = scheme and bool(offer.suffix)
        takes = carries and slot.param in {p.name for p in placed.tool.top_parameters}
        strength = close * (0.95 if carries else offer.weight) * factor
        score = OFFER * strength
        if offer.noun == noun and len(noun) > 1:
            score += EXACT_MANY_WORDS * factor
        tells = placed.signature.verb_class == "one" and not placed.required and offer.source == "name"
        if tells and not slot.suffix and offer.noun == noun:
            score += TELLS
        if takes:
            score += TAKES_IT
        if offer.source == "output" and not offer.own and not carries:
            # what lists or finds other things holds this one by the way
            score += FOREIGN - max(VERB[placed.signature.verb_class], 0.0)
            if consumer.signature.rest and placed.signature.rest and slot.param in ID_SUFFIXES:
                score += LINK
        said = offer.source == "returns" and offer.suffix
        if said or (offer.source == "output" and placed.signature.verb_class == "one"):
            score -= max(min(VERB[placed.signature.verb_class], 0.0), -2.0)
        score += _same_collection(slot, consumer, placed, offer)
        score += context(slot, consumer, placed, wanted, offer) + _suffix_clash(slot, placed, offer)
        name = placed.tool.name
        old = found.get(name)
        if old is None or old.score < score:
            found[name] = Candidate(
                placed,
                score,
                offer,
                noun,
                synonym=noun != wanted,
                apart=stands_apart(consumer, placed, offer),
            )
        if placed.signature.reads and score >= KEEP and not _suffix_clash(slot, placed, offer):
            reading = True
    return reading


def _matches(noun: Noun, server: ServerView) -> tuple[bool, list[tuple[Placed, Offer, float]]]:
    """The offers that answer `noun` with their closeness, strongest first, and whether it is a scheme.

    A scheme is an identifier of its own (a DOI, a ticker): no tool is named after what it names.
    """
    known = server.matches.get(noun)
    if known is None:
        offers = server.offers.get(noun[-1], ())
        scheme = bool(offers) and all(offer.source in ("output", "returns") for _, offer in offers)
        close = [(placed, offer, closeness(offer.noun, noun)) for placed, offer in offers]
        matches = [one for one in close if one[2]]
        if len(matches) > MAX_MATCHES:
            matches.sort(
                key=lambda one: (
                    -round(OFFER * one[2] * one[1].weight + standing(one[0]), 6),
                    one[0].tool.name,
                )
            )
            del matches[MAX_MATCHES:]
        known = server.matches[noun] = (scheme, matches)
    return known


def standing(placed: Placed) -> float:
    """What a tool's verb and its own needs are worth, whoever asks."""
    signature = placed.signature
    verb = VERB["change"] if signature.mutates else VERB[signature.verb_class]
    return SAME_SERVER + verb + PER_PARAMETER * min(placed.required, 4)


def context(
    slot: SlotSignature, consumer: Placed, placed: Placed, wanted: Noun, offer: Offer | None = None
) -> float:
    """What speaks for or against a tool whatever it offers."""
    signature = placed.signature
    score = standing(placed)
    if stands_apart(consumer, placed, offer):
        score += OTHER_SPACE
    elif consumer.signature.space and signature.space:
        score += SAME_SPACE
    if wanted and any(is_asked(placed, need, wanted, slot) for need in placed.needs):
        below = bool(CHILDREN & {*signature.words})
        other = not any(need.param == slot.param for need in placed.needs)
        shown = other and signature.rest and offer is not None and offer.source == "output"
        score += 0.2 if shown else CHILD_OF_IT if below else REQUIRES_IT
    return score


def _same_collection(slot: SlotSignature, consumer: Placed, placed: Placed, offer: Offer) -> float:
    """Against a REST collection of the same last name at another place (`/a/groups`, `/b/groups/{id}`)."""
    before = consumer.signature.before.get(slot.param)
    if before is None or not placed.signature.rest or offer.noun != placed.signature.noun:
        return 0.0
    space = placed.signature.space
    return (
        OTHER_COLLECTION
        if before != space and (before or not {"search", "discover"} & {*space}) and space
        else 0.0
    )


def stands_apart(consumer: Placed, placed: Placed, offer: Offer | None) -> bool:
    """Whether two tools stand in different namespaces of their server.

    A namespace that is the producer's own object (`worker_list`) sets nothing apart.
    """
    mine, its = consumer.signature.space[:1], placed.signature.space[:1]
    if placed.signature.rest or not mine or not its or mine == its:
        return False
    return offer is None or singulars(its) != offer.noun[-1:]


def is_asked(placed: Placed, need: Need, wanted: Noun, slot: SlotSignature) -> bool:
    """Whether a tool requires the very identifier; one that resolves a name to an id does not."""
    if "parent" in need.param or (need.suffix in NAMES and slot.suffix in ID_LIKE - {"number", "key"}):
        return False
    return ends_with(need.noun, wanted) or ends_with(wanted, need.noun)
