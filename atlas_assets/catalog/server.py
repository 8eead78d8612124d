"""One server's configuration: the record, and reading it from an entry of a servers file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from atlas_assets.errors import ConfigError

Transport = Literal["stdio", "http", "sse", "auto", "file"]
"""`auto` is a URL without a type: Streamable HTTP, then SSE."""

_HTTP_TYPES: dict[str, Transport] = {
    "http": "http",
    "streamable-http": "http",
    "streamablehttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
_MILLISECONDS_FROM = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """One server of a servers file, its values not yet filled in.

    `base` is the folder that relative paths start from and the server runs in: the servers file's
    own, or the project's where the file lies in a client's folder (`.vscode`, `.cursor`, …).
    `timeout` is in seconds. `tools` are globs of the tools to keep, empty for all. `error` says why
    the entry cannot be used; such a server is listed as failed. What may hold secrets is not shown
    in the repr.
    """

    name: str
    transport: Transport = "stdio"
    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    env_file: str | None = None
    cwd: str | None = None
    url: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    file: str | None = None
    disabled: bool = False
    tools: tuple[str, ...] = ()
    timeout: float | None = None
    base: Path = Path()
    error: str = ""


def read_entry(name: str, entry: object, base: Path) -> ServerConfig:
    """One server's entry as a ServerConfig; one that cannot be used carries its `error`."""
    try:
        return _read_entry(name, entry, base)
    except ConfigError as error:
        return ServerConfig(name=name, base=base, error=str(error))


def _read_entry(name: str, entry: object, base: Path) -> ServerConfig:
    if not isinstance(entry, Mapping):
        raise ConfigError('the entry is no object; write {"command": …} or {"url": …}')
    said: Mapping[str, object] = entry
    command, args = said.get("command"), said.get("args")
    environment = said.get("env")
    if isinstance(command, Mapping):  # Zed's older form
        args, environment = command.get("args", args), command.get("env", environment)
        command = command.get("path")
    listed = _texts("args", args)
    if isinstance(command, list):
        first, *rest = _texts("command", command) or ("",)
        command, listed = first, (*rest, *listed)
    url = next((said[key] for key in ("url", "serverUrl", "httpUrl") if said.get(key)), None)
    file = said.get("file")
    common = ServerConfig(
        name=name,
        disabled=said.get("disabled") is True or said.get("enabled") is False,
        tools=_texts("tools", said.get("tools")),
        timeout=_seconds(said.get("timeout")),
        base=base,
    )
    if file is not None:
        return replace(common, transport="file", file=_text("file", file))
    if command:
        return replace(
            common,
            command=_text("command", command),
            args=listed,
            env=_pairs("env", environment),
            env_file=_text("envFile", said["envFile"]) if said.get("envFile") else None,
            cwd=_text("cwd", said["cwd"]) if said.get("cwd") else None,
        )
    if url is not None:
        kind = said.get("type", said.get("transport", said.get("transportType", "")))
        transport = _HTTP_TYPES.get(str(kind).lower())
        if transport is None and kind and kind != "stdio":
            raise ConfigError(f"type {kind!r} is unknown; write http or sse, or leave it out")
        if transport is None:
            transport = "http" if "httpUrl" in said and not said.get("url") else "auto"
        return replace(
            common, transport=transport, url=_text("url", url), headers=_pairs("headers", said.get("headers"))
        )
    raise ConfigError("the entry has no command, url or file; add one of them")


def _text(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ConfigError(f"{key} must be a text; put it in quotes")
    return value


def _texts(key: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ConfigError(f'{key} must be a list; write ["…", "…"]')
    return tuple(_scalar(key, item) for item in value)


def _pairs(key: str, value: object) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise ConfigError(f'{key} must be an object; write {{"NAME": "value"}}')
    return tuple((str(name), _scalar(key, inner)) for name, inner in value.items() if inner is not None)


def _scalar(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float) and "\0" not in str(value):
        return str(value)
    raise ConfigError(f"{key} may only hold texts; put each value in quotes")


def _seconds(value: object) -> float | None:
    """Seconds; some clients count in milliseconds, which no one means from a thousand on."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        return None
    return value / 1000 if value >= _MILLISECONDS_FROM else float(value)
