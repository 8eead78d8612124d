"""OAuth for remote servers: the SDK's own provider, over the logins that are kept.

A scan uses a login that is kept and refreshes it where it can; it never asks a person.
"""

from collections.abc import Awaitable, Callable, Mapping

from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientMetadata,
    OAuthMetadata,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from atlas_assets.catalog.tokens import TokenStore

Ask = Callable[[str], Awaitable[None]]
Answer = Callable[[], Awaitable[AuthorizationCodeResult]]


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
