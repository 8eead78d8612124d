"""The bounds of a scan: what one server may cost before it is given up, each named in its error."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from atlas_assets.errors import ConfigError

PREFIX = "ATLAS_SCAN_"


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """Bounds of one server's scan, and how many are scanned at once.

    `start_seconds` runs from the start of the process (or connection) to the end of the handshake,
    downloads by `npx` and `uvx` included; `list_seconds` from there to the last page. `stop_seconds`
    is how long a server may take to leave after its stdin closed, and again after SIGTERM.
    `message_bytes` bounds one message, `stderr_bytes` what is kept of a server's stderr. Each is
    set by an environment variable too: `ATLAS_SCAN_START_SECONDS` and so on.
    """

    start_seconds: float = 120.0
    list_seconds: float = 60.0
    stop_seconds: float = 1.0
    tools: int = 5_000
    message_bytes: int = 16_000_000
    pages: int = 200
    stderr_bytes: int = 1_000_000
    at_once: int = 32

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "ScanLimits":
        """Raises ConfigError for a bound that is no positive number."""
        chosen: dict[str, float] = {}
        for bound in fields(cls):
            variable = PREFIX + bound.name.upper()
            text = environ.get(variable)
            if not text:
                continue
            whole = isinstance(bound.default, int)
            try:
                value = int(text) if whole else float(text)
            except ValueError:
                value = 0
            if not 0 < value < float("inf"):
                kind = "a whole number" if whole else "a number"
                raise ConfigError(f"{variable}={text!r} is no bound; set {kind} above 0")
            chosen[bound.name] = value
        return cls(**chosen)  # type: ignore[arg-type]
