"""`atlas scan`, `atlas record` and `atlas login`: servers from the shell, without Dagster."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from atlas_assets.catalog.catalog import Catalog
    from atlas_assets.catalog.config import LoadedServers, ServerConfig
    from atlas_assets.catalog.tool import ServerRecord

ServersOption = Annotated[
    list[Path] | None,
    typer.Option("--servers", help="A servers file, in any MCP client's form; may be given several times."),
]
_COLOURS = {"ok": "green", "stale": "yellow", "needs_auth": "yellow", "failed": "red", "disabled": "dim"}
_PROBLEMS_SHOWN = 20


def register(app: typer.Typer) -> None:
    app.command("scan")(scan)
    app.command("record")(record)
    app.command("login")(login)


def scan(
    servers: ServersOption = None,
    discover: Annotated[
        bool,
        typer.Option("--discover", help="Look where MCP clients keep their files; ask before using one."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if any server failed or a tool cannot be used.")
    ] = False,
) -> None:
    """List the tools of all servers, side by side, and show how each one did.

    Only looks: nothing is stored (`atlas build` does that). Exits with 1 if nothing could be listed.
    """
    from atlas_assets.catalog.config import load_servers, servers_files

    # asked to end, it ends the servers first, as on Ctrl-C
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    paths = [*(servers or []), *(_ask_for_files() if discover else [])]
    loaded = load_servers(paths or servers_files())
    _tell(loaded)
    catalog = _scan_live(loaded.servers)
    for problem in catalog.problems[:_PROBLEMS_SHOWN]:
        typer.echo(
            f"{problem.server}{f'::{problem.tool}' if problem.tool else ''}: {problem.reason}", err=True
        )
    if len(catalog.problems) > _PROBLEMS_SHOWN:
        typer.echo(f"… and {len(catalog.problems) - _PROBLEMS_SHOWN} more", err=True)
    up = sum(server.status == "ok" for server in catalog.servers)
    tools = sum(server.tools for server in catalog.servers if server.status == "ok")
    typer.echo(f"{tools} tools from {up} of {len(catalog.servers)} servers")
    if discover and paths:
        typer.echo(f"To build from these: ATLAS_SERVERS={os.pathsep.join(str(path) for path in paths)!r}")
    wrong = any(server.status not in ("ok", "disabled") for server in catalog.servers) or catalog.problems
    if not up or (strict and wrong):
        raise typer.Exit(1)


def record(
    server: Annotated[str, typer.Argument(help="The server's name in the servers file.")],
    out: Annotated[Path | None, typer.Option(help="The file to write; else <server>.json.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    servers: ServersOption = None,
) -> None:
    """Write what a server lists into a file, without secrets, that a servers file can name as `file`."""
    from atlas_assets.catalog.record import record_server
    from atlas_assets.catalog.stderr_log import log_name
    from atlas_assets.errors import ConfigError
    from atlas_assets.storage.root import DataRoot

    config = _named(server, servers)
    path = (out or Path(log_name(server)).with_suffix(".json")).absolute()
    if path.exists() and not force:
        raise ConfigError(f"{str(path)!r} is there already; name another with --out, or add --force")
    dump = record_server(config, os.environ)
    # in the server's own order, for that is the order of its parameters
    text = json.dumps(dump, ensure_ascii=False, indent=1, allow_nan=False)
    DataRoot(str(path.parent)).write_bytes(path.name, f"{text}\n".encode())
    tools = dump["tools"]
    typer.echo(f"{len(tools) if isinstance(tools, list) else 0} tools of {server} are in {path}")


def login(
    server: Annotated[str, typer.Argument(help="The server's name in the servers file.")],
    browser: Annotated[bool, typer.Option(help="Open the login page; else only print its address.")] = True,
    servers: ServersOption = None,
) -> None:
    """Log in to a remote server in the browser; the login is kept in your keyring, or a private file."""
    import webbrowser

    import anyio

    from atlas_assets.catalog.limits import ScanLimits
    from atlas_assets.catalog.login import PATIENCE_SECONDS, log_in
    from atlas_assets.catalog.wire import quiet_transports

    config = _named(server, servers)

    def show(page: str) -> None:
        typer.echo(f"Log in here: {page}")
        if browser:
            webbrowser.open(page)

    limits = ScanLimits(start_seconds=PATIENCE_SECONDS, list_seconds=PATIENCE_SECONDS)
    quiet_transports()
    asked = anyio.run(log_in, config, limits, os.environ, show)
    typer.echo(f"Logged in to {server}." if asked else f"{server} lists its tools without a new login.")


def _named(name: str, paths: Sequence[Path] | None) -> "ServerConfig":
    from atlas_assets.catalog.config import load_servers, servers_files
    from atlas_assets.errors import ConfigError

    loaded = load_servers(paths or servers_files())
    _tell(loaded)
    for config in loaded.servers:
        if config.name == name:
            if config.error:
                raise ConfigError(config.error)
            return config
    known = ", ".join(sorted(config.name for config in loaded.servers)) or "none"
    raise ConfigError(f"no server is called {name!r}; there are: {known}")


def _tell(loaded: "LoadedServers") -> None:
    for note in loaded.notes:
        typer.echo(f"note: {note}", err=True)


def _ask_for_files() -> list[Path]:
    """The clients' files that a person agrees to."""
    from atlas_assets.catalog.discover import discover
    from atlas_assets.errors import ConfigError

    agreed: list[Path] = []
    for found in discover(os.environ, Path.cwd()):
        if found.problem:
            typer.echo(f"note: {found.client}: {found.problem}", err=True)
            continue
        names = ", ".join(found.servers)
        if typer.confirm(f"{found.client}: {found.path} ({names}). Use it?", default=False):
            agreed.append(found.path)
    if not agreed:
        raise ConfigError("no servers file was chosen; name yours with --servers FILE")
    return agreed


def _scan_live(servers: "Sequence[ServerConfig]") -> "Catalog":
    """Scan with a table that fills as servers answer; plain lines where no person watches."""
    from rich.console import Console
    from rich.live import Live

    from atlas_assets.catalog.scan import scan_servers

    console = Console()
    done: dict[str, ServerRecord] = {}
    if not console.is_terminal:
        catalog = scan_servers(servers, previous=_previous())
        for server in catalog.servers:
            line = f"{server.name}\t{server.status}\t{server.tools}\t{server.seconds:.1f}s\t{server.reason}"
            typer.echo(line.rstrip())
        return catalog
    with Live(_table(servers, done), console=console, refresh_per_second=8) as live:

        def show(server: "ServerRecord") -> None:
            done[server.name] = server
            live.update(_table(servers, done))

        return scan_servers(servers, previous=_previous(), on_server=show)


def _table(servers: "Sequence[ServerConfig]", done: "dict[str, ServerRecord]") -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in ("server", "status", "tools", "seconds", "reason"):
        table.add_column(title, justify="right" if title in ("tools", "seconds") else "left")
    for config in servers:
        server = done.get(config.name)
        if server is None:
            table.add_row(Text(config.name), Text("…", style="dim"))
            continue
        # Text, not markup: what a server says of itself must not style the terminal
        table.add_row(
            Text(server.name),
            Text(server.status, style=_COLOURS[server.status]),
            Text(str(server.tools)),
            Text(f"{server.seconds:.1f}"),
            Text(server.reason),
        )
    return table


def _previous() -> "Catalog | None":
    """The last build's catalog, so that a server which is down shows what is kept of it."""
    from atlas_assets.errors import StorageError
    from atlas_assets.storage.root import DataRoot

    try:
        root = DataRoot.from_environment()
        if not root.exists("tool_catalog"):
            return None
        from atlas_assets.storage.layout import read_catalog  # a second of imports, for nothing else here

        return read_catalog(root)
    except StorageError as error:
        typer.echo(f"note: {error}", err=True)
        return None
