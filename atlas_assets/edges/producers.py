"""What a tool does: its verb, its object, and whether it lists, finds, returns, makes or changes.

Names are read in `names`, what the answer offers in `offers`; the description's first sentence may
say more of the verb than the name does ("get_kilns" and "Get all kilns" list).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.names import ARTICLES, REST_NAME, read_path, shared_prefix, split_name
from atlas_assets.edges.offers import read_offers
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import NO_LIST, Noun, first_verb, names_many, nouns, sentences
from atlas_assets.edges.vocabulary import ACTION_PARAMETERS, CLEAR_VERBS, READERS, REMOVERS, VERBS, VerbClass
from atlas_assets.edges.words import is_plural, singular, singulars, split_words, word_set

ANYTHING = word_set(
    "content item object resource entity everything anything record data document information element node"
)
_WEB = re.compile(r"\b(web|internet|online)\b", re.I)
_LIST_OF = re.compile(r"(or list|a (paginated |full |complete )?list|all|lists? of|and list)\b", re.I)
_OR_LISTS = re.compile(r"\b(or|and|/)\s*(lists?|listing)\b|\blists? all\b", re.I)
NEVER_LIST = word_set("read load download export capture snapshot scrape crawl convert calculate compute")


@dataclass(frozen=True, slots=True)
class Signature:
    """One tool as the rules see it.

    `space` is the namespace inside its server, `noun` the object with its head last, `plural`
    whether the object's name is a plural. `above` maps a REST path parameter to the segment it
    stands behind. `mutates` is what the name says, corrected by `readOnlyHint`. `wild` marks a
    search over everything in its namespace.
    """

    tool: Tool
    verb: str
    verb_class: VerbClass
    noun: Noun
    space: tuple[str, ...]
    plural: bool
    mutates: bool
    rest: bool
    above: dict[str, Noun]
    offers: tuple[Offer, ...]
    wild: bool = False
    words: tuple[str, ...] = ()
    before: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def reads(self) -> bool:
        return self.verb_class in READERS and not self.mutates


def read_signatures(tools: Sequence[Tool]) -> list[Signature]:
    """The signatures of one server's tools, in the order given."""
    names = [split_words(tool.name) for tool in tools]
    drop = shared_prefix(names, tools[0].server) if tools else 0
    prefix = Counter(words[:drop] for words in names).most_common(1)[0][0] if drop else ()
    cut = [
        words[drop:] if drop and words[:drop] == prefix and len(words) > drop else words for words in names
    ]
    heads = Counter(words[0] for words in cut if words and words[0] not in VERBS)
    shared = frozenset(word for word, count in heads.items() if count > 1)
    # `monitor_list`, `monitor_checks`: a verb that other verbs follow is a noun on this server
    followed = Counter(
        words[0]
        for words in cut
        if len(words) > 1
        and words[0] in VERBS
        and words[0] not in CLEAR_VERBS
        and not CLEAR_VERBS.isdisjoint(words[1:])
    )
    shared |= {word for word, count in followed.items() if count > 1}
    return [_signature(tool, words, shared) for tool, words in zip(tools, cut, strict=True)]


def _signature(tool: Tool, words: tuple[str, ...], shared: frozenset[str]) -> Signature:
    rest = REST_NAME.fullmatch(tool.name.strip())
    text = tool.description or tool.title
    opening = sentences(text)
    said_verb, said_rest = first_verb(opening[0]) if opening else ("", "")
    above: dict[str, Noun] = {}
    before: dict[str, tuple[str, ...]] = {}
    kept: Noun = ()
    if rest:
        verb, verb_class, object_words, space, above, before = read_path(rest.group(1).upper(), rest.group(2))
        if verb_class == "one" and not rest.group(2).rstrip("/").endswith("}") and _LIST_OF.match(said_rest):
            verb_class = "many"
        plural = verb_class == "many"
        if not above and space and object_words and not is_plural(object_words[-1]) and verb == "get":
            kept = singulars(space[-1:])  # `/movies/popular` lists movies
    else:
        verb, space, object_words = split_name(words, said_verb, shared)
        verb_class = VERBS.get(verb, "other")
        if not verb and said_verb:
            verb, verb_class = said_verb, VERBS[said_verb]
        last = object_words[-1] if object_words else ""
        plural = is_plural(last) and singular(last) not in NO_LIST
        verb_class = _refine(verb, verb_class, plural, said_verb, said_rest, words)
        if words and words[0] in shared:
            space = words[:1]
            if len(object_words) > 1 and object_words[:1] == space:
                object_words = object_words[1:]
        if _lists_among_others(tool):
            verb_class = "many"
    mutates = verb_class == "change" and tool.hint("readOnlyHint") is not True
    if verb_class == "change" and not mutates:
        verb_class = VERBS.get(said_verb, "one") if VERBS.get(said_verb, "one") != "change" else "one"
    noun = singulars(object_words)
    offers = (
        ()
        if verb in REMOVERS
        else tuple(read_offers(tool, verb_class, noun, mutates, said_verb, said_rest, opening, kept))
    )
    wild = verb_class == "find" and not rest and _searches_all(words, space, said_verb, text, tool.server)
    return Signature(
        tool, verb, verb_class, noun, space, plural, mutates, bool(rest), above, offers, wild, words, before
    )


def _searches_all(
    words: tuple[str, ...], space: tuple[str, ...], said_verb: str, text: str, server: str
) -> bool:
    """Whether a search names no object of its own ("search"), or just "content", and is no web search."""
    objects = [
        word for word in words if word not in VERBS and word not in {*space, *ARTICLES, *split_words(server)}
    ]
    objects = [word for word in singulars(objects) if word not in ANYTHING]
    if objects or VERBS.get(said_verb) != "find" or _WEB.search(text[:200]):
        return False
    rest = first_verb(sentences(text)[0])[1]
    if rest.split(" ", 1)[0].lower() in ("by", "with", "using", "across", "within", "in", "through"):
        return True
    said = nouns(rest)
    return not said or any(noun[-1] in ANYTHING for noun in said)


def _lists_among_others(tool: Tool) -> bool:
    """Whether one of the things that a tool of several actions does is to list."""
    for parameter in tool.parameters:
        if parameter.path is None and parameter.name.lower() in ACTION_PARAMETERS and parameter.enum:
            return any(
                VERBS.get(split_words(value)[0] if split_words(value) else "") == "many"
                for value in parameter.enum
            )
    return False


def _refine(
    verb: str, kind: VerbClass, plural: bool, said_verb: str, said_rest: str, words: tuple[str, ...]
) -> VerbClass:
    """A getter of a plural lists; so does one whose description says so; one "by" something finds."""
    if verb in NEVER_LIST:
        return kind
    if kind in ("one", "other") or (kind == "many" and verb == "all"):
        if kind == "one" and "by" in words[:-1] and words[-1] not in ("id", "ids", "uuid"):
            return "find"
        said = VERBS.get(said_verb)
        if (
            plural
            or said == "many"
            or words[-1:] in (("tree",), ("hierarchy",), ("children",), ("list",), ("listing",))
            or _LIST_OF.match(said_rest)
            or _OR_LISTS.search(said_rest[:200])
            or (said == "one" and names_many(said_rest))
        ):
            return "many"
        if said == "find":
            return "find"
        if kind == "other" and said:
            return said
    return kind
