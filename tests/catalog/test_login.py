"""Logging in to remote servers with OAuth: a real server, a browser that is a thread, a private file."""

import threading
import urllib.request
from pathlib import Path

import anyio
import pytest

from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.login import log_in
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tokens import TokenStore
from atlas_assets.catalog.tool import ServerRecord
from atlas_assets.catalog.wire import quiet_transports
from atlas_assets.errors import ConfigError, ScanError
from tests.catalog.remotes import Remote, remote

LIMITS = ScanLimits(start_seconds=30)


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A home without a keyring."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    quiet_transports()
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def config(server: Remote) -> ServerConfig:
    return ServerConfig(name="remote", transport="http", url=server.url)


def log_in_at(server: Remote, environ: dict[str, str]) -> bool:
    pages: list[threading.Thread] = []

    def browse(page: str) -> None:
        pages.append(threading.Thread(target=lambda: urllib.request.urlopen(page).read()))
        pages[-1].start()

    try:
        return anyio.run(log_in, config(server), LIMITS, environ, browse)
    finally:
        for page in pages:
            page.join()


def scan(server: Remote, environ: dict[str, str]) -> ServerRecord:
    return scan_servers([config(server)], limits=LIMITS, environ=environ).servers[0]


def test_login_is_kept_in_a_private_file_and_used_by_the_next_scan(environ: dict[str, str]) -> None:
    with remote("oauth") as server:
        assert scan(server, environ).status == "needs_auth"
        assert log_in_at(server, environ)
        record = scan(server, environ)
        assert "Bearer first-token" in server.headers("authorization")
    assert (record.status, record.tools) == ("ok", 1)
    store = TokenStore(server.url, environ)
    assert store.file.stat().st_mode & 0o777 == 0o600
    assert store.file.is_relative_to(environ["XDG_CONFIG_HOME"])
    assert "first-token" in store.file.read_text(encoding="utf-8")


def test_login_that_ended_is_refreshed_where_it_came_from(environ: dict[str, str]) -> None:
    with remote("oauth") as server:
        log_in_at(server, environ)
        store = TokenStore(server.url, environ)
        store.update("expires_at", 1.0)
        assert scan(server, environ).status == "ok"
        assert "Bearer second-token" in server.headers("authorization")
        assert scan(server, environ).status == "ok"


def test_login_that_is_no_longer_accepted_is_told_and_asks_no_person(environ: dict[str, str]) -> None:
    with remote("oauth") as server:
        log_in_at(server, environ)
        store = TokenStore(server.url, environ)
        kept = store.load()
        store.save({**kept, "tokens": {"access_token": "stolen", "token_type": "Bearer"}})
        record = scan(server, environ)
    assert record.status == "needs_auth"
    assert record.reason == (
        "wants a login, and the one that is kept is not accepted; "
        "run `atlas login remote`, or set its Authorization header"
    )


def test_refused_login_says_so_and_keeps_the_one_before(environ: dict[str, str]) -> None:
    with remote("oauth", "denies") as server:
        store = TokenStore(server.url, environ)
        store.save({"tokens": {"access_token": "before", "token_type": "Bearer"}})
        with pytest.raises(ScanError, match="the login was refused: 'access_denied'; try again"):
            log_in_at(server, environ)
        assert store.load()["tokens"] == {"access_token": "before", "token_type": "Bearer"}


def test_server_that_wants_no_login_is_told_apart(environ: dict[str, str]) -> None:
    with remote("plain") as server:
        assert not log_in_at(server, environ)
    assert TokenStore(server.url, environ).load() == {}


def test_only_a_remote_server_takes_a_login(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="server 'local' has no url"):
        anyio.run(log_in, ServerConfig(name="local", command="x"), LIMITS, environ, print)


def test_login_is_kept_by_address_without_userinfo_and_query(environ: dict[str, str]) -> None:
    plain = TokenStore("https://example.org/mcp", environ)
    assert TokenStore("https://me:pw@example.org/mcp?key=1", environ).file == plain.file
    assert TokenStore("https://example.org/other", environ).file != plain.file


def test_keyring_goes_before_the_file(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}

    class Ring:
        priority = 1.0

        def get_password(self, service: str, username: str) -> str | None:
            return kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            kept[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            kept.pop((service, username), None)

    monkeypatch.setattr("keyring.get_keyring", Ring)
    store = TokenStore("https://example.org/mcp", environ)
    store.save({"tokens": {"access_token": "a"}})
    assert list(kept) == [("mcp-atlas", "https://example.org/mcp")]
    assert not store.file.exists()
    assert store.load() == {"tokens": {"access_token": "a"}}
    store.forget()
    assert store.load() == {}
