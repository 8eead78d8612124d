"""Bytes from a server into messages, and its stderr into a log, however the bytes are cut."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import JSONRPCNotification, JSONRPCResponse

from atlas_assets.catalog.messages import LineSplitter, read_messages
from atlas_assets.catalog.redact import Redactor
from atlas_assets.catalog.stderr_log import StderrLog, log_name
from atlas_assets.errors import ScanError


@given(st.lists(st.binary(max_size=20), max_size=20))
@settings(derandomize=True, deadline=None)
def test_lines_are_the_same_however_the_bytes_are_cut(chunks: list[bytes]) -> None:
    splitter = LineSplitter(limit=1_000)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert lines == b"".join(chunks).split(b"\n")[:-1]


@pytest.mark.parametrize("cut", [1, 7, 51])
def test_line_beyond_the_bound_is_refused_before_it_is_whole(cut: int) -> None:
    splitter = LineSplitter(limit=50)
    assert splitter.feed(b"x" * 50 + b"\n") == [b"x" * 50]
    for _ in range(50 // cut):
        assert splitter.feed(b"x" * cut) == []
    with pytest.raises(ScanError, match="more than 50 bytes; raise ATLAS_SCAN_MESSAGE_BYTES"):
        splitter.feed(b"x" * max(cut, 50 % cut + 1))


@given(st.binary(max_size=200))
@settings(derandomize=True, deadline=None)
def test_any_bytes_are_read_or_passed_over(data: bytes) -> None:
    assert read_messages(data) == [] or data.strip().startswith((b"{", b"[", b"\xef"))


def test_messages_are_found_among_what_else_a_server_prints() -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}, "error": None}
    note = {"jsonrpc": "2.0", "method": "notifications/x"}
    assert read_messages(b'{"level": "info", "id": 1}') == []
    assert read_messages(b"[" * 50_000) == []
    assert read_messages(b"\xef\xbb\xbf " + json.dumps(answer).encode()) == [
        JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": 1})
    ]
    assert read_messages(json.dumps([answer, 5, note]).encode()) == [
        JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": 1}),
        JSONRPCNotification(jsonrpc="2.0", method="notifications/x"),
    ]
    assert read_messages(b'{"jsonrpc": "2.0", "id": 1, "result": {"a": "\xff"}}') == [
        JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": "\N{REPLACEMENT CHARACTER}"})
    ]


@pytest.mark.parametrize("cut", [1, 3, 11, 1_000])
def test_secret_cannot_hide_at_a_seam_of_the_log(tmp_path: Path, cut: int) -> None:
    said = b"start\ntoken s3cret-value and https://me:pw@example.org/?q=1 again s3cret-value\nend" * 20
    with StderrLog(tmp_path, "x", Redactor(secrets=("s3cret-value",)), limit=100_000) as log:
        for start in range(0, len(said), cut):
            log.feed(said[start : start + cut])
    text = (tmp_path / "x.log").read_text(encoding="utf-8")
    assert text.count("token *** and https://example.org/ again ***") == 20
    assert "s3cret" not in text


def test_log_names_are_safe_and_differ() -> None:
    names = ["plain", "a/b", "a:b", "..", "größe", "x" * 500, "x" * 501, ""]
    files = [log_name(name) for name in names]
    assert files[0] == "plain.log"
    assert len(set(files)) == len(names)
    assert all(len(file) < 100 and "/" not in file and not file.startswith(".") for file in files)


def test_reason_is_the_line_that_tells_most() -> None:
    with StderrLog(None, "x", Redactor(), limit=1_000) as log:
        log.feed(b"loading\nTypeError: no token given\n    at Object.<anonymous> (/srv/a.js:1:2)\n\n")
        log.feed(b"Node.js v20.1.0\n")
        assert log.reason() == "TypeError: no token given"
