"""The webhook: one POST a scan that changed something, and no secret in any message."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from atlas_assets.catalog.drift import ToolChange
from atlas_assets.catalog.webhook import notify

CHANGES = [
    ToolChange(1, "fs::new", "added", "tool", None, "Is new"),
    ToolChange(1, "fs::read", "changed", "description", "Read", "Read\u202e all"),
]


class Hook:
    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.status = 200
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                hook.seen.append((self.path, json.loads(self.rfile.read(length))))
                self.send_response(hook.status)
                self.send_header("location", "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook?token=secret"


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def test_one_post_tells_all_changes_of_a_scan(hook: Hook) -> None:
    assert notify(CHANGES, {"ATLAS_WEBHOOK_URL": hook.url}) == ""
    ((path, body),) = hook.seen
    assert path == "/hook?token=secret"
    assert body["text"] == "MCP Atlas: the last scan found tools 1 added, 1 changed"
    assert (body["added"], body["removed"], body["changed"]) == (["fs::new"], [], ["fs::read"])
    assert body["changes"][1]["after"] == "Read⟨U+202E⟩ all"


def test_nothing_is_sent_without_changes_or_without_an_address(hook: Hook) -> None:
    assert notify([], {"ATLAS_WEBHOOK_URL": hook.url}) == ""
    assert notify(CHANGES, {}) == ""
    assert hook.seen == []


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_refusal_is_one_line_without_the_address_s_secret(hook: Hook, status: int) -> None:
    hook.status = status
    said = notify(CHANGES, {"ATLAS_WEBHOOK_URL": hook.url})
    assert str(status) in said
    assert "secret" not in said
    assert len(hook.seen) == 1


def test_a_host_that_is_not_there_and_an_address_that_is_none_are_one_line() -> None:
    gone = notify(CHANGES, {"ATLAS_WEBHOOK_URL": "http://u:secret@127.0.0.1:9/x"})
    assert "could not be told" in gone
    assert "secret" not in gone
    assert "no http(s) address" in notify(CHANGES, {"ATLAS_WEBHOOK_URL": "file:///etc/passwd"})
