"""Recorded catalogs in each of their forms, and ones that cannot be read."""

import json
import os
from pathlib import Path

import pytest

from atlas_assets.catalog.catalog import Problem
from atlas_assets.catalog.config import ServerConfig
from atlas_assets.catalog.recorded import load_recorded, load_recorded_files
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.errors import CatalogError

READ = {"name": "read", "inputSchema": {"type": "object"}}


def written(folder: Path, value: object, name: str = "dump.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_dump_with_its_handshake(tmp_path: Path) -> None:
    info = {"name": "files-server", "title": "Files", "version": "1.2"}
    handshake = {"protocolVersion": "2025-06-18", "serverInfo": info}
    catalog = load_recorded(written(tmp_path, {"server": "files", "initialize": handshake, "tools": [READ]}))
    server = catalog.servers[0]
    assert (server.name, server.title, server.version, server.protocol, server.transport, server.tools) == (
        "files", "Files", "1.2", "2025-06-18", "file", 1
    )  # fmt: skip
    assert [tool.slug for tool in catalog.tools] == ["files::read"]


@pytest.mark.parametrize(
    "wrap", [lambda tools: {"tools": tools}, lambda tools: {"id": 1, "result": {"tools": tools}}]
)
def test_bare_result_and_response_are_named_after_the_file(tmp_path: Path, wrap) -> None:  # type: ignore[no-untyped-def]
    catalog = load_recorded(written(tmp_path, wrap([READ]), "my-server.json"))
    assert [tool.slug for tool in catalog.tools] == ["my-server::read"]


def test_flat_list_of_tools_with_their_servers(tmp_path: Path) -> None:
    tools = [{"server": "b", **READ}, {"server": "a", **READ}, {"server": "b", "name": "write"}]
    catalog = load_recorded(written(tmp_path, tools))
    assert [tool.slug for tool in catalog.tools] == ["a::read", "b::read", "b::write"]
    assert [(server.name, server.tools) for server in catalog.servers] == [("a", 1), ("b", 2)]


def test_bad_tools_are_problems_and_cost_the_others_nothing(tmp_path: Path) -> None:
    tools = [READ, {"name": 5}, {"name": "  "}, 7, {"name": "read", "description": "again"}]
    catalog = load_recorded(written(tmp_path, {"server": "s", "tools": tools}))
    assert [tool.slug for tool in catalog.tools] == ["s::read"]
    assert catalog.problems == (
        Problem("s", "#2", "a tool's name is a number, not a text; it is left out"),
        Problem("s", "#3", "a tool's name is empty, not a text; it is left out"),
        Problem("s", "#4", "a tool is a number, not an object; it is left out"),
        Problem("s", "read", "is listed twice; the first is kept"),
    )


def test_two_files_of_one_server_keep_both_and_say_so(tmp_path: Path) -> None:
    one = written(tmp_path, {"server": "s", "tools": [READ]}, "one.json")
    two = written(tmp_path, {"server": "s", "tools": [READ]}, "two.json")
    catalog = load_recorded_files([one, two])
    assert [tool.slug for tool in catalog.tools] == ["s-2::read", "s::read"]
    assert catalog.problems == (Problem("s-2", "", "two.json has a second server 's'"),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{broken\n", "is no JSON in line 1; record the server again"),
        ("[" * 100_000, "is no JSON; record the server again"),
        ({"server": "s"}, "holds no tools; give a tools/list answer"),
        ("5", "holds no tools; give a tools/list answer"),
    ],
)
def test_file_that_cannot_be_used_is_one_line(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(CatalogError, match=message):
        load_recorded(written(tmp_path, content))


def test_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="No such file or directory"):
        load_recorded(tmp_path / "none.json")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(CatalogError, match="is no file"):
        load_recorded(tmp_path / "pipe.json")


def test_recorded_server_is_scanned_under_its_name_in_the_servers_file(tmp_path: Path) -> None:
    written(tmp_path, {"server": "inside", "tools": [READ, {"name": "write"}]})
    config = ServerConfig(name="outside", transport="file", file="dump.json", base=tmp_path, tools=("r*",))
    missing = ServerConfig(name="missing", transport="file", file="none.json", base=tmp_path)
    catalog = scan_servers([config, missing])
    assert [tool.slug for tool in catalog.tools] == ["outside::read"]
    assert [(server.name, server.transport, server.status) for server in catalog.servers] == [
        ("missing", "file", "failed"),
        ("outside", "file", "ok"),
    ]
    assert "cannot read" in catalog.servers[0].reason
