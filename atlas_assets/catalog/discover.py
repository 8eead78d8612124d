"""Where MCP clients keep their servers files on this machine."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from atlas_assets.catalog.config import load_servers
from atlas_assets.errors import ConfigError


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A client's servers file that is there; `problem` says why it cannot be read, else empty."""

    client: str
    path: Path
    servers: tuple[str, ...] = ()
    problem: str = ""


def discover(environ: Mapping[str, str], folder: Path) -> list[FoundFile]:
    """The servers files of the clients we know, for this person and for the project in `folder`.

    A client's settings without any server are passed over.
    """
    found: list[FoundFile] = []
    for client, path in _usual_places(environ, folder):
        if not path.is_file() or any(path == other.path for other in found):
            continue
        try:
            names = tuple(server.name for server in load_servers([path]).servers)
        except ConfigError as error:
            if 'no "mcpServers"' not in str(error):
                found.append(FoundFile(client, path, problem=str(error)))
            continue
        if names:
            found.append(FoundFile(client, path, names))
    return found


def _usual_places(environ: Mapping[str, str], folder: Path) -> Iterator[tuple[str, Path]]:
    yield "Claude Code (project)", folder / ".mcp.json"
    yield "Cursor (project)", folder / ".cursor" / "mcp.json"
    yield "VS Code (project)", folder / ".vscode" / "mcp.json"
    yield "Zed (project)", folder / ".zed" / "settings.json"
    home_text = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME")
    if not home_text:
        return
    home = Path(home_text)
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    apps = config
    if sys.platform == "darwin":
        apps = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        apps = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    yield "Claude Desktop", apps / "Claude" / "claude_desktop_config.json"
    yield "Claude Code", home / ".claude.json"
    yield "Cursor", home / ".cursor" / "mcp.json"
    yield "Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json"
    yield "VS Code", apps / "Code" / "User" / "mcp.json"
    yield "VS Code settings", apps / "Code" / "User" / "settings.json"
    yield "Zed", (apps if sys.platform == "win32" else config) / "zed" / "settings.json"
    yield "Gemini CLI", home / ".gemini" / "settings.json"
