"""OAuth for remote servers: the SDK's own provider, with a person asked only by `atlas login`.

A scan uses a login that is kept, refreshes it where it can, and else reports `needs_auth`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientMetadata,
    OAuthMetadata,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from atlas_assets.catalog.tokens import TokenStore
from atlas_assets.errors import ConfigError

Ask = Callable[[str], Awaitable[None]]
Answer = Callable[[], Awaitable[AuthorizationCodeResult]]

_PAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n"
    b"Content-Security-Policy: default-src 'none'\r\n\r\n"
    b"<!doctype html><title>MCP Atlas</title><p>Done. You can close this window.</p>"
)
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def kept_login(url: str, environ: Mapping[str, str]) -> OAuthClientProvider | None:
    """A provider for a login that is kept, which asks no person; None where there is none."""
    store = TokenStore(url, environ)
    if not store.load().get("tokens"):
        return None

    async def refuse(_: str) -> None:
        raise OAuthFlowError("the login that is kept is no longer accepted")

    async def never() -> AuthorizationCodeResult:
        raise OAuthFlowError("the login that is kept is no longer accepted")

    return make_provider(url, store, "http://127.0.0.1:0/callback", refuse, never)


def make_provider(
    url: str, store: TokenStore, redirect: str, ask: Ask, answer: Answer
) -> OAuthClientProvider:
    """The SDK's provider over our store."""
    provider = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(client_name="MCP Atlas", redirect_uris=[AnyUrl(redirect)]),
        storage=store,
        redirect_handler=ask,
        callback_handler=answer,
    )
    # The provider reloads tokens, but neither when they end nor where they came from; without
    # these it sends a dead token, and asks for a new one at the wrong host.
    kept = store.load()
    provider.context.token_expiry_time = store.expires_at
    try:
        if kept.get("authorization_server"):
            provider.context.oauth_metadata = OAuthMetadata.model_validate(kept["authorization_server"])
        if kept.get("resource"):
            provider.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(
                kept["resource"]
            )
    except ValidationError:
        pass  # kept by another version: the provider finds out again
    return provider


def keep_origin(provider: OAuthClientProvider, store: TokenStore) -> None:
    """Keep where a login came from, so that it can be refreshed there."""
    kept = store.load()
    for key, found in (
        ("authorization_server", provider.context.oauth_metadata),
        ("resource", provider.context.protected_resource_metadata),
    ):
        if found is not None:
            kept[key] = found.model_dump(mode="json", exclude_none=True)
    store.save(kept)


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
