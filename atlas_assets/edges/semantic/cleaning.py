"""Servers' text on its way into a prompt: made harmless, cut to length, and looked at for attempts.

Text is data. Control, bidirectional, zero-width and tag characters (Unicode categories Cc, Cf, Co,
Cs, Cn; also the blank fillers and variation selectors that hide text) carry nothing a model needs and are
how hidden instructions are smuggled, so they go. The phrases of prompt injection are only reported:
what an honest author writes is not to be mangled.
"""

import re
import unicodedata

_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})

_ATTEMPTS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (name, needed, re.compile(pattern, re.IGNORECASE))
    for name, needed, pattern in (
        (
            "tells the model to drop its rules",
            ("instruction", "rule", "prompt", "direction", "guideline"),
            r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|all|any|your)\b"
            r".{0,30}\b(instruction|rule|prompt|direction|guideline)",
        ),
        (
            "speaks as the system",
            ("<",),
            r"<\s{0,3}/?\s{0,3}(important|system|instructions?|secret|catalog|consumer|found)\s{0,3}>|<\|im_",
        ),
        (
            "speaks as the system",
            ("system", "assistant", "developer", "inst"),
            r"(^|\n)[ \t]{0,8}(system|assistant|developer)[ \t]{0,3}:|\[\s{0,3}/?(inst|system)\s{0,3}\]",
        ),
        (
            "asks to keep something from the user",
            ("user",),
            r"\b(do not|don't|never|without)\b.{0,20}\b(tell|mention|inform|reveal)(ing)?\b.{0,20}\buser",
        ),
        ("writes a consumer line", ("consumer",), r"(^|\n)[ \t]{0,8}CONSUMER[ \t]{0,3}:"),
        (
            "writes edges of its own",
            ("edges", "consumes"),
            r"[\"']edges[\"']\s{0,3}:|[\"']consumes[\"']\s{0,3}:",
        ),
        (
            "claims to come before every tool",
            ("must", "always"),
            r"\b(must|always)\b.{0,60}\b(producer|prerequisite|called first|run first)\b"
            r".{0,60}\b(every|all|any) (other )?tools?\b",
        ),
        (
            "asks for the prompt",
            ("catalog", "prompt"),
            r"\b(repeat|reveal|print|output|copy|quote)\b.{0,40}\b(system prompt|catalog|prompt above)",
        ),
    )
)
"""What is attempted, the words of which one must stand in the text, and how it is said."""

_SMUGGLED = re.compile(r"[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]|[\u200b-\u200f\u2060]{3}")
"""Tags and bidirectional marks, runs of zero-width: a single joiner stands in honest emoji and scripts."""


def clean_text(text: str, limit: int) -> str:
    """`text` on one line without hidden characters, at most `limit` characters, cut with `…`."""
    # a description can be megabytes long: what is far beyond the limit is not even looked at
    head = text[: limit * 4 + 64]
    line = " ".join(head.split())
    if not (line.isascii() and line.isprintable()):
        line = "".join(c for c in line if not is_hidden(c))
        line = " ".join(line.split())
    if len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line + "…" if len(text) > len(head) else line


def is_hidden(character: str) -> bool:
    """True for a character that a person does not see: control, format, tag, filler, unassigned."""
    if character in "\n\r\t ":
        return False
    if character in _BLANKS or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
        return True
    return unicodedata.category(character) in _HIDDEN_CATEGORIES


def steering_attempts(text: str) -> tuple[str, ...]:
    """What in `text` looks like an instruction to the model, as short phrases, sorted, each once."""
    head = text[:20_000]
    low = head.lower()
    found = {
        name
        for name, needed, pattern in _ATTEMPTS
        if any(word in low for word in needed) and pattern.search(head)
    }
    if not head.isascii() and _SMUGGLED.search(head):
        found.add("hides characters")
    return tuple(sorted(found))
