"""A model's answer, read strictly where it can be and tolerantly where it must be.

Every provider is asked for JSON of `ANSWER_SCHEMA` by its own means. Not all obey: answers come inside
prose, in a fence, as a bare list, or cut off. All of these are read; what was recovered from a cut
answer is marked, so that it can be asked again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.edges.semantic.cleaning import clean_text

_EDGE: JsonObject = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "consumes": {"type": "string"},
        "path": {"type": "string"},
        "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
        "produces": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["from", "consumes", "path", "confidence", "produces", "reason"],
    "additionalProperties": False,
}
_CHECK: JsonObject = {
    "type": "object",
    "properties": {
        "from": {"type": "string"},
        "consumes": {"type": "string"},
        "verdict": {"type": "string", "enum": ["confirm", "doubt"]},
        "reason": {"type": "string"},
    },
    "required": ["from", "consumes", "verdict", "reason"],
    "additionalProperties": False,
}
ANSWER_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "edges": {"type": "array", "items": _EDGE},
        "checked": {"type": "array", "items": _CHECK},
    },
    "required": ["edges", "checked"],
    "additionalProperties": False,
}
"""One schema for all consumers: only what OpenAI's strict mode and Anthropic's output format both take."""

WORDS: dict[str, float] = {"high": 0.9, "medium": 0.7, "low": 0.5}

TEXT_LIMIT = 300
CLAIM_LIMIT = 400
"""More claims than this about one consumer are no answer but noise; the rest is dropped with a note."""


class ReplyError(ValueError):
    """An answer in which nothing can be read; `str()` says what was wrong, for the repair round."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One edge as a model stated it, cleaned but not yet checked. `path` "" for the whole parameter."""

    producer: str
    consumes: str
    path: str = ""
    confidence: float = 0.5
    produces: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A model's word on an edge that was found without it."""

    producer: str
    consumes: str
    doubted: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says. `cut` is true where it ended early and only its whole edges are here."""

    claims: tuple[Claim, ...]
    checks: tuple[Check, ...] = ()
    cut: bool = False
    unreadable: int = 0


def read_reply(text: str) -> Reply:
    """Read an answer. Raises ReplyError where it holds neither edges nor an empty list."""
    if not text.strip():
        raise ReplyError("the answer is empty")
    best: Reply | None = None
    for value in _json_values(text):
        reply = reply_of(value)
        # the last of several wins: a model that thinks aloud ends with its answer
        if reply is not None and (best is None or reply.claims or not best.claims):
            best = reply
    if best is not None:
        return best
    cut = _recover(text)
    if cut is not None:
        return cut
    if "{" in text or "[" in text:
        raise ReplyError("the JSON is broken, or has no list `edges`")
    raise ReplyError("there is no JSON in the answer")


def _json_values(text: str) -> Iterator[Json]:
    """Every outermost JSON object or array in `text`, in order."""
    decoder = json.JSONDecoder()
    position = 0
    tries = 0
    while tries < 200:
        starts = [i for i in (text.find("{", position), text.find("[", position)) if i >= 0]
        if not starts:
            return
        start = min(starts)
        tries += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        yield cast(Json, value)
        position = end


def reply_of(value: Json, cut: bool = False) -> Reply | None:
    """The reply that a JSON value states, None where it states none."""
    checks: Json = []
    if isinstance(value, dict):
        edges = value.get("edges")
        checks = value.get("checked", [])
    else:
        edges = value
    if not isinstance(edges, list):
        return None
    if not isinstance(value, dict) and edges and not any(_is_edge(e) for e in edges):
        return None
    claims = [_claim(e) for e in edges[:CLAIM_LIMIT]]
    good = tuple(c for c in claims if c is not None)
    read = tuple(c for c in (_check(e) for e in _as_list(checks)[:CLAIM_LIMIT]) if c is not None)
    return Reply(good, read, cut, len(edges) - len(good))


def _recover(text: str) -> Reply | None:
    """The whole edges of an answer that was cut off inside its list of edges."""
    start = text.find('"edges"')
    bracket = text.find("[", start + 7 if start >= 0 else 0)
    if bracket < 0:
        return None
    edges = [
        v for v in _json_values(text[bracket + 1 :]) if _is_edge(v) and "verdict" not in cast(JsonObject, v)
    ]
    if not edges:
        return None
    return reply_of({"edges": cast(Json, edges)}, cut=True)


def _is_edge(value: Json) -> bool:
    return isinstance(value, dict) and "from" in value and "consumes" in value


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _claim(value: Json) -> Claim | None:
    if not isinstance(value, dict):
        return None
    producer, consumes = value.get("from"), value.get("consumes")
    if not (isinstance(producer, str) and isinstance(consumes, str) and producer and consumes):
        return None
    return Claim(
        producer[:1000],
        consumes[:1000],
        _text(value.get("path")),
        _confidence(value.get("confidence")),
        _text(value.get("produces")),
        _text(value.get("reason")),
    )


def _check(value: Json) -> Check | None:
    if not isinstance(value, dict):
        return None
    producer, consumes, verdict = value.get("from"), value.get("consumes"), value.get("verdict")
    if not (isinstance(producer, str) and isinstance(consumes, str)) or verdict not in ("confirm", "doubt"):
        return None
    return Check(producer[:1000], consumes[:1000], verdict == "doubt", _text(value.get("reason")))


def _text(value: Json) -> str:
    return clean_text(value, TEXT_LIMIT) if isinstance(value, str) else ""


def _confidence(value: Json) -> float:
    """A word's number, a number within 0 and 1, else the lowest word's: doubt is no reason to drop."""
    if isinstance(value, str):
        try:
            value = WORDS.get(value.strip().lower()) or float(value)
        except ValueError:
            return WORDS["low"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return WORDS["low"]
    if value != value or value < 0:
        return WORDS["low"]
    return min(float(value), 1.0)
