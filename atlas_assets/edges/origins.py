"""Where an identifier comes from that no tool is named after.

A deed gives a handle (`run_job` a `run_id`), a job's start gives what its status tool asks for, and a
search over everything finds whatever its namespace lists.
"""

from atlas_assets.edges.evidence import Candidate, context
from atlas_assets.edges.landscape import Placed, ServerView, ends_with
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import REMOVERS
from atlas_assets.edges.weights import HANDLE, HOLDER, JOB, OFFER, PER_PARAMETER, SAME_SERVER, WILD
from atlas_assets.edges.words import singulars, split_words, word_set

STATE_WORDS = word_set("status state result results progress output logs stop cancel abort wait poll")
ASKING_WORDS = STATE_WORDS | {"check"}
JOB_WORDS = STATE_WORDS | word_set("check get start run begin launch execute submit")
HELD_BY = word_set("detail info information schema structure metadata content full overview")
SEARCHED = word_set("page document item note article post file record content object entry database")


def handles(
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


def jobs(slot: SlotSignature, consumer: Placed, server: ServerView, found: dict[str, Candidate]) -> None:
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


def holders(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Candidate]:
    """Getters of what the consumer asks for beside: a `column_id` stands in what `get_board` returns.

    They are tried where no tool is known that lists the resource itself.
    """
    given = {need.param for need in consumer.needs}
    found: dict[str, Candidate] = {}
    for beside in consumer.needs:
        if beside.param == slot.param or (slot.nouns and ends_with(beside.noun, slot.nouns[0])):
            continue
        for placed, offer in server.offers.get(beside.noun[-1], ()):
            signature = placed.signature
            asked = {need.param for need in placed.needs}
            shows = signature.reads and signature.verb_class == "one" and offer.source == "name"
            whole = signature.noun == beside.noun or set(signature.noun) - set(beside.noun) <= HELD_BY
            if (
                placed is consumer
                or not shows
                or not whole
                or offer.noun != beside.noun
                or not asked <= given
            ):
                continue
            found[placed.tool.name] = Candidate(placed, HOLDER, offer, beside.noun, held=True)
    return list(found.values())


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


def searches(
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
        score = OFFER * WILD + context(slot, consumer, placed, nouns[0])
        old = found.get(placed.tool.name)
        if old is None or old.score < score:
            found[placed.tool.name] = Candidate(placed, score, Offer(nouns[0], WILD, "description"), nouns[0])
