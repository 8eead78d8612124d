"""What every transport gives, and the tap that reads `tools/list` as the server wrote it.

The SDK's typed `list_tools()` raises for one malformed tool and so loses the whole server. The tap
sits between transport and session: it keeps the raw result of `tools/list` and of the handshake, and
hands the session one that is always valid.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

# `mcp.client.Transport` is public, its stream protocols are not: these are the same
from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from atlas_assets.catalog.tool import Json, JsonObject, as_object

Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


@dataclass
class Fault:
    """What a transport knows of why a connection failed; the first thing told counts."""

    message: str = ""
    exit_code: int | None = None
    http_status: int | None = None

    def tell(self, message: str) -> None:
        self.message = self.message or message


@dataclass
class Heard:
    """What a server said, unaltered: the handshake's result and each page of `tools/list`."""

    handshake: JsonObject = field(default_factory=dict)
    pages: list[JsonObject] = field(default_factory=list)
    refused: bool = False
    """Whether the last answer was an error of the server's own, not the connection's end."""


def quiet_transports() -> None:
    """The SDK and HTTP loggers print URLs with their userinfo and query, and tracebacks of servers."""
    for name in ("mcp", "client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    for name in ("httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


@asynccontextmanager
async def tapped(transport: AbstractAsyncContextManager[Streams], heard: Heard) -> AsyncIterator[Streams]:
    """`transport` with a tap that fills `heard`."""
    async with transport as (read, write):
        asked: dict[str, str] = {}
        yield _ReadTap(read, asked, heard), _WriteTap(write, asked, heard)


class _WriteTap:
    """Notes which request asks for what."""

    def __init__(self, inner: WriteStream[SessionMessage], asked: dict[str, str], heard: Heard) -> None:
        self.inner = inner
        self.asked = asked
        self.heard = heard

    async def send(self, item: SessionMessage, /) -> None:
        if isinstance(item.message, JSONRPCRequest):
            self.asked[_key(item.message.id)] = item.message.method
            self.heard.refused = False
        await self.inner.send(item)

    async def aclose(self) -> None:
        await self.inner.aclose()

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self.inner.__aexit__(exc_type, exc_val, exc_tb)


class _ReadTap:
    """Keeps raw results, passes on valid ones."""

    def __init__(
        self, inner: ReadStream[SessionMessage | Exception], asked: dict[str, str], heard: Heard
    ) -> None:
        self.inner = inner
        self.asked = asked
        self.heard = heard

    def _taken(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCError):
            self.heard.refused = True
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCResponse):
            self.heard.refused = False
            answer = item.message
            method = self.asked.pop(_key(answer.id), None)
            raw: JsonObject = as_object(answer.result)
            if method == "tools/list":
                self.heard.pages.append(raw)
                answer.result = {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            elif method == "initialize":
                self.heard.handshake = raw
                answer.result = _valid_handshake(raw)
            elif method == "server/discover":
                self.heard.handshake = raw
        return item

    async def receive(self) -> SessionMessage | Exception:
        return self._taken(await self.inner.receive())

    async def aclose(self) -> None:
        await self.inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._taken(await self.inner.__anext__())

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self.inner.__aexit__(exc_type, exc_val, exc_tb)


def _key(identity: RequestId | None) -> str:
    """One key for an id and for its text: the SDK too takes `"7"` for an answer to 7."""
    return str(identity)


def _valid_handshake(raw: JsonObject) -> dict[str, Json]:
    """The parts of an `initialize` result that the session needs; the rest may be malformed."""
    info = as_object(raw.get("serverInfo"))
    return {
        "protocolVersion": raw.get("protocolVersion", ""),
        "capabilities": {},
        "serverInfo": {key: str(info.get(key) or "unknown") for key in ("name", "version")},
    }
