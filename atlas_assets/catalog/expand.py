"""Filling in a server's variables, just before it is started.

`${NAME}`, `${env:NAME}` and `${NAME:-default}` anywhere in a value, `$NAME` only as a whole value
(`pa$word` stays), and the places that editors know: `${workspaceFolder}`, `${userHome}` and the
like. `${input:…}` asks a person in an editor; here it fails, as does a variable that is not set, and
the message says which value to set. Values never appear in a message.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from dotenv import dotenv_values

from atlas_assets.catalog.redact import Redactor, secret_arguments
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.errors import ScanError

_BRACED = re.compile(r"\$\{([^{}]*)\}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WHOLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_NAME = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)

_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""What the stock SDK passes to a server (`mcp.client.stdio`)."""

_NETWORK = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO", "PIP_CERT", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE", "NODE_USE_SYSTEM_CA",
    "UV_SYSTEM_CERTS", "UV_NATIVE_TLS", "DENO_CERT", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FTP_PROXY", "NODE_USE_ENV_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy",
    "npm_config_proxy", "npm_config_https_proxy", "npm_config_noproxy", "npm_config_cafile",
)  # fmt: skip
"""TLS and proxy settings: behind a proxy or a private CA nothing starts without them."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A server with its values filled in. Nothing of it is ever shown: it holds secrets."""

    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = Path()
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: Path = Path()
    redactor: Redactor = field(default_factory=Redactor, repr=False)


def prepare(config: ServerConfig, environ: Mapping[str, str] | None = None) -> Launch:
    """Fill in a server's variables. Raises ScanError naming the value to set."""
    ambient = os.environ if environ is None else environ
    fill = _Fill(config, ambient)
    named: dict[str, str] = {}
    if config.env_file is not None:
        path = fill.path("envFile", config.env_file)
        if not path.is_file():
            raise ScanError(f"its envFile {path.name!r} is not there; write it or take it out")
        named.update({name: value for name, value in dotenv_values(path).items() if value is not None})
        fill.more = named
    for name, value in config.env:
        named[name] = fill.text(f"env {name}", value)
    headers = {name: fill.text(f"header {name}", value) for name, value in config.headers}
    url = fill.text("url", config.url)
    _check(config, named, headers, url)
    cwd = fill.path("cwd", config.cwd) if config.cwd is not None else config.base
    if config.transport == "stdio" and not cwd.is_dir():
        raise ScanError(f"its folder {str(cwd)!r} (cwd) is not there; make it or correct cwd")
    args = tuple(fill.text(f"args[{number}]", arg) for number, arg in enumerate(config.args))
    secrets = [*headers.values(), *secret_arguments(args)]
    return Launch(
        command=fill.text("command", config.command),
        args=args,
        env=child_environment(ambient) | named,
        cwd=cwd,
        url=url,
        headers=headers,
        file=fill.path("file", config.file) if config.file is not None else Path(),
        redactor=Redactor.of({**fill.filled, **named}, secrets, url),
    )


def _check(config: ServerConfig, env: Mapping[str, str], headers: Mapping[str, str], url: str) -> None:
    """Raises ScanError for what neither a process nor an HTTP request can carry; values are not shown."""
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise ScanError(
                f"its env {name!r} cannot be set; correct the name, and take NUL out of the value"
            )
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not value.isascii() or not value.isprintable():
            raise ScanError(f"its header {name!r} cannot be sent; use ASCII on one line")
    if config.transport in ("http", "sse", "auto"):
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            good = False
        if not good or not url.isprintable() or " " in url:
            raise ScanError("its url is no address of a server; write http://… or https://…")


def child_environment(ambient: Mapping[str, str]) -> dict[str, str]:
    """What every server gets: the SDK's few variables, TLS and proxy settings, our own `uvx` on PATH."""
    env = {name: ambient[name] for name in (*_INHERITED, *_NETWORK) if name in ambient}
    # `uv` is a dependency: its `uvx` lies beside this Python, whether or not the venv is activated
    env["PATH"] = os.pathsep.join(search_path(ambient))
    return env


def search_path(ambient: Mapping[str, str]) -> Iterator[str]:
    """Folders in which a server's command is looked up: those of PATH, then the one of this Python."""
    given = [part for part in ambient.get("PATH", os.defpath).split(os.pathsep) if part]
    own = str(Path(sys.executable).parent)
    yield from given
    if own not in given:
        yield own


class _Fill:
    """Fills in one server's texts; remembers what came from variables, for it may be secret."""

    def __init__(self, config: ServerConfig, ambient: Mapping[str, str]) -> None:
        self.base = config.base
        self.ambient = ambient
        self.more: Mapping[str, str] = {}
        self.filled: dict[str, str] = {}

    def text(self, place: str, value: str) -> str:
        whole = _WHOLE.fullmatch(value)
        if whole:
            return self._variable(place, whole[1], None)
        return _BRACED.sub(lambda found: self._braced(place, found), value)

    def path(self, place: str, value: str) -> Path:
        return self.base / Path(self.text(place, value)).expanduser()

    def _braced(self, place: str, found: re.Match[str]) -> str:
        inner = found[1]
        if inner.startswith("input:"):
            name = inner.removeprefix("input:")
            variable = re.sub(r"\W+", "_", name).upper()
            raise ScanError(
                f"its {place} asks for the input {name!r}, which only an editor can: "
                f"write ${{{variable}}} there and set {variable}"
            )
        known = {
            "workspaceFolder": str(self.base),
            "workspaceRoot": str(self.base),
            "workspaceFolderBasename": self.base.name,
            "userHome": self.ambient.get("HOME", ""),
            "pathSeparator": os.sep,
            "/": os.sep,
        }
        if inner in known:
            return known[inner]
        name = _NAME.fullmatch(inner)
        return self._variable(place, name[1], name[2]) if name else found[0]

    def _variable(self, place: str, name: str, default: str | None) -> str:
        value = self.more.get(name) or self.ambient.get(name)
        if value is None or (not value and default is not None):
            if default is None:
                raise ScanError(f"its {place} needs the variable {name}, which is not set; set {name}")
            return default
        self.filled[name] = value
        return value
