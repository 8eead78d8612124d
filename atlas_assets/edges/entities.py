"""The resource that a parameter names: by its own words, by its description, by its consumer's object."""

import re
from collections.abc import Callable

from atlas_assets.edges.edge import SlotClass
from atlas_assets.edges.phrases import Noun, identified, identified_of, nouns
from atlas_assets.edges.producers import Signature
from atlas_assets.edges.synonyms import synonyms
from atlas_assets.edges.vocabulary import ATTRIBUTES, DETERMINERS, ID_SUFFIXES, KEY_SUFFIXES, MODIFIERS
from atlas_assets.edges.words import singular, singulars, split_words, word_set

Known = Callable[[Noun], float]
"""How surely some reading tool of the consumer's server offers a resource, 0 where none does."""

Verdict = tuple[str, SlotClass, tuple[Noun, ...], str, str]
"""Kind, class, resources (likeliest first), the identifier's suffix, and the reason."""

CREATING = word_set("create new make register provision draft define rename init")
VAGUE = word_set("object item ref reference resource entity thing target subject")


def qualifier_of(words: tuple[str, ...]) -> Noun:
    return singulars(words[:-1])


def identifier(words: tuple[str, ...], consumer: Signature, text: str, known: Known) -> Verdict:
    suffix = singular(words[-1])
    own = qualifier_of(words)
    while own and own[-1] in ID_SUFFIXES and len(own) > 1:
        own = own[:-1]
    said = identified(text)
    candidates: list[Noun] = []
    bare = tuple(word for word in own if word not in MODIFIERS)
    if own and bare:
        candidates.append(own)
        if bare != own:
            candidates.append(bare)
        candidates.extend(noun for noun in said if noun[-1] == bare[-1])
        told = [noun for noun in identified_of(text) if known(noun)]
        if bare[-1] in VAGUE:
            candidates = [*told, *candidates]
        elif not known(own) and not known(bare):
            candidates.extend(told)
    else:
        candidates.extend([*said, own] if own and "parent" in own else [own, *said])
        candidates.extend(_own_nouns(consumer))
        candidates = [noun for noun in candidates if not (len(noun) == 1 and noun[0] in DETERMINERS)]
    candidates = [noun for noun in dict.fromkeys(candidates) if noun]
    what = " ".join(candidates[0]) if candidates else ""
    return (
        "identifier",
        "produced",
        tuple(candidates),
        suffix,
        f"an identifier of {what!r}" if what else "an identifier",
    )


def _own_nouns(consumer: Signature) -> list[Noun]:
    """What a bare `id` may name: the consumer's object, or what holds it.

    The holder comes first for a lister, and where another parameter names the object itself.
    """
    noun = consumer.noun
    inner = [noun] if noun else []
    holders = [noun[:-1]] if len(noun) > 1 else []
    if consumer.space:
        holders.append(singulars(consumer.space))
    qualified = noun and any(
        len(words := singulars(split_words(p.name))) > 1
        and words[-1] in ID_SUFFIXES
        and words[:-1][-1] == noun[-1]
        for p in consumer.tool.required_parameters
    )
    if consumer.verb_class == "change" and not qualified and noun and noun[-1] not in ATTRIBUTES:
        return inner
    return holders + inner if qualified or consumer.verb_class == "many" else inner + holders


def made_here(words: tuple[str, ...], consumer: Signature) -> bool:
    """Whether the parameter names the thing that the consumer makes (`name` of `create_group`)."""
    if consumer.verb == "rename" and any("new" in split_words(p.name) for p in consumer.tool.top_parameters):
        return False
    if consumer.verb not in CREATING:
        return False
    if words[-1] not in KEY_SUFFIXES and not (consumer.noun and singulars(words) == consumer.noun):
        return False
    qualifier = singulars(words[:-1]) if words[-1] in KEY_SUFFIXES else singulars(words)
    if not qualifier or "new" in words:
        return True
    return (
        bool(consumer.noun)
        and qualifier[-1] == consumer.noun[-1]
        and words[-1] in ("name", "slug", "key", "title")
    ) or (singulars(words) == consumer.noun)


def _is_given_by_id(consumer: Signature) -> bool:
    """Whether another parameter already identifies the consumer's own object."""
    for parameter in consumer.tool.required_parameters:
        words = singulars(split_words(parameter.name))
        own = (
            words[-1:]
            and words[-1] in ID_SUFFIXES
            and (len(words) == 1 or words[-2:-1] == consumer.noun[-1:])
        )
        if own:
            return True
    return False


def keyed(words: tuple[str, ...], consumer: Signature, text: str, known: Known) -> Verdict | None:
    suffix = singular(words[-1])
    qualifier = qualifier_of(words)
    if "new" in words:
        return None
    if qualifier and not all(w in MODIFIERS for w in qualifier):
        said = [
            noun
            for noun in identified(text)
            if noun[-1] == qualifier[-1] or all(w in MODIFIERS for w in qualifier)
        ]
        options = [qualifier, tuple(w for w in qualifier if w not in MODIFIERS), *said]
    elif suffix in ("name", "key", "slug", "number", "username", "login", "code", "hash", "sha", "ref", "ts"):
        if consumer.verb in CREATING | {"add", "set"} or (
            consumer.noun and consumer.noun[-1] in ("name", "title")
        ):
            return None
        if suffix == "key" and consumer.verb_class == "change":
            return None  # the key under which something is put
        if consumer.verb_class == "change" and _is_given_by_id(consumer):
            return None  # beside the id of a thing its name is a new one
        options = [*identified(text), *_own_nouns(consumer)]
    else:
        return None
    found = [noun for noun in dict.fromkeys(options) if noun and known(noun)]
    if not found and qualifier:
        found = [other for noun in options for other in synonyms(noun) if known(other) >= 0.75][:2]
    if not found:
        return None
    return (
        "identifier",
        "produced",
        tuple(found),
        suffix,
        f"the {suffix} of {' '.join(found[0])!r}, which a tool returns",
    )


PARTS = word_set("field property value attribute setting option data")
WHEREABOUTS = word_set("location address city place destination origin")


def bare_name(noun: Noun, consumer: Signature, text: str, known: Known, kind: str) -> Verdict | None:
    """A name without a suffix that is a resource of the server (`repo`, `account`, `issues`)."""
    if noun[-1] in WHEREABOUTS and consumer.verb_class == "find":
        return None  # words to search a place by
    if "object" in kind or noun[-1] in PARTS:
        return None
    options = [noun, tuple(w for w in noun if w not in MODIFIERS)]
    found = [what for what in dict.fromkeys(options) if what and known(what) >= 0.8]
    if not found and text and all(w in MODIFIERS or w in VAGUE for w in noun):
        found = [
            what for part in re.split(r"[(;:]", text[:160]) for what in nouns(part) if known(what) >= 0.8
        ][:3]
    if not found and text:
        said = set(singulars(split_words(text[:200])))
        found = [
            other
            for what in options
            for other in synonyms(what)
            if other[-1] in said and other[-1] not in what and known(other) >= 0.8
        ][:2]
    if not found:
        return None
    return (
        "identifier",
        "produced",
        tuple(found),
        "",
        f"{' '.join(found[0])!r} is a resource that a tool returns",
    )
