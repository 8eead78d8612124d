"""Third-party text made visible: nothing hides in it, and what changed stands out.

Invisible, bidirectional and tag characters are how instructions are hidden from a reader
(https://www.unicode.org/reports/tr36/, "Unicode Security Considerations"); each is shown by its code.
"""

import difflib
import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u00a0")
_WORD = re.compile(r"\s+|[^\s]+")
_CONTEXT = 6


def printable(text: str) -> str:
    """`text` with each character that a terminal might obey replaced by U+FFFD, for messages."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def visible(text: str, limit: int = 0) -> str:
    """`text` on one line, hidden characters as `⟨U+202E⟩`; beyond `limit` characters cut with `…`."""
    shown = "".join(_show(c) for c in (text[: limit + 1] if limit else text))
    return shown[:limit] + "…" if limit and len(shown) > limit else shown


def difference(before: str, after: str, limit: int = 600) -> str:
    """What changed, word by word: `[-gone-]` and `[+new+]` with a few words around."""
    old, new = _WORD.findall(before[:20_000]), _WORD.findall(after[:20_000])
    parts: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(_around(old[a:b], first=not parts))
            continue
        if gone := "".join(old[a:b]):
            parts.append(f"[-{visible(gone)}-]")
        if came := "".join(new[c:d]):
            parts.append(f"[+{visible(came)}+]")
    text = "".join(parts)
    return text if len(text) <= limit else text[:limit] + "…"


def _around(words: list[str], *, first: bool) -> str:
    if len(words) <= 2 * _CONTEXT:
        return visible("".join(words))
    head = "" if first else "".join(words[:_CONTEXT])
    return f"{visible(head)} … {visible(''.join(words[-_CONTEXT:]))}"


def _show(character: str) -> str:
    if character in "\n\r\t ":
        return " "
    if character in _BLANKS or unicodedata.category(character) in _HIDDEN or _is_selector(character):
        return f"⟨U+{ord(character):04X}⟩"
    return character


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
