"""The weighing of evidence for one slot: which tools offer its resource, and how surely.

Weights follow a prototype measured on hand-judged servers: what a tool's name says counts most, then
its description, then its "returns …" clauses and output fields; an author who names the tool decides;
listers come before searchers, searchers before getters; a tool that itself requires the identifier
cannot be where it comes from.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from atlas_assets.edges.landscape import Need, Placed, ServerView, ends_with
from atlas_assets.edges.mentions import Mention, by_tool
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import Noun, either
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.synonyms import synonyms
from atlas_assets.edges.vocabulary import ID_SUFFIXES, MODIFIERS, REMOVERS, VerbClass
from atlas_assets.edges.words import singulars, split_words, word_set

KEEP = 3.3
"""A candidate is kept from this score on,"""
MARGIN = 1.6
"""and within this of the best of its slot."""
TENTATIVE = 1.7
"""Where no candidate reaches KEEP, the best ones are kept as guesses from this score on."""
MAX_PRODUCERS = 8
BEST = 5.6
"""A better score than this does not push others out: an author who names one tool names an example."""
BY_MENTION = 1.5

OFFER = 3.0
EXACT_MANY_WORDS = 1.0
MENTIONED = 2.5
SYNONYM = 0.75
HEAD_ONLY = 0.8
OTHER_SCOPE = -1.2
OTHER_KIND = -1.2
INCIDENTAL = -1.0
READABLE = 2.5
VERB: dict[VerbClass, float] = {
    "many": 1.0,
    "find": 0.9,
    "one": -0.6,
    "make": -1.2,
    "start": -1.0,
    "login": -0.6,
    "change": -8.0,
    "other": -0.6,
}
SAME_SPACE = 0.4
OTHER_SPACE = -1.6
OTHER_COLLECTION = -2.5
LINK = 1.1
NO_SPACE = -0.8
SAME_SERVER = 0.6
REQUIRES_IT = -4.0
CHILD_OF_IT = -1.5
PER_PARAMETER = -0.25
FOREIGN = -0.3
CLASH = -2.5
HANDLE = 3.1
WILD = 0.8
TAKES_IT = -1.5
TELLS = 0.9
JOB = 4.2
STATE_WORDS = word_set("status state result results progress output logs stop cancel abort wait poll")
ASKING_WORDS = STATE_WORDS | {"check"}
JOB_WORDS = STATE_WORDS | word_set("check get start run begin launch execute submit")


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

    @property
    def certainty(self) -> float:
        """The score, higher where an output field carries the very identifier: that is no reading of prose."""
        concrete = self.offer is not None and self.offer.source == "output" and not self.synonym
        return self.score + (1.0 if concrete else 0.0)

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


ID_LIKE = frozenset({"id", "identifier", "uuid", "guid", "uid", "number", "key"})


def rank(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Candidate]:
    """The candidates for one identifier slot among its own server's tools, best first."""
    named = by_tool(slot_mentions(slot, consumer, server))
    found: dict[str, Candidate] = {}
    nouns = slot.nouns[:4]
    own = _own_phrase(slot, consumer)
    if own:
        nouns = (own, *nouns)
    for place, noun in enumerate(nouns):
        matched = _match(noun, noun, 1.0 if place == 0 else 0.92, slot, consumer, server, found)
        if matched:
            break
    else:
        for noun in nouns:
            for other in synonyms(noun, head=all(word in MODIFIERS for word in noun[:-1])):
                _match(other, noun, SYNONYM, slot, consumer, server, found)
        if not found and nouns and len(nouns[0]) > 1:
            _match(nouns[0][-1:], nouns[0], HEAD_ONLY, slot, consumer, server, found)
    for noun in either(slot.text):
        _match(noun, noun, 1.0, slot, consumer, server, found)
    if nouns:
        _jobs(slot, consumer, server, found)
        _handles(nouns[-1], slot, consumer, server, found)
        _searches(nouns, slot, consumer, server, found)
    for name, mention in named.items():
        placed = server.by_name.get(name)
        if placed is None or placed is consumer:
            continue
        if any(_is_asked(placed, need, noun, slot) for need in placed.needs for noun in nouns[:1]):
            continue
        candidate = found.get(name)
        if candidate is None:
            candidate = found[name] = Candidate(placed, BY_MENTION + _context(slot, consumer, placed, ()))
        candidate.mention = mention
        candidate.score += MENTIONED
        if placed.signature.mutates and placed.signature.verb not in REMOVERS:
            candidate.score -= VERB["change"]  # the author says that it returns something
    _prefer_readers(found.values())
    _prefer_named_kind(found.values())
    _prefer_own_space(consumer, found.values())
    _prefer_own_scope(slot, consumer, found.values())
    return select(found.values(), guess=bool(slot.suffix) or slot.kind != "identifier")


def _own_phrase(slot: SlotSignature, consumer: Placed) -> Noun:
    """The slot's resource as its consumer's name qualifies it: a `messageId` of `list_channel_message_replies`
    is a channel message's."""
    if not slot.nouns:
        return ()
    wanted, words = slot.nouns[0], consumer.signature.noun
    if wanted[-1] not in words:
        return ()
    phrase = tuple(w for w in words[: words.index(wanted[-1]) + 1] if w not in MODIFIERS)
    if len(phrase) < 2 or phrase == wanted or ends_with(wanted, phrase):
        return ()
    return () if len(wanted) > 1 and ends_with(phrase, wanted) else phrase


def _prefer_readers(candidates: Iterable[Candidate]) -> None:
    """Where a tool reads the resource, one that only makes new ones is incidental."""
    every = list(candidates)
    if any(c.placed.signature.reads and c.score >= READABLE for c in every):
        for candidate in every:
            said = candidate.offer is not None and candidate.offer.source == "returns"
            if candidate.placed.signature.verb_class == "make" and not said and candidate.mention is None:
                candidate.score += INCIDENTAL


def _prefer_named_kind(candidates: Iterable[Candidate]) -> None:
    """Where a tool lists just the resource, one that lists a special kind of it stands back.

    A section group is no group. A container is no kind: whoever asks for a `board_id` lists the
    issues of a board.
    """
    every = [c for c in candidates if c.offer is not None and c.noun]
    if not any(
        c.score >= KEEP and c.offer and c.offer.noun == c.noun and c.offer.source == "name" for c in every
    ):
        return
    for candidate in every:
        offered = candidate.offer.noun if candidate.offer else ()
        extra = offered[: len(offered) - len(candidate.noun)]
        if not extra or not ends_with(offered, candidate.noun) or extra[-1] in MODIFIERS:
            continue
        asked = {
            word
            for need in candidate.placed.tool.top_parameters
            for word in singulars(split_words(need.name))
        }
        if extra[-1] not in asked and candidate.mention is None:
            candidate.score += OTHER_KIND


def _prefer_own_space(consumer: Placed, candidates: Iterable[Candidate]) -> None:
    """Where the consumer's namespace has a sure producer, one without a namespace stands back."""
    mine = consumer.signature.space[:1]
    if not mine or consumer.signature.rest:
        return
    every = list(candidates)
    if any(c.placed.signature.space[:1] == mine and c.score >= KEEP for c in every):
        for candidate in every:
            if not candidate.placed.signature.space:
                candidate.score += NO_SPACE


JOINS = word_set("sync synchronize add move assign link attach transfer connect insert copy")


def _prefer_own_scope(slot: SlotSignature, consumer: Placed, candidates: Iterable[Candidate]) -> None:
    """Where a producer asks for what its consumer is given too, one that asks for other things stands back.

    The members of a channel and those of a chat are different: who has a `channelId` at hand wants
    the former.
    """
    if consumer.signature.verb in JOINS:
        return
    given = {need.param for need in consumer.needs if need.param != slot.param}
    every = [c for c in candidates if c.placed.signature.verb_class in ("many", "find")]
    asked = {c.placed.tool.name: {need.param for need in c.placed.needs} for c in every}
    if not any(
        c.score >= KEEP and asked[c.placed.tool.name] and asked[c.placed.tool.name] <= given for c in every
    ):
        return
    for candidate in every:
        if not asked[candidate.placed.tool.name] <= given and candidate.mention is None:
            candidate.score += OTHER_SCOPE


def select(candidates: Iterable[Candidate], *, guess: bool = True) -> list[Candidate]:
    """Those that are sure enough and close to the best, best first; the same whatever came first.

    With `guess` the best of a slot without a sure candidate are kept down to TENTATIVE.
    """
    ordered = sorted(candidates, key=lambda c: (-round(c.score, 6), c.placed.tool.name))
    if not ordered:
        return []
    best = min(ordered[0].score, BEST)
    floor = KEEP if best >= KEEP or not guess else TENTATIVE
    kept = [c for c in ordered if c.score >= floor and c.score >= best - MARGIN]
    return [c for c in kept if not c.apart or c.score >= KEEP][:MAX_PRODUCERS]


def slot_mentions(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Mention]:
    """Tools named for this slot: in its own text, or in a sentence of the tool's that speaks of it."""
    found = [*server.names.mentions(slot.text, itself=consumer.tool.name), *server.told(slot.text)]
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
    offers = server.offers.get(noun[-1], ())
    # an identifier of its own (a DOI, a ticker): no tool is named after what it names
    scheme = bool(offers) and all(offer.source in ("output", "returns") for _, offer in offers)
    for placed, offer in offers:
        if placed is consumer:
            continue
        close = 1.0 if offer.noun == noun else closeness(offer.noun, noun)
        if not close or (noun != wanted and offer.source in ("output", "returns")):
            continue  # a synonym must be what a tool is for
        carries = scheme and bool(offer.suffix)
        takes = carries and slot.param in {p.name for p in placed.tool.top_parameters}
        strength = close * (0.95 if carries else offer.weight) * factor
        score = OFFER * strength
        if offer.noun == noun and len(noun) > 1:
            score += EXACT_MANY_WORDS * factor
        if not slot.suffix and not placed.required and offer.source == "name" and offer.noun == noun:
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
        score += _context(slot, consumer, placed, wanted, offer) + _suffix_clash(slot, placed, offer)
        name = placed.tool.name
        old = found.get(name)
        if old is None or old.score < score:
            found[name] = Candidate(
                placed, score, offer, noun, synonym=noun != wanted, apart=_apart(consumer, placed, offer)
            )
        if placed.signature.reads and score >= KEEP and not _suffix_clash(slot, placed, offer):
            reading = True
    return reading


def _handles(
    noun: Noun, slot: SlotSignature, consumer: Placed, server: ServerView, found: dict[str, Candidate]
) -> None:
    """A tool whose verb is the resource gives its handle: `run_job` gives a `run_id`."""
    for placed in (*server.verbs.get(noun[-1], ()), *server.deeds.get(noun[-1], ())):
        signature = placed.signature
        plain = signature.verb == noun[-1] and signature.verb_class in ("many", "one", "change")
        if placed is consumer or len(noun) > 1 or plain or signature.rest or signature.verb in REMOVERS:
            continue
        if any(ends_with(need.noun, noun) for need in placed.needs):
            continue
        score = HANDLE + SAME_SERVER + PER_PARAMETER * min(placed.required, 2)
        old = found.get(placed.tool.name)
        if old is None or old.score < score:
            found[placed.tool.name] = Candidate(placed, score, Offer(noun, 0.8, "name"), noun)


def _jobs(slot: SlotSignature, consumer: Placed, server: ServerView, found: dict[str, Candidate]) -> None:
    """What a status or cancel tool asks about was started by the tool of the same name without that."""
    stem = frozenset(consumer.signature.words) - JOB_WORDS
    if not (ASKING_WORDS & frozenset(consumer.signature.words)) or not stem:
        return
    for placed in server.placed:
        words = frozenset(placed.signature.words)
        if placed is consumer or not words or words - JOB_WORDS != stem or words & STATE_WORDS:
            continue
        if placed.signature.verb_class in ("many", "change") or any(
            need.param == slot.param for need in placed.needs
        ):
            continue
        score = JOB + PER_PARAMETER * min(placed.required, 2)
        old = found.get(placed.tool.name)
        if old is None or old.score < score:
            noun = slot.nouns[0] if slot.nouns else ()
            found[placed.tool.name] = Candidate(placed, score, Offer(noun, 0.9, "name"), noun)


SEARCHED = word_set("page document item note article post file record content object entry database")


def _searched(noun: Noun, placed: Placed) -> bool:
    """Whether a search over everything finds a resource: one that it may be told to, or that has text."""
    kinds = {
        word
        for parameter in placed.tool.parameters
        for value in parameter.enum
        for word in singulars(split_words(value))
    }
    if kinds:
        return noun[-1] in kinds
    if len(noun) > 1:
        return False
    return noun[-1] in SEARCHED or not any(offer.source == "description" for offer in placed.signature.offers)


def _searches(
    nouns: tuple[Noun, ...],
    slot: SlotSignature,
    consumer: Placed,
    server: ServerView,
    found: dict[str, Candidate],
) -> None:
    """A search over everything finds whatever is listed in its namespace."""
    for placed in server.wild:
        if placed is consumer:
            continue
        mine, its = consumer.signature.space[:1], placed.signature.space[:1]
        if (its and mine != its) or not _searched(nouns[0], placed):
            continue
        score = OFFER * WILD + _context(slot, consumer, placed, nouns[0])
        old = found.get(placed.tool.name)
        if old is None or old.score < score:
            found[placed.tool.name] = Candidate(placed, score, Offer(nouns[0], WILD, "description"), nouns[0])


def _context(
    slot: SlotSignature, consumer: Placed, placed: Placed, wanted: Noun, offer: Offer | None = None
) -> float:
    """What speaks for or against a tool whatever it offers."""
    signature = placed.signature
    score = SAME_SERVER + (VERB["change"] if signature.mutates else VERB[signature.verb_class])
    if _apart(consumer, placed, offer):
        score += OTHER_SPACE
    elif consumer.signature.space and signature.space:
        score += SAME_SPACE
    if wanted and any(_is_asked(placed, need, wanted, slot) for need in placed.needs):
        below = bool(CHILDREN & {*signature.words})
        other = not any(need.param == slot.param for need in placed.needs)
        shown = other and signature.rest and offer is not None and offer.source == "output"
        score += 0.2 if shown else CHILD_OF_IT if below else REQUIRES_IT
    return score + PER_PARAMETER * min(placed.required, 4)


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


def _apart(consumer: Placed, placed: Placed, offer: Offer | None) -> bool:
    """Whether two tools stand in different namespaces of their server.

    A namespace that is the producer's own object (`worker_list`) sets nothing apart.
    """
    mine, its = consumer.signature.space[:1], placed.signature.space[:1]
    if placed.signature.rest or not mine or not its or mine == its:
        return False
    return offer is None or singulars(its) != offer.noun[-1:]


def _is_asked(placed: Placed, need: Need, wanted: Noun, slot: SlotSignature) -> bool:
    """Whether a tool requires the very identifier; one that resolves a name to an id does not."""
    if "parent" in need.param or (need.suffix in NAMES and slot.suffix in ID_LIKE - {"number", "key"}):
        return False
    return ends_with(need.noun, wanted) or ends_with(wanted, need.noun)


CHILDREN = word_set("children child tree descendants subtree nested")
NAMES = frozenset({"name", "username", "email", "login"})
