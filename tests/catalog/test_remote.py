"""Remote servers over Streamable HTTP and SSE, each a real process."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from atlas_assets.catalog.catalog import Catalog
from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tool import ServerRecord
from tests.catalog.remotes import remote

LIMITS = ScanLimits(stop_seconds=0.3)
TOO_LARGE = "sent a message of more than 16000000 bytes; raise ATLAS_SCAN_MESSAGE_BYTES if it is right to"


def scan(
    url: str,
    transport: str = "auto",
    limits: ScanLimits = LIMITS,
    environ: dict[str, str] | None = None,
    **headers: str,
) -> tuple[ServerRecord, Catalog]:
    config = ServerConfig(
        name="remote",
        transport=transport,  # type: ignore[arg-type]
        url=url,
        headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()),
    )
    catalog = scan_servers([config], limits=limits, environ=environ or {"HOME": "/nowhere"})
    return catalog.servers[0], catalog


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_streamable_http_server_of_any_older_protocol_is_listed(version: str) -> None:
    with remote("plain", version) as server:
        record, catalog = scan(server.url)
    assert (record.status, record.transport, record.protocol) == ("ok", "http", version)
    assert (record.title, record.version) == ("remote", "2.0")
    assert [tool.slug for tool in catalog.tools] == ["remote::find"]


@pytest.mark.parametrize(("kind", "transport"), [("streamable-http", "http"), ("sse", "sse")])
def test_sdk_server_is_listed(kind: str, transport: str) -> None:
    with remote(kind, script="sdk_server.py") as server:
        path = "/mcp" if transport == "http" else "/sse"
        record, catalog = scan(server.origin + path, transport)
    assert (record.status, record.reason, record.title) == ("ok", "", "sdk")
    assert record.protocol == "2026-07-28"
    assert [(tool.name, tool.title) for tool in catalog.tools] == [("add", "Add two numbers")]


def test_answers_as_event_streams_are_read() -> None:
    with remote("events") as server:
        record, _ = scan(server.url, "http")
    assert (record.status, record.tools) == ("ok", 1)


def test_url_without_type_that_only_knows_sse_is_listed_over_sse() -> None:
    with remote("sse", "2024-11-05") as server:
        record, _ = scan(server.url)
    assert (record.status, record.transport, record.tools) == ("ok", "sse", 1)
    assert record.protocol == "2024-11-05"


def test_sse_server_that_names_an_endpoint_elsewhere_is_not_followed() -> None:
    with remote("sse_elsewhere") as server:
        record, _ = scan(server.url, "sse")
    assert (record.status, record.reason) == (
        "failed",
        "its event stream broke: it names an endpoint on another host",
    )


@pytest.mark.parametrize("transport", ["auto", "http", "sse"])
def test_server_that_wants_a_login_says_which_command_gives_one(transport: str) -> None:
    with remote("bearer") as server:
        record, _ = scan(server.url, transport)
    if transport == "sse":  # this one only knows Streamable HTTP
        assert record.status == "failed"
        return
    assert (record.status, record.tools) == ("needs_auth", 0)
    assert record.reason == (
        "wants a login (HTTP 401); run `atlas login remote`, or set its Authorization header"
    )


def test_forbidden_counts_as_needing_a_login() -> None:
    with remote("forbidden") as server:
        record, _ = scan(server.url, "http")
    assert record.status == "needs_auth"
    assert "HTTP 403" in record.reason


def test_bearer_token_comes_from_the_environment_and_is_not_shown() -> None:
    with remote("bearer") as server:
        environ = {"HOME": "/nowhere", "REMOTE_TOKEN": "good-token"}
        record, _ = scan(server.url, "http", environ=environ, Authorization="Bearer ${REMOTE_TOKEN}")
        wrong, _ = scan(server.url, "http", Authorization="Bearer wrong-token")
    assert record.status == "ok"
    assert wrong.status == "needs_auth"
    assert wrong.reason == (
        "wants a login (HTTP 401); its Authorization header is not accepted; set the right one"
    )


def test_login_missing_behind_a_redirect_of_its_own_host_is_told() -> None:
    with remote("bearer", "slash") as server:
        record, _ = scan(server.url, "http")
        known, _ = scan(server.url, "http", Authorization="Bearer good-token")
    assert (record.status, known.status) == ("needs_auth", "ok")


def test_redirect_to_another_host_drops_every_credential() -> None:
    with remote("plain") as other, remote("redirect", other.url.replace("127.0.0.1", "localhost")) as first:
        record, _ = scan(first.url, "http", Authorization="Bearer good-token", X_Api_Key="good-key")
        assert first.headers("authorization") == {"Bearer good-token"}
        assert first.headers("x-api-key") == {"good-key"}
        assert other.headers("authorization") == {None}
        assert other.headers("x-api-key") == {None}
        assert other.headers("cookie") == {None}
    assert (record.status, record.tools) == ("ok", 1)


def test_userinfo_in_the_url_is_sent_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with remote("broken") as server:
        url = server.url.replace("http://", "http://me:secret-word@") + "?key=secret-key"
        record, catalog = scan(url, "http")
        assert all(value and value.startswith("Basic ") for value in server.headers("authorization"))
    assert record.status == "failed"
    for shown in (record.reason, repr(catalog), caplog.text):
        assert "secret" not in shown


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("broken", "answered with HTTP 500: Server returned an error response"),
        ("html", "answered with an error: Unexpected content type: text/html"),
        ("large", TOO_LARGE),
        ("large_event", TOO_LARGE),
        ("gzip", "compresses its answers ('gzip') though asked not to; tell its author"),
    ],
)  # fmt: skip
def test_remote_server_on_a_bad_day_says_why(behaviour: str, reason: str) -> None:
    with remote(behaviour) as server:
        record, _ = scan(server.url, "http")
    assert (record.status, record.reason) == ("failed", reason)


def test_remote_server_that_hangs_is_given_up_at_its_deadline() -> None:
    with remote("hangs") as server:
        record, _ = scan(server.url, "http", replace(LIMITS, start_seconds=1.0))
    assert record.reason.startswith("did not answer within 1 seconds of its start")


def test_server_that_does_not_let_its_session_go_is_listed_all_the_same() -> None:
    with remote("keeps_session") as server:
        record, _ = scan(server.url, "http")
    assert (record.status, record.tools) == ("ok", 1)


def test_server_that_is_not_there_cannot_be_reached() -> None:
    record, _ = scan("http://127.0.0.1:9/mcp")
    assert record.status == "failed"
    assert record.reason.startswith("cannot be reached: ")


def test_transport_loggers_stay_below_info(tmp_path: Path) -> None:
    scan("http://127.0.0.1:9/mcp")
    for name in ("mcp.client.streamable_http", "mcp.client.auth.oauth2", "httpx2", "httpcore2", "client"):
        assert not logging.getLogger(name).isEnabledFor(logging.INFO)
