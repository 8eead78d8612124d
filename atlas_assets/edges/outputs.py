"""Offers from output schemas: the fields that carry an identifier, looked through their envelopes.

A field gives an identifier where its name is qualified (`team_id`) or where it is the bare `id` of
the tool's own object. A foreign key inside another object also gives its resource, below the
resource's own lister. Opaque wrappers (`{"result": …}`) give nothing.
"""

import re
from dataclasses import dataclass
from typing import Literal

from atlas_assets.catalog.tool import OutputField, Tool
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.vocabulary import ID_SUFFIXES, KEY_SUFFIXES
from atlas_assets.edges.words import is_plural, singulars, split_words, word_set

ENVELOPES = word_set(
    "data result results item items value values record records entry entries node nodes edge edges "
    "list lists response responses payload content contents body output outputs object objects row "
    "rows hit hits page pages collection return returns embedded element elements structured "
    "structuredcontent all d match matches success"
)
_STEP = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[\]|\*|[^.\[\]]+')
MAX_FIELDS = 400

Source = Literal["name", "description", "returns", "output"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A resource that a tool's answer names, and how surely.

    `weight` is 0 to 1. `field` and `suffix` are the output field and its last word (`id`, `arn`,
    "" for a whole object) where the offer comes from an output schema; `own` whether it is the
    identifier of the tool's own object.
    """

    noun: Noun
    weight: float
    source: Source
    field: str | None = None
    suffix: str = ""
    own: bool = True


def steps(path: str) -> list[str]:
    """The names on an output path, without array and map steps."""
    return [
        found.group(1) if found.group(1) is not None else found.group(0)
        for found in _STEP.finditer(path)
        if found.group(0) not in ("[]", "*")
    ]


def output_offers(tool: Tool, noun: Noun, mutates: bool) -> list[Offer]:
    """The identifiers in a tool's output fields; `noun` is its own object."""
    found: dict[tuple[Noun, str], Offer] = {}
    for place in tool.outputs[:MAX_FIELDS]:
        offer = _offer(place, noun)
        if offer is None:
            continue
        if mutates:
            offer = Offer(offer.noun, offer.weight * 0.5, "output", offer.field, offer.suffix, offer.own)
        old = found.get((offer.noun, offer.suffix))
        if old is None or old.weight < offer.weight:
            found[offer.noun, offer.suffix] = offer
    return list(found.values())


def _offer(place: OutputField, own: Noun) -> Offer | None:
    names = steps(place.path)
    if not names:
        return None
    words = split_words(names[-1])
    if not words:
        return None
    last = singulars(words[-1:])[0]
    containers = [
        singulars(inner)
        for name in names[:-1]
        if (inner := tuple(word for word in split_words(name))) and inner[-1] not in ENVELOPES
    ]
    is_object = place.type.startswith(("object", "array<object"))
    if is_object:
        return None
    if last in ID_SUFFIXES or last in KEY_SUFFIXES:
        qualifier = singulars(words[:-1])
        if qualifier:
            mine = not containers and bool(own) and qualifier[-1] == own[-1]
            return Offer(qualifier, 0.95 if mine else 0.75, "output", place.path, last, mine)
        if last in ("version", "hash", "address", "code", "index", "token", "ref", "tag", "symbol"):
            return None
        if not containers:
            return Offer(own, 0.95, "output", place.path, last, True) if own else None
        inside = containers[-1]
        mine = bool(own) and inside[-1] == own[-1]
        return Offer(inside, 0.95 if mine else 0.75, "output", place.path, last, mine)
    if place.type.startswith("array<string") or place.type.startswith("array<integer"):
        if is_plural(words[-1]) and words[-1] not in ENVELOPES:
            what = singulars(words)
            return Offer(what, 0.7, "output", place.path, "", bool(own) and what[-1] == own[-1])
        if words[-1] in ENVELOPES and own and not containers:
            return Offer(own, 0.8, "output", place.path, "", True)
    return None
