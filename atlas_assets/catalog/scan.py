"""Scanning: every server of a configuration, side by side, into one catalog.

A server that fails is a row with a reason and costs the others nothing; the tools it had are kept
and marked stale.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import anyio
import anyio.to_thread

from atlas_assets.catalog.catalog import Catalog, Problem
from atlas_assets.catalog.connect import list_configured
from atlas_assets.catalog.expand import Launch, prepare
from atlas_assets.catalog.limits import ScanLimits
from atlas_assets.catalog.listing import Listing, NeedsAuth, Step
from atlas_assets.catalog.own_loop import run_in_own_loop
from atlas_assets.catalog.recorded import load_recorded, read_tools, server_info
from atlas_assets.catalog.redact import Redactor
from atlas_assets.catalog.server import ServerConfig
from atlas_assets.catalog.tool import ServerRecord, ServerStatus, Tool
from atlas_assets.catalog.wire import quiet_transports
from atlas_assets.errors import AtlasError, CatalogError, ScanError

OnServer = Callable[[ServerRecord], None]


@dataclass(frozen=True, slots=True)
class Scanned:
    """One server's part of a catalog, and the raw answers for those who keep them."""

    record: ServerRecord
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()
    listing: Listing | None = None


def scan_servers(
    servers: Sequence[ServerConfig],
    *,
    previous: Catalog | None = None,
    limits: ScanLimits | None = None,
    on_server: OnServer | None = None,
    environ: Mapping[str, str] | None = None,
    logs: Path | None = None,
) -> Catalog:
    """List all servers side by side, and return when the last is done. Never raises for a server.

    `previous` is the catalog whose tools a failing server keeps. `limits` default to those of the
    environment. `on_server` is called, from another thread, as each server is done. `logs` is the
    folder for the servers' stderr, by default `$DAGSTER_HOME/logs/servers`, else none is kept.
    Servers run in a thread of their own, so that a caller's event loop does not matter.
    """
    env = os.environ if environ is None else environ
    bounds = ScanLimits.from_environment(env) if limits is None else limits
    scan = _Scan(env, bounds, logs or log_folder(env), previous or Catalog(), on_server)
    quiet_transports()
    scanned = run_in_own_loop(lambda: scan.all(servers))
    return Catalog.of(
        (one.record for one in scanned),
        (tool for one in scanned for tool in one.tools),
        (problem for one in scanned for problem in one.problems),
    )


def scan_one(
    server: ServerConfig,
    *,
    limits: ScanLimits | None = None,
    environ: Mapping[str, str] | None = None,
    on_step: Step | None = None,
) -> Scanned:
    """List one server; `listing` holds what it said, None where it failed. Never raises for it."""
    env = os.environ if environ is None else environ
    bounds = ScanLimits.from_environment(env) if limits is None else limits
    scan = _Scan(env, bounds, log_folder(env), Catalog(), None, on_step)
    quiet_transports()
    return run_in_own_loop(lambda: scan.one(server))


def log_folder(environ: Mapping[str, str]) -> Path | None:
    """Where the servers' stderr is kept: `$DAGSTER_HOME/logs/servers`; None, nowhere, without it."""
    home = environ.get("DAGSTER_HOME")
    return Path(home) / "logs" / "servers" if home else None


@dataclass(frozen=True)
class _Scan:
    environ: Mapping[str, str]
    limits: ScanLimits
    logs: Path | None
    previous: Catalog
    on_server: OnServer | None
    on_step: Step | None = None

    async def all(self, servers: Sequence[ServerConfig]) -> list[Scanned]:
        found: list[Scanned] = []
        gate = anyio.CapacityLimiter(self.limits.at_once)

        async def run(server: ServerConfig) -> None:
            async with gate:
                scanned = await self.one(server)
            found.append(scanned)
            if self.on_server is not None:
                self.on_server(scanned.record)

        async with anyio.create_task_group() as tasks:
            for server in servers:
                tasks.start_soon(run, server)
        return found

    async def one(self, server: ServerConfig) -> Scanned:
        record = ServerRecord(name=server.name, transport=_shown_transport(server))
        if server.disabled:
            return Scanned(replace(record, status="disabled", reason="disabled in the servers file"))
        started = time.monotonic()
        try:
            scanned = await self._list(server, record)
        except NeedsAuth as error:
            scanned = self._failed(server, record, "needs_auth", str(error))
        except AtlasError as error:
            scanned = self._failed(server, record, "failed", str(error))
        except Exception as error:  # noqa: BLE001  the boundary of one server: a failure is its row
            scanned = self._failed(server, record, "failed", f"could not be listed: {type(error).__name__}")
        spent = round(time.monotonic() - started, 3)
        return replace(scanned, record=replace(scanned.record, seconds=spent, tools=len(scanned.tools)))

    async def _list(self, server: ServerConfig, record: ServerRecord) -> Scanned:
        if server.error:
            raise ScanError(server.error)
        if server.transport == "file":
            launch = prepare(server, self.environ)
            return await anyio.to_thread.run_sync(_read_file, server, launch, record)
        listing = await list_configured(
            server, self.limits, self.environ, logs=self.logs, on_step=self.on_step or (lambda step: None)
        )
        return self._read(server, record, listing)

    def _read(self, server: ServerConfig, record: ServerRecord, listing: Listing) -> Scanned:
        read = read_tools(server.name, listing.tools)
        info = server_info(listing.handshake)
        record = replace(
            record,
            title=_shown(info.get("title")) or _shown(info.get("name")),
            version=_shown(info.get("version")),
            protocol=listing.protocol,
            transport=listing.transport,
        )
        had = self.previous.of_server(server.name)
        if not read.tools and had:
            why = listing.oddities[0] if listing.oddities else "lists no tools, where it had some"
            failed = self._failed(server, record, "failed", f"{why}; the {len(had)} it had are kept")
            return replace(failed, problems=read.problems)
        problems = [*read.problems, *(Problem(server.name, "", oddity) for oddity in listing.oddities)]
        reason = "lists no tools" if not read.tools else ""
        if read.problems:
            reason = f"{len(read.problems)} of its tools cannot be used"
        kept = tuple(tool for tool in read.tools if _wanted(tool.name, server.tools))
        return Scanned(replace(record, reason=reason), kept, tuple(problems), listing)

    def _failed(
        self, server: ServerConfig, record: ServerRecord, status: ServerStatus, reason: str
    ) -> Scanned:
        """The row of a server that could not be listed; what it had is kept, marked stale."""
        kept = tuple(
            replace(tool, status="stale")
            for tool in self.previous.of_server(server.name)
            if _wanted(tool.name, server.tools)
        )
        for old in self.previous.servers:
            if old.name == record.name:
                record = replace(
                    record,
                    title=record.title or old.title,
                    version=record.version or old.version,
                    protocol=record.protocol or old.protocol,
                )
        if kept and status == "failed":
            status = "stale"
        return Scanned(replace(record, status=status, reason=reason), kept)


def _read_file(server: ServerConfig, launch: Launch, record: ServerRecord) -> Scanned:
    """A recorded server under the name it has in the servers file."""
    try:
        catalog = load_recorded(launch.file)
    except CatalogError as error:
        raise ScanError(str(error)) from error
    named = [one for one in catalog.servers if len(catalog.servers) == 1 or one.name == server.name]
    if not named:
        raise ScanError(
            f"its file {launch.file.name!r} holds {len(catalog.servers)} servers, none of this name; "
            "name the server as the file does"
        )
    said = named[0]
    tools = tuple(
        replace(tool, server=server.name)
        for tool in catalog.of_server(said.name)
        if _wanted(tool.name, server.tools)
    )
    problems = tuple(
        replace(problem, server=server.name) for problem in catalog.problems if problem.server == said.name
    )
    return Scanned(
        replace(record, title=said.title, version=said.version, protocol=said.protocol), tools, problems
    )


def _wanted(name: str, globs: Iterable[str]) -> bool:
    listed = tuple(globs)
    return not listed or any(fnmatchcase(name, glob) for glob in listed)


def _shown_transport(server: ServerConfig) -> str:
    return "http" if server.transport == "auto" else server.transport


def _shown(value: object) -> str:
    """A server's own short text as one printable line."""
    return Redactor().line(value) if isinstance(value, str) else ""
