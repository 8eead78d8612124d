"""Filling in variables when a server is started, and keeping what they hold out of sight."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.expand import prepare
from atlas_assets.catalog.tool import Json
from atlas_assets.errors import ScanError

ENVIRON = {"HOME": "/users/me", "KEY": "key-value", "EMPTY": "", "word": "no"}


def filled(arg: str) -> str:
    return prepare(ServerConfig(name="s", command="x", args=(arg,), base=Path("/tmp")), ENVIRON).args[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("${KEY}", "key-value"),
        ("--key=${KEY}!", "--key=key-value!"),
        ("${env:KEY}", "key-value"),
        ("${NONE:-other}", "other"),
        ("${NONE:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("${EMPTY}", ""),
        ("${KEY:-other}", "key-value"),
        ("$KEY", "key-value"),
        ("pa$word", "pa$word"),
        ("$KEY/x", "$KEY/x"),
        ("$", "$"),
        ("${1}", "${1}"),
        ("a ${foo.bar} b", "a ${foo.bar} b"),
        ("${userHome}/x", "/users/me/x"),
        ("${workspaceFolder}${/}x", "/tmp/x"),
    ],
)
def test_variables_are_filled_in(written: str, expected: str) -> None:
    assert filled(written) == expected


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("${NONE}", "its args[0] needs the variable NONE, which is not set; set NONE"),
        ("$NONE", "its args[0] needs the variable NONE, which is not set; set NONE"),
        ("${env:NONE}", "its args[0] needs the variable NONE, which is not set; set NONE"),
        (
            "${input:api-key}",
            "its args[0] asks for the input 'api-key', which only an editor can: "
            "write ${API_KEY} there and set API_KEY",
        ),
    ],
)
def test_missing_variable_says_which_value_to_set(written: str, message: str) -> None:
    with pytest.raises(ScanError) as raised:
        filled(written)
    assert str(raised.value) == message


def test_what_was_filled_in_is_kept_out_of_sight() -> None:
    config = ServerConfig(
        name="s",
        transport="http",
        command="x",
        args=("--token", "literal-token", "--api-key=literal-key", "${KEY}"),
        url="https://me:pass-word@e.org/mcp?sig=signature",
        headers=(("Authorization", "Bearer header-token"),),
        env=(("A", "env-value"), ("PORT", "80")),
        base=Path("/tmp"),
    )
    launch = prepare(config, ENVIRON)
    said = (
        "literal-token literal-key key-value header-token env-value pass-word signature "
        "port 80 at https://me:other@e.org:1/x?y=z#f"
    )
    assert launch.redactor.line(said) == "*** *** *** *** *** *** *** port 80 at https://e.org:1/x"
    assert "value" not in repr(launch)


def test_only_certain_secrets_are_taken_out_of_a_servers_own_words() -> None:
    config = ServerConfig(
        name="s",
        command="x",
        env=(
            ("AWS_REGION", "us-east-1"),
            ("API_TOKEN", "token-value-1"),
            ("PLAIN", "sk0123456789abcdefghijkl"),
            ("DATABASE", "postgres://user:db-pass-word@host/name"),
            ("SHORT_KEY", "dummy"),
        ),
        headers=(("X-Anything", "header-value-1"),),
        base=Path("/tmp"),
    )
    redactor = prepare(config, {}).redactor
    said: Json = {
        "us-east-1": ["a dummy in us-east-1", 5, None],
        "token-value-1!": {"x": "is sk0123456789abcdefghijkl, db-pass-word or header-value-1"},
    }
    assert redactor.cleaned(said) == {
        "us-east-1": ["a dummy in us-east-1", 5, None],
        "***!": {"x": "is ***, *** or ***"},
    }
    untouched: Json = {"us-east-1": "a dummy"}
    assert redactor.cleaned(untouched) is untouched


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "http://me:secret-word@[::1/mcp"}, "its url is no address"),
        ({"url": "htp:/me:secret-word@host y"}, "its url is no address"),
        ({"url": "https://?key=secret-word"}, "its url is no address"),
        ({"url": "https://host:99999/?key=secret-word"}, "its url is no address"),
        ({"url": "https://host", "headers": (("X-Key", "secret-word\nX: 1"),)}, "its header 'X-Key' cannot"),
        ({"url": "https://host", "headers": (("X-Key", "secret-word ☃"),)}, "its header 'X-Key' cannot"),
        ({"url": "https://host", "headers": (("X Key", "secret-word"),)}, "its header 'X Key' cannot"),
        ({"transport": "stdio", "env": (("A=B", "secret-word"),)}, "its env 'A=B' cannot"),
        ({"transport": "stdio", "env": (("", "secret-word"),)}, "its env '' cannot"),
    ],
)
def test_what_cannot_be_sent_or_set_is_said_by_name_and_never_by_value(
    changes: dict[str, Any], message: str
) -> None:
    config = replace(ServerConfig(name="s", transport="http", command="x", base=Path("/tmp")), **changes)
    with pytest.raises(ScanError, match=message) as raised:
        prepare(config, {})
    assert "secret-word" not in str(raised.value)


def test_secrets_among_the_arguments_are_known_without_a_flag() -> None:
    arguments = (
        "postgres://me:url-pass-word@host/name?sslkey=query-value",
        "sk-live-0123456789abcdef",
        '{"region": "eu-west-1", "apiKey": "json-value-1"}',
        "Server=db;User=sa;Password=pair-value-1;",
        "@scope/some-server@2025.4.8",
    )
    redactor = prepare(ServerConfig(name="s", command="x", args=arguments, base=Path("/tmp")), {}).redactor
    said = "url-pass-word query-value sk-live-0123456789abcdef json-value-1 pair-value-1"
    assert redactor.line(said) == redactor.cleaned(said) == "*** *** *** *** ***"
    assert redactor.line("some-server db eu-west-1 Bearer") == "some-server db eu-west-1 Bearer"


def test_a_secret_is_known_in_json_and_in_a_url_too() -> None:
    config = ServerConfig(name="s", command="x", env=(("PASSWORD", 'a"b/c\\d value'),), base=Path("/tmp"))
    redactor = prepare(config, {}).redactor
    assert redactor.cleaned('{"PASSWORD": "a\\"b/c\\\\d value"}') == '{"PASSWORD": "***"}'
    assert redactor.cleaned("at ?p=a%22b%2Fc%5Cd%20value") == "at ?p=***"


def test_control_characters_and_length_of_a_line_are_bounded() -> None:
    redactor = prepare(ServerConfig(name="s", base=Path("/tmp")), {}).redactor
    assert redactor.line("\x1b[31mred\x1b[0m\n\ttwo\x07 \x1b]0;title\x07lines\u202e") == "red two lines\ufffd"
    assert len(redactor.line("x" * 1_000)) == 300
