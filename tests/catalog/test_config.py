"""Servers files of every client, and what happens to bad ones."""

import json
import os
from pathlib import Path

import pytest

from atlas_assets.catalog.config import ServerConfig, load_servers, servers_files
from atlas_assets.errors import ConfigError

CLIENTS = Path(__file__).with_name("clients")


def load(*names: str) -> dict[str, ServerConfig]:
    loaded = load_servers([CLIENTS / name for name in names])
    assert loaded.notes == ()
    return {server.name: server for server in loaded.servers}


def written(folder: Path, text: str, name: str = "servers.json") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_claude_desktop() -> None:
    servers = load("claude_desktop_config.json")
    assert list(servers) == ["filesystem", "github", "old"]
    assert servers["filesystem"].command == "npx"
    assert servers["filesystem"].args[-1] == "/Users/me/Documents"
    assert dict(servers["github"].env) == {
        "GITHUB_PERSONAL_ACCESS_TOKEN": "${GITHUB_TOKEN}",
        "RETRIES": "3",
        "VERBOSE": "true",
    }
    assert [server.disabled for server in servers.values()] == [False, False, True]


def test_claude_code() -> None:
    servers = load("claude_code.mcp.json")
    assert [server.transport for server in servers.values()] == ["http", "sse", "stdio"]
    assert servers["api"].url == "${API_BASE_URL:-https://api.example.com}/mcp"
    assert dict(servers["api"].headers) == {"Authorization": "Bearer ${API_KEY}"}
    assert servers["db"].args == ("--dsn", "${DSN}")


def test_claude_code_keeps_servers_of_its_projects_too(tmp_path: Path) -> None:
    local = {"type": "stdio", "command": "local-server"}
    projects = {"/work-a": {"mcpServers": {"local": local}}, "/work-b": {"mcpServers": {"local": local}}}
    said = {"numStartups": 3, "projects": {**projects, "/work-c": {}}}
    path = written(tmp_path, json.dumps(said), ".claude.json")
    loaded = load_servers([path])
    assert [(server.name, server.command, server.base) for server in loaded.servers] == [
        ("local", "local-server", Path("/work-a"))
    ]
    assert loaded.notes == ()


def test_cursor_starts_from_the_project_folder() -> None:
    servers = load(".cursor/mcp.json")
    assert servers["local"].base == CLIENTS
    assert servers["local"].env_file == ".env"
    assert servers["remote"].transport == "auto"


def test_windsurf() -> None:
    servers = load("windsurf_mcp_config.json")
    assert servers["figma"].url == "https://figma.example.com/mcp"
    assert servers["search"].timeout == 60.0


def test_vs_code_with_comments_and_trailing_commas() -> None:
    servers = load(".vscode/mcp.json")
    assert dict(servers["Perplexity"].env) == {"PERPLEXITY_API_KEY": "${input:perplexity-key}"}
    assert (servers["Remote"].transport, servers["Remote"].base) == ("http", CLIENTS)


def test_zed_in_both_its_forms() -> None:
    servers = load("zed_settings.json")
    assert (servers["postgres"].command, servers["postgres"].args) == ("postgres-server", ("--ro",))
    assert (servers["older"].command, servers["older"].args) == ("older-server", ("serve",))
    assert dict(servers["older"].env) == {"A": "1"}
    assert servers["hosted"].transport == "auto"


def test_first_atlas() -> None:
    servers = load("first_atlas.json")
    assert (servers["fetch"].command, servers["fetch"].args) == ("uvx", ("mcp-server-fetch",))
    assert (servers["fetch"].tools, servers["fetch"].timeout) == (("fetch*",), 20.0)
    assert (servers["recorded"].transport, servers["recorded"].file) == ("file", "dumps/recorded.json")


def test_several_files_at_once_and_a_name_used_twice_is_said_aloud() -> None:
    loaded = load_servers([CLIENTS / "claude_desktop_config.json", CLIENTS / "first_atlas.json"])
    assert [server.name for server in loaded.servers] == [
        "filesystem", "github", "old", "filesystem-2", "fetch", "recorded"
    ]  # fmt: skip
    assert loaded.notes == (
        "first_atlas.json: a second server 'filesystem'; it is called 'filesystem-2' here",
    )


@pytest.mark.parametrize("comment", ["", "// a comment\n"])
def test_name_used_twice_in_one_file_keeps_both(tmp_path: Path, comment: str) -> None:
    path = written(tmp_path, comment + '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}')
    loaded = load_servers([path])
    assert [(server.name, server.command) for server in loaded.servers] == [("a", "x"), ("a-2", "y")]
    assert loaded.notes == ("servers.json: a second server 'a'; it is called 'a-2' here",)


def test_name_that_would_break_a_slug_is_changed_and_said_aloud(tmp_path: Path) -> None:
    loaded = load_servers([written(tmp_path, '{"mcpServers": {"a::b": {"command": "x"}}}')])
    assert [server.name for server in loaded.servers] == ["a__b"]
    assert loaded.notes == ("servers.json: server 'a::b' is called 'a__b' here",)


def test_bare_map_and_vs_code_settings_are_read(tmp_path: Path) -> None:
    bare = written(tmp_path, '{"one": {"command": "x"}, "two": {"url": "https://e.org"}}', "bare.json")
    settings = written(tmp_path, '{"mcp": {"servers": {"three": {"command": "z"}}}}', "settings.json")
    assert [server.name for server in load_servers([bare, settings]).servers] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "mcpServers": {\n  "a": {"command": "x"}\n  "b": {}\n }\n}', "line 4 is no JSON; look for a"),
        ('{"mcpServers": ', "line 1 is no JSON"),
        ("", "line 1 is no JSON"),
        ('{"editor": {"tabSize": 2}}', 'line 1: no "mcpServers"; write {"mcpServers": {"name": {…}}}'),
        ('"text"', 'line 1: no object; write {"mcpServers": {…}}'),
        ('{"mcpServers": 5}', "'mcpServers' is no object; write"),
        ('{"servers": [{"command": "x"}]}', 'server 1 of the list has no name; add "name": "…"'),
        ('{"mcpServers": {" ": {"command": "x"}}}', "a server has an empty name; give it one"),
    ],
)  # fmt: skip
def test_bad_file_is_one_line_with_file_and_cure(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        load_servers([path])
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_missing_file_and_bytes_that_are_not_utf8_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory; write one, or name yours"):
        load_servers([tmp_path / "none.json"])
    (tmp_path / "latin.json").write_bytes(b'{"mcpServers": {"gr\xf6\xdfe": {}}}')
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_servers([tmp_path / "latin.json"])


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("5", "the entry is no object"),
        ("{}", "the entry has no command, url or file; add one of them"),
        ('{"command": 5}', "command must be a text; put it in quotes"),
        ('{"command": "x", "args": "-y"}', 'args must be a list; write ["…", "…"]'),
        ('{"command": "x", "env": ["A"]}', 'env must be an object; write {"NAME": "value"}'),
        ('{"command": "x", "args": [{}]}', "args may only hold texts; put each value in quotes"),
        ('{"url": "https://e.org", "type": "websocket"}', "type 'websocket' is unknown; write http or sse"),
    ],
)
def test_bad_entry_fails_alone_with_its_line(tmp_path: Path, entry: str, error: str) -> None:
    path = written(tmp_path, f'{{"mcpServers": {{\n"good": {{"command": "x"}},\n"bad": {entry}\n}}}}')
    good, bad = load_servers([path]).servers
    assert good.error == ""
    assert bad.error.startswith(f"servers.json line 3: {error}")


def test_secrets_do_not_show_in_a_configuration() -> None:
    config = ServerConfig(
        name="x", args=("--key", "secret-1"), env=(("A", "secret-2"),), url="https://u:secret-3@e.org",
        headers=(("Authorization", "secret-4"),),
    )  # fmt: skip
    assert "secret" not in repr(config)


def test_where_the_servers_are_listed() -> None:
    named = os.pathsep.join(["a.json", "b.json"])
    assert servers_files({"ATLAS_SERVERS": named}) == (Path("a.json"), Path("b.json"))
    assert servers_files({"DAGSTER_HOME": "/opt/atlas"}) == (Path("/opt/atlas/data/servers.json"),)
    assert servers_files({}) == (Path("data/servers.json"),)
    assert servers_files({"ATLAS_DATA": "s3://bucket/x"}) == (Path("data/servers.json"),)
