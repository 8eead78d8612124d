"""Listing one server: handshake, every page of `tools/list`, and why it did not work.

Only ever lists. The handshake is the SDK's (`mcp.Client`), newest protocol first; a server that
leaves at the unknown first request is started once more and greeted the old way.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.auth import OAuthFlowError
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND, Implementation
from pydantic import ValidationError

from atlas_assets import __version__
from atlas_assets.catalog.limits import PREFIX, ScanLimits
from atlas_assets.catalog.messages import BYTE_LIMIT, too_large
from atlas_assets.catalog.own_loop import leaves
from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.catalog.wire import Fault, Heard, Streams, tapped
from atlas_assets.errors import ConfigError, ScanError

_PARTING_SECONDS = 5.0
"""How long the end of a session may take once all is listed: a remote server may not answer it."""

Connect = Callable[[Fault], AbstractAsyncContextManager[Streams]]
Step = Callable[[str], None]


class NeedsAuth(ScanError):
    """A server that wants a login (HTTP 401 or 403)."""


class _LeftAtFirstRequest(ScanError):
    """The connection closed before the handshake was over."""


@dataclass
class Listing:
    """What one server said: its raw tools, its handshake, and what was odd."""

    tools: list[Json] = field(default_factory=list)
    handshake: JsonObject = field(default_factory=dict)
    protocol: str = ""
    transport: str = "stdio"
    oddities: list[str] = field(default_factory=list)


async def list_server(connect: Connect, limits: ScanLimits, on_step: Step = lambda step: None) -> Listing:
    """List one server over fresh connections from `connect`.

    `on_step` hears each step reached. Raises ScanError with one line that says why, NeedsAuth where
    a login is missing.
    """
    try:
        return await _attempt(connect, "auto", limits, on_step)
    except _LeftAtFirstRequest:
        on_step("it left at the newest protocol's first request; once more, the older way")
        return await _attempt(connect, "legacy", limits, on_step)


async def _attempt(connect: Connect, mode: str, limits: ScanLimits, on_step: Step) -> Listing:
    fault, heard, listing = Fault(), Heard(), Listing()
    greeted = listed = False
    try:
        with anyio.move_on_after(limits.start_seconds) as deadline:
            # cancelled while it starts, the client unwinds its transport itself
            client = Client(
                tapped(connect(fault), heard),
                mode=mode,
                cache=None,
                client_info=Implementation(name="mcp-atlas", version=__version__),
            )
            async with client:
                greeted = True
                listing.protocol = client.protocol_version
                listing.handshake = heard.handshake
                on_step(f"handshake, protocol {listing.protocol}")
                deadline.deadline = anyio.current_time() + limits.list_seconds
                await _read_pages(client, heard, limits, listing)
                on_step(f"{len(listing.tools)} tools on {len(heard.pages)} pages")
                listed = True
                deadline.deadline = anyio.current_time() + _PARTING_SECONDS
    except Exception as error:
        if listed:
            return listing  # what goes wrong in parting costs nothing
        if deadline.cancelled_caught:
            raise _too_slow(greeted, limits) from error
        raise _explained(error, fault, heard, greeted, limits) from error
    if deadline.cancelled_caught and not listed:
        raise ScanError(fault.message) if fault.message else _too_slow(greeted, limits)
    return listing


def _too_slow(greeted: bool, limits: ScanLimits) -> ScanError:
    if greeted:
        return ScanError(
            f"did not list its tools within {limits.list_seconds:g} seconds; "
            f"raise {PREFIX}LIST_SECONDS, or its timeout"
        )
    return ScanError(
        f"did not answer within {limits.start_seconds:g} seconds of its start; "
        f"raise {PREFIX}START_SECONDS, or its timeout, if it downloads or starts slowly"
    )


async def _read_pages(client: Client, heard: Heard, limits: ScanLimits, listing: Listing) -> None:
    cursor: str | None = None
    seen: set[str] = set()
    while True:
        try:
            await client.list_tools(cursor=cursor)
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND and cursor is None:
                listing.oddities.append("knows no tools/list")
                return
            raise
        page = heard.pages[-1]
        tools = page.get("tools")
        if not isinstance(tools, list):
            raise ScanError("answered tools/list without a list of tools; tell its author")
        listing.tools.extend(tools)
        if len(listing.tools) > limits.tools:
            raise ScanError(f"lists more than {limits.tools} tools; raise {PREFIX}TOOLS if it is right to")
        following = page.get("nextCursor")
        if following is None or following == "":
            return
        if not isinstance(following, str):
            listing.oddities.append("gave a next page that is no text; what it listed before is kept")
            return
        if following in seen:
            listing.oddities.append("gave one page again and again; what it listed before is kept")
            return
        if len(heard.pages) >= limits.pages:
            raise ScanError(f"has more than {limits.pages} pages; raise {PREFIX}PAGES if it is right to")
        seen.add(following)
        cursor = following


def _explained(error: Exception, fault: Fault, heard: Heard, greeted: bool, limits: ScanLimits) -> ScanError:
    """The one line for what went wrong: what the transport saw first, then what the session did."""
    for leaf in leaves(error):
        if isinstance(leaf, ConfigError):  # a person's login that was refused
            return ScanError(str(leaf))
        if isinstance(leaf, OAuthFlowError):
            return NeedsAuth("wants a login, and the one that is kept is not accepted")
    if fault.http_status in (401, 403):
        return NeedsAuth(f"wants a login (HTTP {fault.http_status})")
    if fault.message:
        return ScanError(fault.message)
    for leaf in leaves(error):
        if isinstance(leaf, ScanError):
            return leaf
        if isinstance(leaf, MCPError):
            return _explained_answer(leaf, fault, heard, greeted, limits)
        if isinstance(leaf, httpx2.TransportError):
            return ScanError(
                f"cannot be reached: {leaf or type(leaf).__name__}; check its url and the network"
            )
        if isinstance(leaf, ValidationError):
            return ScanError("gave an answer that is no MCP; tell its author")
        if isinstance(leaf, RuntimeError) and "protocol version" in str(leaf):
            return ScanError(f"speaks a protocol we do not: {leaf}")
        if isinstance(leaf, OSError):
            return ScanError(f"the connection broke: {leaf.strerror or type(leaf).__name__}")
        return ScanError(f"could not be listed: {type(leaf).__name__}: {leaf}")
    return ScanError("could not be listed")


def _explained_answer(
    error: MCPError, fault: Fault, heard: Heard, greeted: bool, limits: ScanLimits
) -> ScanError:
    if BYTE_LIMIT in error.error.message:
        return too_large(limits.message_bytes)
    if (fault.http_status or 0) >= 400:
        return ScanError(f"answered with HTTP {fault.http_status}: {error.error.message}")
    if heard.refused or error.code != CONNECTION_CLOSED:
        return ScanError(f"answered with an error: {error.error.message}")
    when = "while it listed its tools" if greeted else "before it answered"
    code = fault.exit_code
    how = "closed the connection" if code is None else f"exited with code {code}"
    if code is not None and code < 0:
        how = f"was ended by signal {-code}"
    return (ScanError if greeted else _LeftAtFirstRequest)(f"{how} {when}")
