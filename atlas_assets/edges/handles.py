"""Handles and positions: sessions, places, counted things, query words, current values.

They stay on one server: a session of one service means nothing to another.
"""

from collections.abc import Iterable

from atlas_assets.edges.entities import CREATING, PARTS
from atlas_assets.edges.field import Field, Guess, named
from atlas_assets.edges.landscape import Placed, ServerView, ends_with
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.ranking import rank
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import ACTION_PARAMETERS, OVERVIEWS
from atlas_assets.edges.words import singulars, split_words, word_set

GENERIC_HANDLE = word_set("session id token access auth login user handle bearer")
COMMON_WORDS = word_set(
    "get list create start stop login user account to the a of and set update delete add view session"
)


def sessions(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """The login, start or create of the same service, and the lister of what it starts."""
    yield from named(slot, consumer, server)
    mine = _name_words(consumer)
    openers = [p for p in field.here(server, "session") if p is not consumer and not _needs(p, slot)]
    best = max((len(mine & _name_words(p)) for p in openers), default=0)
    joined = [p for p in openers if best and len(mine & _name_words(p)) == best]
    for placed in joined:
        yield Guess(placed, 0.85, f"{placed.tool.name!r} opens the session that {slot.param!r} names.")
        for other, offer in server.offers.get(placed.signature.noun[-1] if placed.signature.noun else "", ()):
            lists = other.signature.verb_class == "many" and other.signature.reads and not other.required
            if lists and offer.source == "name" and offer.noun == placed.signature.noun:
                yield Guess(other, 0.8, f"{other.tool.name!r} lists what {placed.tool.name!r} starts.")
    if joined:
        return
    for candidate in rank(slot, consumer, server):
        if candidate.placed.signature.verb_class in ("many", "find", "make", "start", "login"):
            yield Guess(candidate.placed, 0.75, f"{candidate.placed.tool.name!r} returns the {slot.param!r}.")
    if len(openers) == 1 and set(split_words(slot.param)) <= GENERIC_HANDLE:
        yield Guess(openers[0], 0.6, f"{openers[0].tool.name!r} opens the session that {slot.param!r} names.")


def _needs(placed: Placed, slot: SlotSignature) -> bool:
    return any(s.required and s.kind == "session" and s.nouns == slot.nouns for s in placed.slots)


def _name_words(placed: Placed) -> frozenset[str]:
    return frozenset(singulars(placed.signature.words)) - COMMON_WORDS


def positions(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Positions are read off what shows the whole: an info, outline or snapshot tool, or a lister."""
    yield from named(slot, consumer, server)
    mine = {s.param for s in consumer.slots if s.required}
    noun = slot.nouns[0] if slot.nouns else ()
    before = [s for s in consumer.slots if s.required and s.kind == "position" and s.path == slot.path]
    place = before.index(slot) if slot in before else 0
    container = before[place - 1].nouns[0] if place else ()
    for placed in server.placed:
        signature = placed.signature
        if placed is consumer or not signature.reads or not signature.noun:
            continue
        needs = {p.name for p in placed.tool.required_parameters}
        if not needs <= mine or slot.param in needs:
            continue
        if signature.noun[-1] in OVERVIEWS:
            about = signature.noun[:-1]
            if not _shows(placed, about, noun, server):
                continue
            inside = bool(container) and ends_with(about, container)
            counts = any(s.kind == "position" and s.required for s in placed.slots)
            if inside or not (counts or (container and signature.noun[-1] == "info")):
                yield Guess(
                    placed, 0.75, f"{placed.tool.name!r} shows the whole in which {slot.param!r} counts."
                )
        elif signature.verb_class in ("many", "find") and any(
            noun and offer.noun == noun and offer.source == "name" for offer in signature.offers
        ):
            yield Guess(
                placed, 0.65, f"{placed.tool.name!r} lists {' '.join(noun)!r}, which {slot.param!r} counts."
            )


def _shows(placed: Placed, about: Noun, noun: Noun, server: ServerView) -> bool:
    """Whether an overview is of what the server is about, or speaks of the things that are counted."""
    words = set(singulars(split_words(placed.tool.description[:1000])))
    if noun and noun[-1] in words:
        return True
    return bool(about) and 5 * server.mentioned(about[-1]) >= len(server.placed)


def locations(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Coordinates come from what finds places, unless it needs coordinates itself."""
    yield from named(slot, consumer, server)
    if "reverse" in consumer.signature.words:
        return  # who asks what is at a place has the coordinates
    for placed in field.here(server, "place"):
        if placed is not consumer and not any(s.kind == "location" and s.required for s in placed.slots):
            why = f"{placed.tool.name!r} finds places with the coordinates that {slot.param!r} takes."
            yield Guess(placed, 0.75, why)


def queries(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """A query in a language is written with the names that schema listers return."""
    yield from named(slot, consumer, server)
    signature = consumer.signature
    if signature.verb_class not in ("start", "other", "change", "make") and signature.verb != "query":
        return
    schemas = [p for p in field.here(server, "schema") if p is not consumer]
    mine = {*signature.noun, *signature.space}
    close = [p for p in schemas if mine & {*p.signature.noun, *p.signature.space}]
    for placed in close or schemas:
        yield Guess(placed, 0.6, f"{placed.tool.name!r} lists the names that a query in {slot.param!r} uses.")


def current_values(
    slot: SlotSignature, consumer: Placed, server: ServerView, field: Field
) -> Iterable[Guess]:
    """What a tool without parameters tells of here and now: the date, the language, the place."""
    yield from named(slot, consumer, server)
    words = set(split_words(slot.param))
    noun = singulars(split_words(slot.param))
    wanted = bool(noun) and noun[-1] not in PARTS and consumer.signature.verb not in CREATING
    for placed, offer in server.offers.get(noun[-1], ()) if wanted else ():
        tells = placed.signature.reads and placed.signature.verb_class in ("one", "find", "many")
        if tells and placed is not consumer and offer.noun == noun and offer.source == "name":
            yield Guess(placed, 0.6, f"{placed.tool.name!r} returns the {' '.join(noun)!r}.")
    for placed in field.here(server, "now"):
        told = field.roles(placed).now
        if placed is consumer or not told:
            continue
        if told[-1] in words or (slot.kind == "date" and told[-1] in ("date", "time", "datetime")):
            yield Guess(placed, 0.55, f"{placed.tool.name!r} tells the current {' '.join(told)}.")


def choices(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """A fixed choice, or a switch, has a producer only where its own text names one."""
    if slot.param.lower() in ACTION_PARAMETERS:
        return []
    return [
        guess
        for guess in named(slot, consumer, server)
        if guess.quote and guess.quote in " ".join(slot.text.split())
    ]
