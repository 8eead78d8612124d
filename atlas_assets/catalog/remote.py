"""The HTTP client that remote servers are spoken to with: bounded, and careful with credentials.

Follows https://modelcontextprotocol.io/specification, "Transports" and "Security best practices".
The SDK follows redirects within a server's origin; one to another host is followed here, without
any credential: no configured header, no login, no cookie, no userinfo.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import httpx2
from httpx2 import USE_CLIENT_DEFAULT
from mcp.client.streamable_http import streamable_http_client

from atlas_assets.catalog.expand import Launch
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.messages import too_large
from atlas_assets.catalog.wire import Fault, Streams

C = TypeVar("C", bound=httpx2.AsyncClient)

_MAX_HOPS = 3
_EVENTS = "text/event-stream"
_PLAIN_HEADERS = frozenset(
    ("accept", "content-type", "cache-control", "user-agent", "mcp-protocol-version", "mcp-method")
)
"""What may go to another host: what the message needs, nothing that was configured."""


@asynccontextmanager
async def http_transport(
    launch: Launch, limits: ScanLimits, fault: Fault, auth: httpx2.Auth | None
) -> AsyncIterator[Streams]:
    """A Streamable HTTP server's streams."""
    async with (
        remote_client(launch, limits, fault, auth) as client,
        streamable_http_client(
            launch.url, http_client=client, max_sse_event_size=limits.message_bytes
        ) as streams,
    ):
        yield streams


@asynccontextmanager
async def remote_client(
    launch: Launch, limits: ScanLimits, fault: Fault, auth: httpx2.Auth | None
) -> AsyncIterator["RemoteClient"]:
    """The client for one server; tells `fault` what it sees."""
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(_client(httpx2.AsyncClient, limits, fault))
        client = await stack.enter_async_context(_client(RemoteClient, limits, fault))
        client.headers.update(launch.headers)
        client.auth = auth  # type: ignore[assignment]
        client.bare = bare
        yield client


class RemoteClient(httpx2.AsyncClient):
    """An AsyncClient that takes a redirect to another host without credentials."""

    bare: httpx2.AsyncClient

    async def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,
        auth: httpx2.Auth | tuple[str, str] | object | None = USE_CLIENT_DEFAULT,
        follow_redirects: bool | object = USE_CLIENT_DEFAULT,
    ) -> httpx2.Response:
        response = await super().send(
            request,
            stream=stream,
            auth=auth,  # type: ignore[arg-type]
            follow_redirects=follow_redirects,  # type: ignore[arg-type]
        )
        for _ in range(_MAX_HOPS):
            elsewhere = _to_another_host(response)
            if elsewhere is None:
                break
            await response.aclose()
            response = await self.bare.send(elsewhere, stream=stream, follow_redirects=False)
        return response


def _to_another_host(response: httpx2.Response) -> httpx2.Request | None:
    """The bare request that follows a redirect to another host, None where there is none to follow."""
    following = response.next_request
    if following is None:
        return None
    sent, target = response.request, following.url.copy_with(userinfo=b"", fragment=None)
    if following.method != sent.method or (sent.url.scheme, target.scheme) == ("https", "http"):
        return None
    if (sent.url.scheme, sent.url.host, sent.url.port) == (target.scheme, target.host, target.port):
        return None
    headers = {name: value for name, value in sent.headers.items() if name.lower() in _PLAIN_HEADERS}
    headers["accept-encoding"] = "identity"
    return httpx2.Request(sent.method, target, headers=headers, content=sent.content)


def _client(kind: Callable[..., C], limits: ScanLimits, fault: Fault) -> C:
    async def watch(response: httpx2.Response) -> None:
        # a login's own requests ask for no event stream, every MCP message does
        if _EVENTS in response.request.headers.get("accept", ""):
            fault.http_status = response.status_code
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            # compressed content has no bound, and it was asked not to be
            fault.tell(f"compresses its answers ({encoding!r}) though asked not to; tell its author")
            raise httpx2.TransportError("compressed answer")
        is_stream = response.headers.get("content-type", "").startswith(_EVENTS)
        if not is_stream and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, limits.message_bytes, fault)

    return kind(
        headers={"accept-encoding": "identity"},
        timeout=httpx2.Timeout(limits.start_seconds, read=None),
        event_hooks={"response": [watch]},
    )


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error once it is longer than `limit` bytes."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int, fault: Fault) -> None:
        self.inner = inner
        self.limit = limit
        self.fault = fault

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self.inner:
            read += len(chunk)
            if read > self.limit:
                self.fault.tell(str(too_large(self.limit)))
                raise httpx2.StreamError("answer too large")
            yield chunk

    async def aclose(self) -> None:
        await self.inner.aclose()
