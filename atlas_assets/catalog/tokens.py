"""Logins to remote servers, kept where a person's secrets belong: in the keyring, or in a 0600 file.

Never in the data folder, and never in an asset. The file is `$XDG_CONFIG_HOME/mcp-atlas/logins/…`
(`~/.config` by default), one a server.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, cast
from urllib.parse import urlsplit

import anyio.to_thread
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import ValidationError

from atlas_assets.catalog.tool import Json, JsonObject, as_object
from atlas_assets.errors import ConfigError

SERVICE = "mcp-atlas"
T = TypeVar("T")


class TokenStore:
    """One server's login; implements the SDK's TokenStorage."""

    def __init__(self, url: str, environ: Mapping[str, str] | None = None) -> None:
        env = os.environ if environ is None else environ
        parts = urlsplit(url)
        self.account = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        config = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME") or Path.home()) / ".config")
        name = hashlib.sha256(self.account.encode()).hexdigest()[:32]
        self.file = config / SERVICE / "logins" / f"{name}.json"

    def load(self) -> JsonObject:
        """All that is kept of this login, empty where there is none."""
        text = _from_keyring(lambda ring: ring.get_password(SERVICE, self.account))
        if text is None and self.file.is_file():
            text = self.file.read_text(encoding="utf-8")
        try:
            return as_object(json.loads(text)) if text else {}
        except ValueError:
            return {}

    def save(self, kept: JsonObject) -> None:
        """Keep a login. Raises ConfigError where there is no place for it."""
        text = json.dumps(kept)

        def put(ring: "_Keyring") -> bool:
            ring.set_password(SERVICE, self.account, text)
            return True

        if _from_keyring(put):
            self.file.unlink(missing_ok=True)
            return
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary = self.file.with_suffix(f".{os.getpid()}.tmp")
            with open(
                os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
            ) as f:
                f.write(text)
            temporary.replace(self.file)
        except OSError as error:
            raise ConfigError(
                f"cannot keep the login in {self.file}: {error.strerror}; set up a keyring or XDG_CONFIG_HOME"
            ) from error

    def forget(self) -> None:
        """Drop the login."""

        def drop(ring: "_Keyring") -> bool:
            ring.delete_password(SERVICE, self.account)
            return True

        _from_keyring(drop)
        self.file.unlink(missing_ok=True)

    def update(self, key: str, value: Json) -> None:
        self.save({**self.load(), key: value})

    @property
    def expires_at(self) -> float | None:
        """When the access token ends (seconds since 1970), None where unknown."""
        value = self.load().get("expires_at")
        return float(value) if isinstance(value, int | float) else None

    async def get_tokens(self) -> OAuthToken | None:
        said = (await anyio.to_thread.run_sync(self.load)).get("tokens")
        try:
            return OAuthToken.model_validate(said) if said else None
        except ValidationError:
            return None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        ends = time.time() + tokens.expires_in if tokens.expires_in else None
        kept = {"tokens": cast(Json, tokens.model_dump(mode="json")), "expires_at": ends}
        await anyio.to_thread.run_sync(lambda: self.save({**self.load(), **kept}))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        said = (await anyio.to_thread.run_sync(self.load)).get("client")
        try:
            return OAuthClientInformationFull.model_validate(said) if said else None
        except ValidationError:
            return None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        client = cast(Json, client_info.model_dump(mode="json", exclude_none=True))
        await anyio.to_thread.run_sync(lambda: self.update("client", client))


class _Keyring:
    """What is used of a keyring backend."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def _from_keyring(use: Callable[[_Keyring], T]) -> T | None:
    """What `use` makes of the keyring, None where there is none or it refuses."""
    import keyring
    from keyring.errors import KeyringError

    ring = keyring.get_keyring()
    if ring.priority <= 0:  # the backends that keep nothing
        return None
    try:
        return use(cast(_Keyring, ring))
    except (KeyringError, OSError, RuntimeError):
        return None
