"""`atlas login`: a person logs in to a remote server, in a browser that comes back to this machine."""

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from atlas_assets.catalog.connect import list_remote
from atlas_assets.catalog.expand import prepare
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.listing import NeedsAuth
from atlas_assets.catalog.oauth import keep_origin, make_provider
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.catalog.tokens import TokenStore
from atlas_assets.errors import ConfigError, ScanError

PATIENCE_SECONDS = 300.0
"""How long a person may take to log in."""

_PAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
    b"Content-Security-Policy: default-src 'none'\r\n\r\n"
    b"<!doctype html><title>MCP Atlas</title><p>Done. You can close this window.</p>"
)
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


async def log_in(
    server: ServerConfig, limits: ScanLimits, environ: Mapping[str, str], show: Callable[[str], None]
) -> bool:
    """Log in to a remote server, with a person at a browser; `show` is given the page to open.

    The login is kept. False where the server wanted none. Raises ConfigError for a server that has
    no URL, ScanError or ConfigError where the login failed; one that was kept before stays then.
    """
    if server.transport not in ("http", "sse", "auto"):
        raise ConfigError(f"server {server.name!r} has no url; only a remote server takes a login")
    launch = prepare(server, environ)
    store = TokenStore(launch.url, environ)
    before, asked = store.load(), False

    async def ask(page: str) -> None:
        nonlocal asked
        asked = True
        if urlsplit(page).scheme not in ("http", "https"):
            raise ConfigError(f"server {server.name!r} names a login page that is no web page")
        show(page)

    store.forget()
    try:
        async with Callback() as callback:
            provider = make_provider(launch.url, store, callback.url, ask, callback.wait)
            await list_remote(server, launch, limits, provider, lambda step: None)
        if asked:
            keep_origin(provider, store)
        return asked
    except NeedsAuth as error:
        raise ScanError(f"server {server.name!r} {error}; the login did not help") from error
    except ScanError as error:
        raise ScanError(f"server {server.name!r} {launch.redactor.line(str(error))}") from error
    finally:
        if before and not store.load().get("tokens"):
            store.save(before)


class Callback:
    """A web server on 127.0.0.1 that waits for the browser to come back from a login."""

    def __init__(self) -> None:
        self._result: asyncio.Future[AuthorizationCodeResult] | None = None
        self._server: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> "Callback":
        self._result = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/callback"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()
        if self._result is not None and not self._result.done():
            self._result.cancel()

    async def wait(self) -> AuthorizationCodeResult:
        """What the authorization server sent along. Raises ConfigError where it refused."""
        assert self._result is not None
        return await self._result

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = (await reader.readline()).decode("latin-1").split()
            query = parse_qs(urlsplit(line[1]).query) if len(line) > 1 else {}
            if len(line) < 2 or urlsplit(line[1]).path != "/callback":
                writer.write(_NOT_FOUND)
            else:
                self._take({key: values[0] for key, values in query.items()})
                writer.write(_PAGE)
            await writer.drain()
        except (OSError, ValueError):
            pass  # a browser that hung up, or no browser at all
        finally:
            writer.close()

    def _take(self, said: Mapping[str, str]) -> None:
        if self._result is None or self._result.done():
            return
        if "code" in said:
            self._result.set_result(
                AuthorizationCodeResult(code=said["code"], state=said.get("state"), iss=said.get("iss"))
            )
        else:
            why = said.get("error", "no code was sent")
            self._result.set_exception(ConfigError(f"the login was refused: {why[:80]!r}; try again"))
