"""From a server's bytes to JSON-RPC messages, whatever else it prints.

Servers print logs, JSON that is no JSON-RPC, and bytes that are not UTF-8 on stdout; all of that is
passed over. What looks like a message is read leniently where only the envelope is wrong
(`"error": null` beside a result, a batch).
"""

import json

from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from atlas_assets.errors import ScanError

BYTE_LIMIT = "byte limit"
"""In the text of httpx2's error for an event that is too large; it has no type of its own."""


class LineSplitter:
    """Splits a byte stream into lines; one that grows beyond `limit` bytes raises ScanError."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their line ends."""
        *whole, rest = data.split(b"\n")
        lines: list[bytes] = []
        for part in whole:
            self._hold(part)
            lines.append(b"".join(self._parts))
            self._parts, self._held = [], 0
        self._hold(rest)
        return lines

    def _hold(self, part: bytes) -> None:
        self._held += len(part)
        if self._held > self.limit:
            self._parts = []
            raise too_large(self.limit)
        if part:
            self._parts.append(part)


def too_large(limit: int) -> ScanError:
    return ScanError(
        f"sent a message of more than {limit} bytes; raise ATLAS_SCAN_MESSAGE_BYTES if it is right to"
    )


def read_messages(line: bytes) -> list[JSONRPCMessage]:
    """The JSON-RPC messages of one line; empty where it is something else.

    Raises ScanError for a message that no JSON reader takes: waiting for another would be in vain.
    """
    text = line.decode("utf-8", errors="replace").strip(" \t\r\ufeff")
    if not text.startswith(("{", "[")):
        return []
    try:
        value = json.loads(text)
    except RecursionError as error:
        if '"jsonrpc"' in text:
            raise ScanError("sent a message that is nested too deep to read; tell its author") from error
        return []
    except json.JSONDecodeError:
        return []
    except ValueError:  # a whole number of more digits than Python reads: one of a schema's bounds
        value = json.loads(text, parse_int=_whole_number)
    found = (read_message(item) for item in (value if isinstance(value, list) else [value]))
    return [message for message in found if message is not None]


def _whole_number(digits: str) -> int | None:
    """Null where Python refuses to read so many digits."""
    try:
        return int(digits)
    except ValueError:
        return None


def read_message(value: object) -> JSONRPCMessage | None:
    """One parsed JSON value as a message, None where it is none."""
    if not isinstance(value, dict) or "jsonrpc" not in value:
        return None
    for absent in ("error", "result"):
        if value.get(absent, value) is None:
            value = {key: inner for key, inner in value.items() if key != absent}
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValidationError, RecursionError):
        return None
