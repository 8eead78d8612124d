"""The ranking of one slot's candidates among its own server's tools."""

from collections.abc import Iterable

from atlas_assets.edges.evidence import Candidate, context, is_asked, match
from atlas_assets.edges.landscape import Placed, ServerView, ends_with
from atlas_assets.edges.mentions import Mention, by_tool
from atlas_assets.edges.origins import handles, holders, jobs, searches
from atlas_assets.edges.phrases import Noun, either
from atlas_assets.edges.preferences import compare
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.synonyms import synonyms
from atlas_assets.edges.vocabulary import MODIFIERS, REMOVERS
from atlas_assets.edges.weights import (
    BEST,
    BY_MENTION,
    HEAD_ONLY,
    KEEP,
    MARGIN,
    MAX_PRODUCERS,
    MENTIONED,
    SYNONYM,
    TENTATIVE,
    VERB,
)


def rank(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Candidate]:
    """The candidates for one identifier slot among its own server's tools, best first."""
    named = by_tool(slot_mentions(slot, consumer, server))
    found: dict[str, Candidate] = {}
    nouns = slot.nouns[:4]
    own = _own_phrase(slot, consumer)
    if own:
        nouns = (own, *nouns)
    for place, noun in enumerate(nouns):
        matched = match(noun, noun, 1.0 if place == 0 else 0.92, slot, consumer, server, found)
        if matched:
            break
    else:
        for noun in nouns:
            for other in synonyms(noun, head=all(word in MODIFIERS for word in noun[:-1])):
                match(other, noun, SYNONYM, slot, consumer, server, found)
        if not found and nouns and len(nouns[0]) > 1:
            match(nouns[0][-1:], nouns[0], HEAD_ONLY, slot, consumer, server, found)
    for noun in either(slot.text):
        match(noun, noun, 1.0, slot, consumer, server, found)
    if nouns:
        jobs(slot, consumer, server, found)
        handles(nouns[-1], slot, consumer, server, found)
        searches(nouns, slot, consumer, server, found)
    for name, mention in named.items():
        placed = server.by_name.get(name)
        if placed is None or placed is consumer:
            continue
        if any(is_asked(placed, need, noun, slot) for need in placed.needs for noun in nouns[:1]):
            continue
        candidate = found.get(name)
        if candidate is None:
            candidate = found[name] = Candidate(placed, BY_MENTION + context(slot, consumer, placed, ()))
        candidate.mention = mention
        candidate.score += MENTIONED
        if placed.signature.mutates and placed.signature.verb not in REMOVERS:
            candidate.score -= VERB["change"]  # the author says that it returns something
    compare(slot, consumer, found.values())
    unread = not any(c.placed.signature.reads and c.score >= TENTATIVE for c in found.values())
    if unread and not consumer.signature.rest:
        for held in holders(slot, consumer, server):
            found.setdefault(held.placed.tool.name, held)
    return select(found.values(), guess=bool(slot.suffix) or slot.kind != "identifier")


def _own_phrase(slot: SlotSignature, consumer: Placed) -> Noun:
    """The slot's resource as its consumer's name qualifies it.

    A `messageId` of `list_channel_message_replies` is a channel message's.
    """
    if not slot.nouns:
        return ()
    wanted, words = slot.nouns[0], consumer.signature.noun
    if wanted[-1] not in words:
        return ()
    phrase = tuple(w for w in words[: words.index(wanted[-1]) + 1] if w not in MODIFIERS)
    if len(phrase) < 2 or phrase == wanted or ends_with(wanted, phrase):
        return ()
    return () if len(wanted) > 1 and ends_with(phrase, wanted) else phrase


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
