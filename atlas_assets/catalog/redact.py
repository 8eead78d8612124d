"""Keeping secrets out of what is shown, logged and stored.

In messages and logs every value of a server's `env` and `headers`, every value filled in from a
variable, and the userinfo and query of its URL are replaced by `***`. In what a server says of its
tools only those that are certainly secret are, for there `us-east-1` is a word like any other.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote

from atlas_assets.catalog.tool import Json
from atlas_assets.catalog.visible import printable

_SHORTEST = 5
"""Shorter values (`1`, `true`, `en`) are no secrets, and taking them out would leave no text."""
_PLAIN = frozenset(("true", "false", "none", "null", "production", "development", "localhost", "utf-8"))
_URL = re.compile(r"\b([a-zA-Z][a-zA-Z0-9+.-]*://)([^\s/@\"'<>]*@)?([^\s?#\"'<>]*)(\?[^\s\"'<>]*)?")
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\S ]|[\x00-\x1f\x7f-\x9f]"
)
_SECRET_ARG = re.compile(
    r"(?i)-*[\w-]*(?:key|token|secret|passw|auth)[\w-]*(?:\s*[=:]\s*|$)(?:bearer\s+|basic\s+)?(.*)",
    re.DOTALL,
)
_SECRET_PAIR = re.compile(
    r"(?i)[\w-]*(?:key|token|secret|passw|pwd|auth)[\w-]*[\"']?\s*[:=]\s*[\"']?(?:bearer\s+|basic\s+)?([^\s\"',;&}\]]+)"
)
"""`"apiKey": "X"` inside a JSON argument, `Password=X` inside a connection string."""
_SECRET_NAME = re.compile(
    r"(?i)key|token|secret|passw|pwd|passphrase|auth|cred|cookie|session|private|dsn|(?:^|_)(?:pat|sid)$"
)
_LONG_CODE = re.compile(r"(?=[^\s/.:]*[0-9])(?=[^\s/.:]*[A-Za-z])[^\s/.:]{20,}")
_CERTAIN = 8
"""A certain secret has this many characters at least; `dummy` may be part of any text."""
LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces one server's secrets by `***`; `certain` are those of them that are no plain words."""

    secrets: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, str], secrets: Iterable[str] = (), url: str = "") -> "Redactor":
        """From values by their names, values known as secrets, and a URL."""
        certain = {part for secret in secrets for part in _with_parts(secret)}
        certain.update(_parts_of(url))
        plain: set[str] = set()
        for name, value in values.items():
            is_secret = _SECRET_NAME.search(name) or _LONG_CODE.fullmatch(value)
            (certain if is_secret else plain).update(_with_parts(value))
            certain.update(_parts_of(value))
        return cls(_longest_first(plain | certain, _SHORTEST), _longest_first(certain, _CERTAIN))

    def cleaned(self, value: Json) -> Json:
        """A server's own words without certain secrets; the very same value where it repeats none."""
        if not self.certain:
            return value
        try:
            text = json.dumps(value, ensure_ascii=False)
            if not any(json.dumps(secret, ensure_ascii=False)[1:-1] in text for secret in self.certain):
                return value
            return self._clean(value)
        except RecursionError:
            return value  # nested beyond reason: it is refused where it is read

    def _clean(self, value: Json) -> Json:
        if isinstance(value, str):
            return _without(value, self.certain)
        if isinstance(value, list):
            return [self._clean(inner) for inner in value]
        if isinstance(value, dict):
            return {_without(key, self.certain): self._clean(inner) for key, inner in value.items()}
        return value

    def text(self, text: str) -> str:
        """`text` without secrets; URLs lose userinfo and query."""
        text = _without(text, self.secrets)
        # looked for first, for the expression is slow and a flood of logs has no URL
        return _URL.sub(lambda found: found[1] + found[3], text) if "://" in text else text

    def line(self, text: str) -> str:
        """`text` without secrets as one printable line of at most LONGEST_LINE characters."""
        clean = printable(" ".join(_CONTROL.sub(" ", self.text(text)).split()))
        return clean if len(clean) <= LONGEST_LINE else clean[: LONGEST_LINE - 1] + "…"


def _without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _with_parts(value: str) -> tuple[str, ...]:
    """A value, and what follows the scheme of an Authorization header."""
    scheme, _, rest = value.partition(" ")
    return (value, rest) if rest and scheme.lower() in ("bearer", "basic", "token") else (value,)


def _parts_of(url: str) -> set[str]:
    """The userinfo of a URL, its halves, and the values of its query; empty for any other text."""
    rest = url.partition("://")[2]
    place, _, query = rest.partition("?")
    userinfo = place.partition("/")[0].rpartition("@")[0]
    found = {value for _, value in parse_qsl(query)}
    for part in (userinfo, userinfo.partition(":")[2], "" if ":" in userinfo else userinfo):
        found.update((part, unquote(part)))
    return found


def _longest_first(found: Iterable[str], shortest: int) -> tuple[str, ...]:
    stripped = {text.strip() for text in found}
    # a server that prints its settings as JSON, or puts them into a URL, spells them so
    stripped |= {json.dumps(text, ensure_ascii=False)[1:-1] for text in stripped}
    stripped |= {quote(text, safe="") for text in stripped if text.isascii()}
    kept = (text for text in stripped if len(text) >= shortest and text.lower() not in _PLAIN)
    return tuple(sorted(kept, key=lambda text: (-len(text), text)))


def secret_arguments(args: Iterable[str]) -> list[str]:
    """Values among command arguments that are secret: by the name of a flag or a key before them
    (`--api-key X`, `TOKEN=X`), as userinfo or query of a URL, or as one long code.
    """
    found: list[str] = []
    expected = False
    for arg in args:
        if (expected and not arg.startswith("-")) or _LONG_CODE.fullmatch(arg):
            found.append(arg)
        match = _SECRET_ARG.fullmatch(arg)
        expected = bool(match and not match[1])
        if match and match[1]:
            found.append(match[1])
        found.extend(_SECRET_PAIR.findall(arg))
        found.extend(_parts_of(arg))
    return found
