"""Keeping secrets out of what is shown, logged and stored.

Every value of a server's `env` and `headers`, every value filled in from a variable, and the
userinfo and query of its URL are replaced by `***` wherever they turn up in text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

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
LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces one server's secrets by `***`."""

    secrets: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Iterable[str], url: str = "") -> "Redactor":
        found = set(values)
        for value in tuple(found):
            scheme, _, rest = value.partition(" ")
            if rest and scheme.lower() in ("bearer", "basic", "token"):
                found.add(rest)
        rest, _, query = url.partition("?")
        found.update(value for _, value in parse_qsl(query))
        userinfo = rest.partition("://")[2].partition("/")[0].rpartition("@")[0]
        for secret in (userinfo, *userinfo.split(":")):
            found.update((secret, unquote(secret)))
        found = {text.strip() for text in found}
        kept = (text for text in found if len(text) >= _SHORTEST and text.lower() not in _PLAIN)
        return cls(tuple(sorted(kept, key=lambda text: (-len(text), text))))

    def secrets_out(self, text: str) -> str:
        """`text` without the known secrets."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    def text(self, text: str) -> str:
        """`text` without secrets; URLs lose userinfo and query."""
        text = self.secrets_out(text)
        # looked for first, for the expression is slow and a flood of logs has no URL
        return _URL.sub(lambda found: found[1] + found[3], text) if "://" in text else text

    def line(self, text: str) -> str:
        """`text` without secrets as one printable line of at most LONGEST_LINE characters."""
        clean = " ".join(_CONTROL.sub(" ", self.text(text)).split())
        clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in clean)
        return clean if len(clean) <= LONGEST_LINE else clean[: LONGEST_LINE - 1] + "…"


def secret_arguments(args: Iterable[str]) -> list[str]:
    """Values among command arguments that a flag's name calls secret: `--api-key X`, `TOKEN=X`."""
    found: list[str] = []
    expected = False
    for arg in args:
        if expected and not arg.startswith("-"):
            found.append(arg)
        match = _SECRET_ARG.fullmatch(arg)
        expected = bool(match and not match[1])
        if match and match[1]:
            found.append(match[1])
    return found
