"""The slug rule: the heuristic of the first MCP Atlas, kept for comparison.

For a consumer's required `<noun>_id` or `<noun>Id`, every other tool whose slug has the noun (also
in the plural) and a producer verb, as words between underscores. Deterministic, case-insensitive, and
blind to everything else.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge

PRODUCER_VERBS = ("list", "get", "search", "fetch", "create", "read", "insert", "add", "lookup")
SLUG_CONFIDENCE = 0.7
"""What the rule claims for every edge; it has no way to tell them apart."""

_NOUN_ID = re.compile(r"(.+?)(?:_id|Id)", re.DOTALL)


def noun_of(parameter: str) -> str | None:
    """The noun of `<noun>_id` or `<noun>Id` in lower case, None for another name."""
    found = _NOUN_ID.fullmatch(parameter)
    return found.group(1).strip("_-").lower() or None if found else None


def plurals(noun: str) -> tuple[str, ...]:
    """The noun and its plain English plurals, as they may stand in a slug."""
    forms = [noun, noun + "s"]
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        forms.append(noun + "es")
    if noun.endswith("y"):
        forms.append(noun[:-1] + "ies")
    return tuple(forms)


def slug_edges(tools: Sequence[Tool]) -> tuple[Edge, ...]:
    """Every edge that the slug rule finds among `tools`, sorted by key."""
    by_word: dict[str, list[Tool]] = defaultdict(list)
    for tool in sorted(tools, key=lambda tool: tool.slug):
        words = _words(tool.slug)
        if not words.isdisjoint(PRODUCER_VERBS):
            for word in words:
                by_word[word].append(tool)
    edges = []
    for consumer in tools:
        for parameter in consumer.required_parameters:
            noun = noun_of(parameter.name)
            for producer in _with_noun(noun, by_word) if noun else ():
                if producer.slug != consumer.slug:
                    edges.append(_edge(producer.slug, consumer.slug, parameter.name, str(noun)))
    return tuple(sorted(edges, key=lambda edge: edge.key))


def _words(slug: str) -> frozenset[str]:
    """The words of a slug between underscores; the rule knows no other style of names."""
    return frozenset(slug.lower().replace("::", "_").split("_"))


def _with_noun(noun: str, by_word: dict[str, list[Tool]]) -> list[Tool]:
    found: dict[str, Tool] = {}
    for form in plurals(noun):
        last = form.rsplit("_", 1)[-1]
        for tool in by_word.get(last, ()):
            if f"_{form}_" in f"_{tool.slug.lower().replace('::', '_')}_":
                found[tool.slug] = tool
    return [found[slug] for slug in sorted(found)]


def _edge(producer: str, consumer: str, parameter: str, noun: str) -> Edge:
    return Edge(
        producer=producer,
        consumer=consumer,
        consumes=parameter,
        type="direct",
        layer="slug",
        provider="heuristic",
        confidence=SLUG_CONFIDENCE,
        reason=f"The name {producer!r} holds the noun {noun!r} of {parameter!r} and a verb that produces.",
    )
