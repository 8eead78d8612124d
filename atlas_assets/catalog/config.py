"""Servers files: which MCP servers to scan, in the forms that MCP clients keep them.

Read are `mcpServers` (Claude Desktop, Claude Code, Cursor, Windsurf), `servers` as a map (VS Code,
also inside `mcp` of its settings) or as a list of `{name, …}`, `context_servers` (Zed), and a bare
map of servers. Comments and trailing commas are allowed. Unknown keys are ignored. Values stay as
they are written here: variables are filled in when a server is started, so that no secret lives
longer than needed.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import json5

from atlas_assets.catalog.catalog import free_name, safe_server_name
from atlas_assets.catalog.server import ServerConfig, read_entry
from atlas_assets.errors import ConfigError, ScanError

__all__ = ["LoadedServers", "ServerConfig", "load_servers", "servers_files"]

_CLIENT_FOLDERS = frozenset((".vscode", ".cursor", ".zed", ".windsurf", ".gemini", ".idea"))
_REPEATED = "\0"


@dataclass(frozen=True, slots=True)
class LoadedServers:
    """The servers of all files in the order written, and what a person should know about them."""

    servers: tuple[ServerConfig, ...]
    notes: tuple[str, ...] = ()


def servers_files(environ: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Where the servers are listed: `ATLAS_SERVERS` (several, joined by the path separator), else
    `$DAGSTER_HOME/data/servers.json`, else `data/servers.json`: always a local file.
    """
    env = os.environ if environ is None else environ
    named = [part for part in env.get("ATLAS_SERVERS", "").split(os.pathsep) if part.strip()]
    if named:
        return tuple(Path(part).expanduser() for part in named)
    home = env.get("DAGSTER_HOME")
    return ((Path(home) if home else Path()) / "data" / "servers.json",)


def load_servers(paths: Sequence[Path]) -> LoadedServers:
    """Read servers files. Raises ConfigError where a file cannot be read; a bad entry fails alone."""
    servers: list[ServerConfig] = []
    notes: list[str] = []
    for path in paths:
        text = _read(path)
        before = len(servers)
        for raw_name, entry, base in _entries(path, _parse(path, text)):
            try:
                wanted = safe_server_name(raw_name)
            except ScanError as error:
                raise ConfigError(f"{path}: {error}") from error
            config = read_entry(wanted, entry, base)
            if config.error:
                config = replace(config, error=f"{path.name} line {_line_of(text, raw_name)}: {config.error}")
            if wanted != raw_name:
                notes.append(f"{path.name}: server {raw_name!r} is called {wanted!r} here")
            name = free_name(wanted, (server.name for server in servers))
            if name != wanted:
                notes.append(f"{path.name}: a second server {wanted!r}; it is called {name!r} here")
            servers.append(replace(config, name=name))
        if len(servers) == before:
            notes.append(f"{path.name} lists no servers")
    return LoadedServers(tuple(servers), tuple(notes))


def _base(path: Path) -> Path:
    folder = path.absolute().parent
    return folder.parent if folder.name in _CLIENT_FOLDERS else folder


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8; save it as UTF-8") from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ConfigError(
            f"cannot read the servers file {path}: {why}; write one, or name yours with --servers"
        ) from error


def _parse(path: Path, text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_keep_repeated)
    except (ValueError, RecursionError):
        pass  # comments, trailing commas: JSON5 takes them
    try:
        return json5.loads(text, object_pairs_hook=_keep_repeated)
    except (ValueError, RecursionError) as error:
        found = re.match(r"<string>:(\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise ConfigError(
            f"{path} line {line} is no JSON; look for a missing comma, quote or bracket there"
        ) from error


def _keep_repeated(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """A dict that keeps objects under a repeated key, marked, where JSON readers drop all but the last."""
    kept: dict[str, object] = {}
    for key, value in pairs:
        name = key
        while name in kept and isinstance(value, dict) and isinstance(kept[name], dict):
            name += _REPEATED
        kept[name] = value
    return kept


Entry = tuple[str, object, Path]
"""Name, what is said of the server, and the folder it belongs to."""


def _entries(path: Path, document: object) -> Iterator[Entry]:
    """Every entry of a servers file, whichever client's form it has."""
    base = _base(path)
    if isinstance(document, list):
        yield from _held(path, "servers", document, base)
        return
    if not isinstance(document, Mapping):
        raise ConfigError(f'{path} line 1: no object; write {{"mcpServers": {{…}}}}')
    found = False
    for holder in (document, document.get("mcp")):
        for key in ("mcpServers", "servers", "context_servers"):
            if isinstance(holder, Mapping) and holder.get(key) is not None:
                found = True
                yield from _held(path, key, holder[key], base)
    projects = document.get("projects")
    if isinstance(projects, Mapping):  # Claude Code keeps what it adds for one project here
        seen: list[tuple[str, object]] = []
        for folder, project in projects.items():
            held = project.get("mcpServers") if isinstance(project, Mapping) else None
            if not held:
                continue
            found = True
            for name, entry, _ in _held(path, "mcpServers", held, base):
                if (name, entry) not in seen:
                    seen.append((name, entry))
                    yield name, entry, Path(folder)
    if found:
        return
    if document and all(_is_entry(value) for value in document.values()):
        yield from _held(path, "", document, base)
    elif document:
        raise ConfigError(f'{path} line 1: no "mcpServers"; write {{"mcpServers": {{"name": {{…}}}}}}')


def _held(path: Path, key: str, held: object, base: Path) -> Iterator[Entry]:
    """The entries of a map by name, or of a list whose entries name themselves."""
    if isinstance(held, list):
        for number, entry in enumerate(held, start=1):
            name = entry.get("name") if isinstance(entry, Mapping) else None
            if not isinstance(name, str) or not name.strip():
                raise ConfigError(f'{path}: server {number} of the list has no name; add "name": "…"')
            yield name, entry, base
    elif isinstance(held, Mapping):
        yield from ((name.rstrip(_REPEATED), entry, base) for name, entry in held.items())
    else:
        raise ConfigError(f'{path}: {key!r} is no object; write {{"{key}": {{"name": {{…}}}}}}')


def _is_entry(value: object) -> bool:
    return isinstance(value, Mapping) and not {"command", "url", "file"}.isdisjoint(value)


def _line_of(text: str, name: str) -> int:
    """The line that first names a server, 1 where it is spelt in some other way."""
    place = text.find(json.dumps(name, ensure_ascii=False))
    return text.count("\n", 0, max(place, 0)) + 1
