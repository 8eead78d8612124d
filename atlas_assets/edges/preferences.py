"""What puts one candidate of a slot behind another: comparisons that a single score cannot make."""

from collections.abc import Collection

from atlas_assets.edges.evidence import Candidate
from atlas_assets.edges.landscape import Placed, ends_with
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import MODIFIERS
from atlas_assets.edges.weights import INCIDENTAL, KEEP, NO_SPACE, OTHER_KIND, OTHER_SCOPE, READABLE
from atlas_assets.edges.words import singulars, split_words, word_set

JOINS = word_set("sync synchronize add move assign link attach transfer connect insert copy")


def compare(slot: SlotSignature, consumer: Placed, candidates: Collection[Candidate]) -> None:
    """Lower the scores of candidates that others put behind them."""
    _prefer_readers(candidates)
    _prefer_named_kind(candidates)
    _prefer_own_space(consumer, candidates)
    _prefer_own_scope(slot, consumer, candidates)
    _prefer_same_kinds(slot, consumer, candidates)


def _prefer_readers(candidates: Collection[Candidate]) -> None:
    """Where a tool reads the resource, one that only makes new ones is incidental."""
    every = list(candidates)
    if any(c.placed.signature.reads and c.score >= READABLE for c in every):
        for candidate in every:
            said = candidate.offer is not None and candidate.offer.source == "returns"
            if candidate.placed.signature.verb_class == "make" and not said and candidate.mention is None:
                candidate.score += INCIDENTAL


def _prefer_named_kind(candidates: Collection[Candidate]) -> None:
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


def _prefer_own_space(consumer: Placed, candidates: Collection[Candidate]) -> None:
    """Where the consumer's namespace has a sure producer, one without a namespace stands back."""
    mine = consumer.signature.space[:1]
    if not mine or consumer.signature.rest:
        return
    every = list(candidates)
    if any(c.placed.signature.space[:1] == mine and c.score >= KEEP for c in every):
        for candidate in every:
            if not candidate.placed.signature.space:
                candidate.score += NO_SPACE


def _prefer_own_scope(slot: SlotSignature, consumer: Placed, candidates: Collection[Candidate]) -> None:
    """Where a producer asks for what its consumer is given too, one that asks for other things stands back.

    The members of a channel and those of a chat are different: who has a `channelId` at hand wants
    the former.
    """
    if consumer.signature.verb in JOINS:
        return
    every = [c for c in candidates if c.placed.signature.verb_class in ("many", "find")]
    if not any(c.score >= KEEP for c in every):
        return  # before the parameters are looked through, which is done for each of them
    given = {need.param for need in consumer.needs if need.param != slot.param}
    asked = {c.placed.tool.name: {need.param for need in c.placed.needs} for c in every}
    if not any(
        c.score >= KEEP and asked[c.placed.tool.name] and asked[c.placed.tool.name] <= given for c in every
    ):
        return
    for candidate in every:
        if not asked[candidate.placed.tool.name] <= given and candidate.mention is None:
            candidate.score += OTHER_SCOPE


def _prefer_same_kinds(slot: SlotSignature, consumer: Placed, candidates: Collection[Candidate]) -> None:
    """Where a lister of many kinds takes the consumer's own kind parameter, it knows what is meant.

    A tool that wants `resourceType` and `name` wants the name of such a resource, which the lister
    with a `resourceType` finds.
    """
    kinds = {
        parameter.name
        for parameter in consumer.tool.required_parameters
        if parameter.name != slot.param and split_words(parameter.name)[-1:] in (("type",), ("kind",))
    }
    if not kinds:
        return
    takes = {
        c.placed.tool.name: any(parameter.name in kinds for parameter in c.placed.tool.top_parameters)
        for c in candidates
    }
    if any(c.score >= KEEP and takes[c.placed.tool.name] for c in candidates):
        for candidate in candidates:
            if not takes[candidate.placed.tool.name] and candidate.mention is None:
                candidate.score += OTHER_KIND
