"""The HTTP+SSE transport of protocol 2024-11-05, which many servers still speak.

Ours and not the SDK's (`mcp.client.sse`), which bounds an event at 1 MB whatever is asked, and lets a
refused POST wait for the deadline.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2
from mcp.shared.message import SessionMessage

from atlas_assets.catalog.expand import Launch
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.messages import BYTE_LIMIT, read_messages, too_large
from atlas_assets.catalog.remote import RemoteClient, remote_client
from atlas_assets.catalog.wire import Fault, Streams

_POST_HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@asynccontextmanager
async def sse_transport(
    launch: Launch, limits: ScanLimits, fault: Fault, auth: httpx2.Auth | None
) -> AsyncIterator[Streams]:
    """An SSE server's streams; what goes wrong is told to `fault`, and the streams end."""
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](64)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    endpoint: list[httpx2.URL] = []
    known = anyio.Event()

    async def read(client: RemoteClient) -> None:
        request = client.build_request("GET", launch.url, headers={"accept": "text/event-stream"})
        async with to_session:
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                async for event in httpx2.EventSource(response, max_event_size=limits.message_bytes):
                    if event.event == "endpoint" and not endpoint:
                        endpoint.append(_same_origin(response.request.url, event.data))
                        known.set()
                    elif event.event == "message":
                        for message in read_messages(event.data.encode("utf-8", errors="replace")):
                            await to_session.send(SessionMessage(message))
            except httpx2.SSEError as error:
                large = BYTE_LIMIT in str(error)
                fault.tell(
                    str(too_large(limits.message_bytes)) if large else "gave no event stream; check its url"
                )
            except (httpx2.HTTPError, ValueError) as error:
                fault.tell(f"its event stream broke: {error or type(error).__name__}")
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                pass  # the session is over
            finally:
                await response.aclose()

    async def write(client: RemoteClient) -> None:
        async with from_session:
            await known.wait()
            # an endpoint that a redirect led to is another host's: it gets no credential
            own = httpx2.URL(launch.url)
            to_own = (endpoint[0].scheme, endpoint[0].host, endpoint[0].port) == (
                own.scheme,
                own.host,
                own.port,
            )
            sender = client if to_own else client.bare
            async for item in from_session:
                body = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                request = sender.build_request("POST", endpoint[0], content=body, headers=_POST_HEADERS)
                response = await sender.send(request)
                if response.status_code >= 400:
                    fault.http_status = response.status_code
                    from_server.close()
                    to_session.close()
                    return

    async with remote_client(launch, limits, fault, auth) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(read, client)
        tasks.start_soon(write, client)
        try:
            yield from_server, to_server
        finally:
            # all four, for a task that was cancelled before it began closed none
            for stream in (from_server, to_session, to_server, from_session):
                stream.close()
            tasks.cancel_scope.cancel()


def _same_origin(stream: httpx2.URL, endpoint: str) -> httpx2.URL:
    """Where to POST. Raises ValueError for an endpoint on another origin than the stream's."""
    url = stream.join(endpoint)
    if (url.scheme, url.host, url.port) != (stream.scheme, stream.host, stream.port):
        raise ValueError("it names an endpoint on another host")
    return url.copy_with(userinfo=stream.userinfo)
