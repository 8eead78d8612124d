"""Noun phrases and identifier phrases in the prose of descriptions, without a grammar.

A description's first sentence mostly is a verb and a noun phrase ("List all pull requests in a
repository"); a parameter's is mostly an identifier phrase ("ID of the pull request"). Both are read
by stop words; what is read wrong costs a candidate, never an error.
"""

import re
from functools import lru_cache

from atlas_assets.edges.vocabulary import DETERMINERS, ID_SUFFIXES, PHRASE_ENDS, VERBS
from atlas_assets.edges.words import is_plural, singular, singulars, split_words, word_set

Noun = tuple[str, ...]
"""A resource: its words in lower case and in the singular, the head last."""

MAX_PROSE = 2_000
"""Characters of a description that are read; what an author says first says what a tool is."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s")
_PART = re.compile(r"[A-Za-z0-9_'’\-]+|[,.:;()\[\]/&|\"]")
_GIVES = re.compile(
    r"\b(?:returns?|provides?|retrieves?|lists?|shows?|displays?|includ(?:es?|ing)|fetch(?:es)?|outputs?|"
    r"gives?|yields?|contains?|exposes?|responds? with)\s+",
    re.I,
)
_PREAMBLE = re.compile(
    r"^(?:\[[^\]]{1,60}\]:?\s*|[A-Z][\w. ]{0,30}\s[|:]\s)?"
    r"(?:(?:use )?this (?:tool|command|function|endpoint|api|operation|method)\s+"
    r"(?:to\s+|can be used to\s+|is used to\s+|will\s+|can\s+|lets you\s+|allows you to\s+|allows to\s+)?"
    r"|(?:a )?tool (?:to|for|that)\s+|use (?:it )?to\s+|allows (?:you |users |an agent )?to\s+"
    r"|lets you\s+|used to\s+)?",
    re.I,
)
_ARGUMENT = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?[`*\"']{0,3}([A-Za-z_][\w\-]{0,60})[`*\"']{0,3}[ \t]*"
    r"(?:\([^)\n]{0,60}\))?[ \t]*[:–—-][ \t]+(.{3,400})$",
    re.M,
)
_RETURNS_ID = re.compile(
    r"\b(?:returns?|returning|get(?:s)? back|gives? back|provides?|responds? with"
    r"|outputs?|yields?)\b([^.\n]{0,160})",
    re.I,
)
_ID_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*")
_ID_OF = re.compile(
    r"\b(?:ids?|identifiers?|uuids?|guids?|keys?|numbers?|names?|slugs?|arns?|handles?|index(?:es)?|indices|"
    r"sha|hash|codes?|tokens?|timestamps?|paths?|urls?|uris?|refs?|references?)\s+(?:\([^)]*\)\s*)?(?:of|for|identifying)\s+([^.;:\n(]{2,90})",
    re.I,
)
_NOUN_ID = re.compile(
    r"((?:[A-Za-z0-9\-]+\s+){1,4})(?:ids?|identifiers?|uuids?|guids?|keys?|numbers?|names?|slugs?|arns?|"
    r"index|indices|handles?|sids?)\b",
    re.I,
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, its lines being sentences too."""
    return [part.strip() for part in _SENTENCE.split(text[:MAX_PROSE]) if part.strip()]


@lru_cache(maxsize=100_000)
def nouns(text: str, limit: int = 4) -> tuple[Noun, ...]:
    """The noun phrases that `text` begins with, up to the first word that ends a phrase.

    "all pull requests and review comments of a user" gives (pull, request) and (review, comment).
    """
    found: list[Noun] = []
    words: list[str] = []
    lead = True

    def finish() -> None:
        nonlocal words, lead
        if words:
            noun = singulars(words)[-4:]
            if noun not in found:
                found.append(noun)
        words, lead = [], True

    for part in _PART.findall(text):
        low = part.lower().strip("'’-")
        if not low[:1].isalnum():
            if part in ",/&|":
                finish()
                continue
            if part in "\"'":
                continue
            break
        if low in ("and", "or"):
            finish()
            continue
        if low.endswith(("'s", "’s")):
            low = low[:-2]
        if lead and low in DETERMINERS:
            continue
        if low in PHRASE_ENDS:
            if words or not lead:
                break
            continue
        lead = False
        words.extend(split_words(part.strip("'’")) or (low,))
        if len(found) >= limit:
            break
    finish()
    return tuple(found[:limit])


NO_LIST = word_set(
    "content detail property setting statistic permission information stat metric relationship result "
    "credential instruction attribute byte contents capability"
)


def names_many(text: str) -> bool:
    """Whether the noun phrase that `text` begins with is a plural."""
    last = ""
    for part in _PART.findall(text):
        low = part.lower().strip("'’-")
        if not low[:1].isalnum() or low in ("and", "or") or (low in PHRASE_ENDS and last):
            break
        if low in DETERMINERS and not last:
            continue
        if low not in PHRASE_ENDS:
            last = low
    return bool(last) and is_plural(last) and singular(last) not in NO_LIST


def first_verb(text: str) -> tuple[str, str]:
    """The verb that a description begins with and what follows it; ("", text) where it begins otherwise."""
    text = text.strip().lstrip("*#-_ ")
    preamble = _PREAMBLE.match(text)
    text = text[preamble.end() :] if preamble else text
    head, _, rest = text.partition(" ")
    word = head.lower().strip(".,:;()[]*`")
    for form in _forms(word):
        if form in VERBS:
            return form, rest
    return "", text


def _forms(word: str) -> tuple[str, ...]:
    forms = [word]
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("s"):
        forms.append(word[:-1])
    if word.endswith("ing"):
        forms.extend((word[:-3], word[:-3] + "e"))
    return tuple(forms)


def given_nouns(sentence: str) -> tuple[Noun, ...]:
    """Noun phrases after "returns", "provides", "including" … anywhere in a sentence."""
    found: list[Noun] = []
    for match in _GIVES.finditer(sentence):
        for noun in nouns(sentence[match.end() : match.end() + 160], 6):
            if noun not in found:
                found.append(noun)
    return tuple(found)


def returned_ids(text: str) -> tuple[tuple[Noun, str], ...]:
    """Identifiers that a description says are returned: "Returns a process_id" gives (process), id."""
    found: list[tuple[Noun, str]] = []
    for match in _RETURNS_ID.finditer(text[:MAX_PROSE]):
        for token in _ID_TOKEN.findall(match.group(1)):
            words = singulars(split_words(token))
            if len(words) > 1 and words[-1] in ID_SUFFIXES | {"token", "key", "number"}:
                found.append((words[:-1], words[-1]))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=20_000)
def either(text: str) -> tuple[Noun, ...]:
    """The resources of "The ID of the machine or container": either will do."""
    for sentence in sentences(text)[:1]:
        for match in _ID_OF.finditer(sentence):
            found = nouns(match.group(1), 3)
            if len(found) > 1 and re.search(r"\bor\b|/", match.group(1)):
                return found
    return ()


@lru_cache(maxsize=20_000)
def identified_of(text: str) -> tuple[Noun, ...]:
    """As `identified`, but only "ID of the X"."""
    return tuple(
        noun
        for sentence in sentences(text)[:1]
        for match in _ID_OF.finditer(sentence)
        for noun in nouns(match.group(1), 1)
    )


@lru_cache(maxsize=20_000)
def identified(text: str) -> tuple[Noun, ...]:
    """The resources whose identifier a parameter's description speaks of ("ID of the chat")."""
    found: list[Noun] = []
    head = sentences(text)[:1]
    for sentence in head:
        for match in _ID_OF.finditer(sentence):
            found.extend(nouns(match.group(1), 1))
        for match in _NOUN_ID.finditer(sentence):
            words = [word for word in match.group(1).split() if word.lower() not in DETERMINERS]
            kept: list[str] = []
            for word in reversed(words):
                if word.lower() in PHRASE_ENDS:
                    break
                kept.insert(0, word)
            if kept:
                found.append(singulars(word for part in kept for word in split_words(part)))
    return tuple(dict.fromkeys(noun for noun in found if noun))


def described_arguments(text: str) -> dict[str, str]:
    """Parameter texts that a description gives in a list ("Args:\\n  user_id: The id of the user")."""
    return {match.group(1): match.group(2).strip() for match in _ARGUMENT.finditer(text[:20_000])}
