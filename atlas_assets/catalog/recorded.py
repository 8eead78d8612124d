"""Recorded catalogs: `tools/list` answers kept in a file.

Read are a dump of one server (`{"server", "tools", …}`, as `atlas record` writes it, with the
server's `initialize` answer beside it), a bare `tools/list` result or response (the server is named
after the file), and a flat list of tools that each carry their `server`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from atlas_assets.catalog.catalog import Catalog, Problem, free_name, safe_server_name
from atlas_assets.catalog.schema import read_tool
from atlas_assets.catalog.tool import JsonObject, ServerRecord, Tool, as_object
from atlas_assets.catalog.visible import printable
from atlas_assets.errors import CatalogError, ScanError


@dataclass(frozen=True, slots=True)
class ReadTools:
    """What one server's raw tools came to: the tools in the order said, and what was wrong."""

    tools: tuple[Tool, ...]
    problems: tuple[Problem, ...]


def read_tools(server: str, raw_tools: Iterable[object]) -> ReadTools:
    """Validate raw `tools/list` entries one by one; of two with one name the first is kept."""
    tools: dict[str, Tool] = {}
    problems: list[Problem] = []
    for number, raw in enumerate(raw_tools, start=1):
        name = raw.get("name") if isinstance(raw, Mapping) else None
        label = _label(name) if isinstance(name, str) and name.strip() else f"#{number}"
        try:
            tool = read_tool(server, raw)
        except ScanError as error:
            problems.append(Problem(server, label, f"{error}; it is left out"))
            continue
        if tool.name in tools:
            problems.append(Problem(server, label, "is listed twice; the first is kept"))
        else:
            tools[tool.name] = tool
    return ReadTools(tuple(tools.values()), tuple(problems))


def server_info(handshake: JsonObject) -> JsonObject:
    """What a server says of itself, in either kind of handshake; empty where it says nothing."""
    said = handshake.get("serverInfo")
    if said is None:
        said = as_object(handshake.get("_meta")).get("io.modelcontextprotocol/serverInfo")
    return as_object(said)


def load_recorded(path: Path) -> Catalog:
    """Read one recorded catalog. Raises CatalogError where the file cannot be used at all."""
    return load_recorded_files([path])


def load_recorded_files(paths: Sequence[Path]) -> Catalog:
    """Read several recorded catalogs as one; a server named twice gets a suffix, told as a problem."""
    servers: list[ServerRecord] = []
    tools: list[Tool] = []
    problems: list[Problem] = []
    for path in paths:
        for record, raw_tools in _servers_in(path):
            name = free_name(record.name, (server.name for server in servers))
            if name != record.name:
                problems.append(Problem(name, "", f"{path.name} has a second server {record.name!r}"))
            read = read_tools(name, raw_tools)
            servers.append(replace(record, name=name))
            tools.extend(read.tools)
            problems.extend(read.problems)
    return Catalog.of(servers, tools, problems)


def _servers_in(path: Path) -> list[tuple[ServerRecord, list[object]]]:
    document = _read_json(path)
    if isinstance(document, list):
        return _from_flat_list(path, document)
    body = as_object(document)
    if "tools" not in body and isinstance(body.get("result"), dict):
        body = as_object(body["result"])
    raw_tools = body.get("tools")
    if not isinstance(raw_tools, list):
        raise CatalogError(
            f"{str(path)!r} holds no tools; give a tools/list answer, such as `atlas record` writes"
        )
    named = body.get("server")
    initialize = as_object(body.get("initialize"))
    info = server_info(initialize)
    record = ServerRecord(
        name=_server_name(path, named if isinstance(named, str) and named.strip() else path.stem),
        title=_text(info.get("title")) or _text(info.get("name")),
        version=_text(info.get("version")),
        transport="file",
        protocol=_text(initialize.get("protocolVersion")),
    )
    return [(record, list(raw_tools))]


def _from_flat_list(path: Path, entries: list[object]) -> list[tuple[ServerRecord, list[object]]]:
    found: dict[str, list[object]] = {}
    for entry in entries:
        named = entry.get("server") if isinstance(entry, Mapping) else None
        name = named if isinstance(named, str) and named.strip() else path.stem
        found.setdefault(_server_name(path, name), []).append(entry)
    return [(ServerRecord(name=name, transport="file"), raw) for name, raw in found.items()]


def _read_json(path: Path) -> object:
    try:
        if path.exists() and not path.is_file():
            # a pipe or a device would be waited for without end
            raise CatalogError(f"{str(path)!r} is no file; name a recorded catalog")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise CatalogError(f"cannot read {str(path)!r}: {error.strerror or type(error).__name__}") from error
    except (ValueError, RecursionError) as error:
        line = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise CatalogError(f"{str(path)!r} is no JSON{line}; record the server again") from error


def _server_name(path: Path, name: str) -> str:
    try:
        return safe_server_name(name)
    except ScanError as error:
        raise CatalogError(f"{str(path)!r}: {error}") from error


def _label(name: str) -> str:
    """A tool name as a problem shows it: printable, at most 80 characters."""
    text = printable(name)
    return text if len(text) <= 80 else text[:79] + "…"


def _text(value: object) -> str:
    return value.encode("utf-8", errors="replace").decode("utf-8") if isinstance(value, str) else ""
