"""From one server's configuration to what it lists: the right transport, the login that is kept, the cure.

A URL without a type is tried as Streamable HTTP, then as SSE, as the specification's "Backwards
compatibility" has it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import anyio.to_thread
import httpx2

from atlas_assets.catalog.expand import Launch, prepare
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.listing import Listing, NeedsAuth, Step, list_server
from atlas_assets.catalog.oauth import kept_login
from atlas_assets.catalog.remote import http_transport
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.catalog.sse import sse_transport
from atlas_assets.catalog.stderr_log import StderrLog
from atlas_assets.catalog.stdio import stdio_transport
from atlas_assets.catalog.tool import as_object
from atlas_assets.catalog.wire import Fault, Streams
from atlas_assets.errors import ScanError

_CURES = {
    "npx": "install Node.js",
    "node": "install Node.js",
    "uvx": "install uv",
    "uv": "install uv",
    "docker": "install and start Docker",
    "bunx": "install Bun",
    "deno": "install Deno",
}


async def list_configured(
    server: ServerConfig,
    limits: ScanLimits,
    environ: Mapping[str, str],
    *,
    logs: Path | None = None,
    on_step: Step = lambda step: None,
) -> Listing:
    """Start or reach one server and list it. Raises ScanError or NeedsAuth, without any secret."""
    launch = prepare(server, environ)
    on_step("its values are filled in")
    if server.timeout is not None:
        limits = replace(limits, start_seconds=server.timeout, list_seconds=server.timeout)
    try:
        if server.transport == "stdio":
            listing = await _list_stdio(server, launch, limits, logs, on_step)
        else:
            auth = await anyio.to_thread.run_sync(_login, launch, environ)
            listing = await list_remote(server, launch, limits, auth, on_step)
    except NeedsAuth as error:
        raise NeedsAuth(launch.redactor.line(f"{error}; {_login_cure(server)}")) from error
    except ScanError as error:
        raise ScanError(launch.redactor.line(str(error))) from error
    # a server may repeat its token in a description, which goes into assets and to a model
    return replace(
        listing,
        tools=[launch.redactor.cleaned(tool) for tool in listing.tools],
        handshake=as_object(launch.redactor.cleaned(listing.handshake)),
    )


async def list_remote(
    server: ServerConfig, launch: Launch, limits: ScanLimits, auth: httpx2.Auth | None, on_step: Step
) -> Listing:
    """List a server with a URL over the transport it speaks; `transport` of the listing says which."""
    faults: list[Fault] = []

    def over(
        transport: Callable[..., AbstractAsyncContextManager[Streams]],
    ) -> Callable[[Fault], AbstractAsyncContextManager[Streams]]:
        def connect(fault: Fault) -> AbstractAsyncContextManager[Streams]:
            faults.append(fault)
            return transport(launch, limits, fault, auth)

        return connect

    if server.transport == "sse":
        return replace(await list_server(over(sse_transport), limits, on_step), transport="sse")
    try:
        return replace(await list_server(over(http_transport), limits, on_step), transport="http")
    except NeedsAuth:
        raise
    except ScanError as error:
        if server.transport != "auto" or not _may_be_sse(faults):
            raise
        on_step("no Streamable HTTP; once more over SSE")
        try:
            return replace(await list_server(over(sse_transport), limits, on_step), transport="sse")
        except NeedsAuth:
            raise
        except ScanError:
            raise error from None  # what Streamable HTTP said tells more


async def _list_stdio(
    server: ServerConfig, launch: Launch, limits: ScanLimits, logs: Path | None, on_step: Step
) -> Listing:
    with StderrLog(logs, server.name, launch.redactor, limits.stderr_bytes) as log:
        try:
            return await list_server(
                lambda fault: stdio_transport(launch, limits, log, fault), limits, on_step
            )
        except ScanError as error:
            reason, said = str(error), log.reason()
            cure = _CURES.get(Path(launch.command).name)
            if "cannot be started" in reason and cure:
                raise ScanError(f"{reason.partition(';')[0]}; {cure}") from error
            # what it printed explains a refusal or an exit, not a bound that it overstepped
            if said and reason.startswith(("answered", "exited", "was ended", "closed", "could not")):
                raise ScanError(f"{reason}: {said}") from error
            if reason.startswith(("exited", "was ended", "closed")):
                raise ScanError(f"{reason}; run its command by hand to see why") from error
            raise


def _may_be_sse(faults: Sequence[Fault]) -> bool:
    """Whether a server refused Streamable HTTP in the way that one which only knows SSE does."""
    return bool(faults) and (faults[-1].http_status or 0) in range(400, 500)


def _login(launch: Launch, environ: Mapping[str, str]) -> httpx2.Auth | None:
    """The login that is kept for a server; a configured Authorization header goes before it."""
    if any(name.lower() == "authorization" for name in launch.headers):
        return None
    return kept_login(launch.url, environ)


def _login_cure(server: ServerConfig) -> str:
    if any(name.lower() == "authorization" for name, _ in server.headers):
        return "its Authorization header is not accepted; set the right one"
    return f"run `atlas login {server.name}`, or set its Authorization header"
