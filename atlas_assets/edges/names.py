"""What a tool's name says: its namespace, its verb and its object, in every style and as a REST path."""

import re
from collections import Counter
from collections.abc import Sequence

from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.vocabulary import CLEAR_VERBS, QUANTIFIERS, VERBS, VerbClass
from atlas_assets.edges.words import is_plural, singulars, split_words, word_set

PREPOSITIONS = word_set("by from to in on at for with of as into via using within per about under between")
ARTICLES = word_set("a an the")
HTTP_VERBS = word_set("post patch put get")
REST_NAME = re.compile(r"(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ _]+(/\S*)", re.I)
_PATH_PARAMETER = re.compile(r"^[{:]\s*([^}]+?)\s*}?(?:\.\w+)?$")
_VERSION = re.compile(r"v\d+(\.\d+)?|api|rest", re.I)


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


def read_path(
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
