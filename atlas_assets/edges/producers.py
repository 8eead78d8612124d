"""What a tool does and what it offers: its verb, its object, and the resources its answer names.

A name falls into namespace, verb and object (`sql_server_firewall-rule_list`, `listPullRequests`,
`GET /users/{id}/posts`); the description's first sentence and its "returns …" clauses add further
offers, each weaker than the name. Output fields are read in `outputs`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.outputs import Offer, output_offers
from atlas_assets.edges.phrases import (
    NO_LIST,
    Noun,
    first_verb,
    given_nouns,
    names_many,
    nouns,
    returned_ids,
    sentences,
)
from atlas_assets.edges.vocabulary import (
    ACTION_PARAMETERS,
    CLEAR_VERBS,
    HARD_SHELLS,
    ID_SUFFIXES,
    QUANTIFIERS,
    READERS,
    REMOVERS,
    SHELLS,
    STATES,
    VERBS,
    VerbClass,
)
from atlas_assets.edges.words import is_plural, singular, singulars, split_words, word_set

PREPOSITIONS = word_set("by from to in on at for with of as into via using within per about under between")
REST_NAME = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ _]+(/\S*)", re.I)
_PATH_PARAMETER = re.compile(r"^[{:]\s*([^}]+?)\s*}?(?:\.\w+)?$")
_VERSION = re.compile(r"v\d+(\.\d+)?|api|rest", re.I)

Scope = Literal["many", "one"]


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


def shared_prefix(names: Sequence[tuple[str, ...]], server: str) -> int:
    """How many leading words nearly all of a server's tool names share, and so say nothing."""
    drop = 0
    own = set(split_words(server))
    while len(names) >= 3:
        heads = Counter(words[drop] for words in names if len(words) > drop + 1)
        if not heads:
            break
        word, count = min(heads.items(), key=lambda item: (-item[1], item[0]))
        enough = 0.8 if word not in own else 0.6
        if count < enough * len(names) or (word in CLEAR_VERBS and word not in own):
            break
        drop += 1
        if drop == 3:
            break
    return drop


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
        verb, verb_class, object_words, space, above, before = _read_path(
            rest.group(1).upper(), rest.group(2)
        )
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
        else tuple(_offers(tool, verb_class, noun, mutates, said_verb, said_rest, opening, kept))
    )
    wild = verb_class == "find" and not rest and _searches_all(words, space, said_verb, text, tool.server)
    return Signature(
        tool, verb, verb_class, noun, space, plural, mutates, bool(rest), above, offers, wild, words, before
    )


ANYTHING = word_set(
    "content item object resource entity everything anything record data document information element node"
)


_WEB = re.compile(r"\b(web|internet|online)\b", re.I)


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


def split_name(
    words: tuple[str, ...], said_verb: str = "", no_verbs: frozenset[str] = frozenset()
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Verb, namespace and object words of a tool's name; the verb is "" where the name has none."""
    if not words:
        return "", (), ()
    words = tuple(word for word in words if word not in ARTICLES)
    while len(words) > 1 and _VERSION.fullmatch(words[-1]):
        words = words[:-1]
    if len(words) > 1 and words[0] in HTTP_VERBS and words[1] in CLEAR_VERBS:
        words = words[1:]
    at = _verb_at(words, said_verb, no_verbs) if words else None
    if at is None:
        return "", (), _clean(words)
    verb, space, after = words[at], words[:at], words[at + 1 :]
    while after and (after[0] in QUANTIFIERS or after[0] in ("or", "and")):
        joined = after[0] in ("or", "and")
        after = after[1:]
        if joined and after and after[0] in VERBS:
            after = after[1:]
    if verb in QUANTIFIERS and after and after[0] in VERBS:
        verb, after = after[0], after[1:]
    cleaned = () if after == (verb,) else _clean(after)
    if not cleaned:
        return verb, space, _clean(space) or (verb,)
    return verb, space, cleaned


def _verb_at(words: tuple[str, ...], said_verb: str, no_verbs: frozenset[str]) -> int | None:
    if (
        words[0] in VERBS
        and words[0] not in no_verbs
        and not (len(words) > 1 and words[0] not in CLEAR_VERBS and words[-1] in CLEAR_VERBS)
    ):
        return 0
    for at in range(1, len(words)):
        if words[at] in CLEAR_VERBS:
            return at
    if len(words) > 1 and words[-1] in VERBS and (words[-1] == said_verb or VERBS[words[-1]] == "change"):
        return len(words) - 1
    for at in range(1, len(words)):
        if words[at] in VERBS and words[at] == said_verb:
            return at
    return None


def _clean(words: tuple[str, ...]) -> tuple[str, ...]:
    """Object words up to the first preposition, without quantifiers."""
    kept: list[str] = []
    for word in words:
        if word in PREPOSITIONS:
            if kept:
                break
            continue
        if not kept and word in QUANTIFIERS:
            continue
        kept.append(word)
    return tuple(kept)


_LIST_OF = re.compile(r"(or list|a (paginated |full |complete )?list|all|lists? of|and list)\b", re.I)
_OR_LISTS = re.compile(r"\b(or|and|/)\s*(lists?|listing)\b|\blists? all\b", re.I)
_BRACKETS = re.compile(
    r"^(?:(?!\b(?:for|in|of|on|from|by|to|with|at|as)\b)[^().]){3,60}\(([a-z][^()]{2,80})\)"
)
ARTICLES = word_set("a an the")
HTTP_VERBS = word_set("post patch put get")
NEVER_LIST = word_set("read load download export capture snapshot scrape crawl convert calculate compute")


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


def _read_path(
    method: str, path: str
) -> tuple[str, VerbClass, tuple[str, ...], tuple[str, ...], dict[str, Noun], dict[str, tuple[str, ...]]]:
    above: dict[str, Noun] = {}
    before: dict[str, tuple[str, ...]] = {}
    statics: list[tuple[str, ...]] = []
    ends_with_parameter = False
    for segment in path.split("?")[0].split("/"):
        if not segment or (_VERSION.fullmatch(segment) and not statics):
            continue
        parameter = _PATH_PARAMETER.match(segment)
        ends_with_parameter = parameter is not None
        if parameter:
            above[parameter.group(1)] = singulars(statics[-1]) if statics else ()
            before[parameter.group(1)] = tuple(words[-1] for words in statics[:-1])
        else:
            words = split_words(re.sub(r"\.(json|xml)$", "", segment))
            if words and not (statics and words in (("self",), ("me",), ("current",))):
                statics.append(words)
    search = bool(statics) and len(statics) > 1 and statics[0][-1] in ("search", "find")
    last = statics[-1] if statics else ()
    kind: VerbClass
    if method in ("GET", "HEAD"):
        kind = (
            "find"
            if search
            else "one"
            if ends_with_parameter or not (last and is_plural(last[-1]))
            else "many"
        )
    elif method == "POST":
        kind = "one" if ends_with_parameter else "make"
    else:
        kind = "change"
    space = tuple(words[-1] for words in statics[:-1] if words)
    return method.lower(), kind, last, space, above, before


def _offers(
    tool: Tool,
    kind: VerbClass,
    noun: Noun,
    mutates: bool,
    said_verb: str,
    said_rest: str,
    opening: list[str],
    kept: Noun = (),
) -> list[Offer]:
    found: dict[tuple[Noun, str], Offer] = {}

    def offer(
        what: Noun, weight: float, source: Literal["name", "description", "returns"], hard: bool
    ) -> None:
        for shape, factor in _shapes(what, hard):
            new = Offer(shape, weight * factor, source)
            old = found.get((shape, ""))
            if shape and (old is None or old.weight < new.weight):
                found[shape, ""] = new

    offer(noun, 1.0, "name", True)
    if kept:
        offer(kept, 0.9, "name", False)
    said_kind = VERBS.get(said_verb)
    if said_kind in READERS or (said_kind in ("make", "start", "login") and kind != "change"):
        for place, what in enumerate(nouns(said_rest, 4 if said_kind in READERS else 1)):
            offer(what, (0.9, 0.85, 0.8, 0.75)[place], "description", place == 0)
    elif not said_verb and opening and kind in READERS:
        for what in nouns(opening[0], 1):
            offer(what, 0.7, "description", True)
    if not mutates:
        brackets = _BRACKETS.search(opening[0]) if opening else None
        for what in nouns(brackets.group(1)) if brackets else ():
            offer(what, 0.6, "returns", True)
        for place, sentence in enumerate(opening[:8]):
            for what in given_nouns(sentence):
                offer(what, 0.6 if place else 0.55, "returns", True)
    said_ids = [
        Offer(
            what,
            0.95 if kind not in READERS else 0.6,
            "returns",
            None,
            suffix,
            bool(noun) and what[-1] == noun[-1],
        )
        for what, suffix in returned_ids(tool.description)
    ]
    return [*found.values(), *said_ids, *output_offers(tool, noun, mutates)]


def _shapes(noun: Noun, hard: bool) -> list[tuple[Noun, float]]:
    """The noun, and the nouns inside its shells: (page, tree) also offers (page)."""
    shapes = [(noun, 1.0)]
    inner = noun
    while len(inner) > 1 and (inner[-1] in SHELLS or inner[-1] in ID_SUFFIXES):
        factor = 1.0 if hard and (inner[-1] in HARD_SHELLS or inner[-1] in ID_SUFFIXES) else 0.75
        inner = inner[:-1]
        shapes.append((inner, shapes[-1][1] * factor))
    if len(noun) > 1 and noun[-1] in STATES and noun[-1] not in SHELLS:
        shapes = [(noun, 1.0)]
    return shapes
