"""What a server prints on stderr: kept within bounds, without secrets, one rotated file a server."""

import hashlib
import re
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from atlas_assets.catalog.redact import Redactor

_LONGEST_LINE = 8_192
_TAIL = 40 * 1_024
_TELLING = re.compile(
    r"(?i)\b\w*(?:error|exception)\b\s*:|\berror\b|missing|required|not found|denied|invalid"
)
_STACK = re.compile(
    r"\s+at |\s*File \"|Node\.js v|\s*\^+\s*$|npm (?:error|ERR!) (?:A complete log|.*debug-0\.log)"
)


class StderrLog:
    """Takes a server's stderr; the newest `limit` bytes stay, half in the file, half in its elder.

    `folder` None keeps only the last lines, in memory, for the reason of a failure.
    """

    def __init__(self, folder: Path | None, server: str, redactor: Redactor, limit: int) -> None:
        self.redactor = redactor
        self.half = max(limit // 2, 1)
        self.last: deque[str] = deque(maxlen=40)
        self._rest = b""
        self._written = 0
        self._path = folder / log_name(server) if folder is not None else None
        self._file: BinaryIO | None = None

    def __enter__(self) -> "StderrLog":
        if self._path is not None:
            # a folder that cannot be written costs the log, not the server
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                if self._path.exists():
                    self._path.replace(self._elder(self._path))
                self._file = self._path.open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        if self._rest:
            self._keep(self._rest)
            self._rest = b""
        if self._file is not None:
            self._file.close()
            self._file = None

    def feed(self, data: bytes) -> None:
        """Take some bytes; lines are cleaned whole, so that a secret cannot hide at a seam."""
        whole, separator, rest = (self._rest + data).rpartition(b"\n")
        if not separator and len(rest) > _LONGEST_LINE:
            whole, rest = rest, b""
        self._rest = rest[-_LONGEST_LINE:]
        if whole:
            self._keep(whole)

    def reason(self) -> str:
        """The line that tells most about a failure, empty where there is none."""
        lines = [self.redactor.line(line) for line in self.last]
        candidates = [
            line for line, raw in zip(lines, self.last, strict=True) if line and not _STACK.match(raw)
        ]
        telling = [line for line in candidates if _TELLING.search(line)]
        return (telling or candidates or [""])[-1]

    def _keep(self, lines: bytes) -> None:
        text = lines.decode("utf-8", errors="replace").replace("\r\n", "\n")
        self.last.extend(line[:_LONGEST_LINE] for line in text[-_TAIL:].split("\n"))
        if self._file is None or self._path is None:
            return
        data = (self.redactor.text(text) + "\n").encode("utf-8", errors="replace")[-self.half :]
        if self._written and self._written + len(data) > self.half:
            self._file.close()
            self._path.replace(self._elder(self._path))
            self._file = self._path.open("wb")
            self._written = 0
        self._file.write(data)
        self._written += len(data)

    @staticmethod
    def _elder(path: Path) -> Path:
        return path.with_name(path.name + ".1")


def log_name(server: str) -> str:
    """A file name for a server's log: readable, safe on any disk, different for different names."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "_", server)[:60]
    if readable and readable == server:
        return f"{readable}.log"
    return f"{readable}-{hashlib.sha256(server.encode()).hexdigest()[:8]}.log"
