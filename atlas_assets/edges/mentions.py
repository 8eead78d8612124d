"""The author's own words: sibling tools that a description names as the way to a parameter's value.

"Use list_projects to get the id", "returned by search", "call get_tree first" are evidence; "use
read_text_file instead", "prefer X", "unlike X" are not. Only names that a catalog really has count.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from atlas_assets.edges.phrases import Noun, nouns
from atlas_assets.edges.words import singulars, split_words

_TOKEN = re.compile(r"[A-Za-z0-9](?:[\w.\-]*[A-Za-z0-9])?")
_AGAINST = re.compile(
    r"\b(instead|prefer|preferred|unlike|rather than|deprecated|alternative(?:ly)?|replaced by|superseded|"
    r"not (?:use|call)|don'?t|do not|never|equivalent|similar to|same as|see also|faster than|"
    r"before calling this|"
    r"for (?:\w+ ){0,3}use|afterwards?|then (?:use|call)|followed by|next step|"
    r"check (?:progress|status) with|poll)\b",
    re.I,
)
_FOR = re.compile(
    r"\b(from|via|using|use|used|returned by|returned from|obtain(?:ed)?|get|call|first|discover|find|found|"
    r"see|by|"
    r"provided by|output of|result of|response of|retrieved?|look(?:ed)? up|fetch(?:ed)?|run|extracted|with|"
    r"by calling|available|list|prerequisite|requires?|must)\b",
    re.I,
)
_CALLED_WITH = re.compile(r"\b(?:call|use|to)\W{1,4}[\w.\-]+\W{1,4}with\b", re.I)
_BREAK = re.compile(r"(?<=[.!?;])\s+|\n")


@dataclass(frozen=True, slots=True)
class Mention:
    """One sentence that names a tool of the same server."""

    tool: str
    sentence: str
    words: frozenset[str]
    positive: bool


class ToolNames:
    """The names by which one server's tools may be called in prose."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_text: dict[str, str] = {}
        self._found: dict[tuple[str, str], list[Mention]] = {}
        for name in sorted(names):
            if len(split_words(name)) >= 2:
                self._by_text.setdefault(_plain(name), name)

    def mentions(self, text: str, *, itself: str) -> list[Mention]:
        """Sentences of `text` that name another tool."""
        if not text:
            return []
        if (text, itself) in self._found:
            return self._found[text, itself]
        found: list[Mention] = []
        self._found[text, itself] = found
        if not self._named(text[:6_000]):
            return found
        for sentence in _BREAK.split(text[:6_000]):
            named = self._named(sentence)
            named.discard(itself)
            if not named:
                continue
            positive = (
                bool(_FOR.search(sentence))
                and not _AGAINST.search(sentence)
                and not _CALLED_WITH.search(sentence)
            )
            words = frozenset(singulars(split_words(self._without(sentence, named))))
            found.extend(Mention(name, sentence.strip()[:240], words, positive) for name in sorted(named))
        return found

    def _without(self, sentence: str, named: set[str]) -> str:
        """The sentence without the tools' own names, whose words say nothing about it."""
        return _TOKEN.sub(
            lambda t: "" if self._by_text.get(_plain(t.group())) in named else t.group(), sentence
        )

    def _named(self, sentence: str) -> set[str]:
        named: set[str] = set()
        tokens = _TOKEN.findall(sentence)
        for token in tokens:
            if "_" in token or "-" in token or "." in token or (not token.islower() and not token.isupper()):
                name = self._by_text.get(_plain(token))
                if name is not None:
                    named.add(name)
        return named


_PUNCTUATION = str.maketrans("", "", "_-./: ")


def _plain(name: str) -> str:
    return name.lower().translate(_PUNCTUATION)


_REFERENCE = re.compile(
    r"\b(?:refs?|references?|ids?|identifiers?|handles?|uids?|index|indices|numbers?|keys?|tokens?|slugs?"
    r"|names?|values?)\b"
    r"(?:(?!\bto\b)[^.;\n]){0,40}?\b(?:from|returned by|"
    r"obtained (?:from|via|by)|found in|shown in|listed in|provided by|as in)\s+([^.;,\n()]{3,70})",
    re.I,
)


def sources(text: str) -> tuple[tuple[Noun, str], ...]:
    """What a description says a reference comes from: "element reference from the page snapshot"."""
    found = []
    for match in _REFERENCE.finditer(text[:1_000]):
        for noun in nouns(match.group(1), 1):
            found.append((noun, " ".join(match.group(0).split())))
    return tuple(found)


def by_tool(mentions: Iterable[Mention]) -> Mapping[str, Mention]:
    """The first positive mention of each tool."""
    found: dict[str, Mention] = {}
    for mention in mentions:
        if mention.positive:
            found.setdefault(mention.tool, mention)
    return found
