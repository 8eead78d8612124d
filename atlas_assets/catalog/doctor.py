"""What may keep a build from working on this machine, checked one by one, each with its cure."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from atlas_assets.catalog.config import LoadedServers, ServerConfig, load_servers, servers_files
from atlas_assets.catalog.expand import search_path
from atlas_assets.errors import AtlasError, ConfigError

Verdict = Literal["ok", "note", "bad"]

_RUNTIMES = {
    "npx": "install Node.js 20 or newer",
    "uvx": "install uv (pip install uv)",
    "docker": "install and start Docker",
}
_KEYS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
)
_VERSION_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `cure` is empty where nothing is wrong."""

    area: str
    name: str
    verdict: Verdict
    detail: str
    cure: str = ""


def examine(
    environ: Mapping[str, str], paths: Sequence[Path] | None, count_runs: Callable[[Path], int]
) -> Iterator[Check]:
    """All checks, in the order in which a build needs what they look at.

    `count_runs` opens the Dagster instance of a folder and counts its runs; what it raises is a check
    that failed.
    """
    loaded, checks = _config(environ, paths)
    used = {Path(server.command).name for server in loaded.servers if not server.disabled}
    yield from _runtimes(environ, used)
    yield from checks
    for server in loaded.servers:
        yield from _server(server, environ)
    yield from _provider(environ)
    yield from _data(environ)
    yield from _dagster(environ, count_runs)


def _runtimes(environ: Mapping[str, str], used: set[str]) -> Iterator[Check]:
    path = os.pathsep.join(search_path(environ))
    for name, cure in _RUNTIMES.items():
        found = shutil.which(name, path=path)
        if found is None:
            verdict: Verdict = "bad" if name in used else "note"
            need = "a server needs it" if name in used else "no server here needs it"
            yield Check("runtime", name, verdict, f"not found; {need}", cure if name in used else "")
            continue
        try:
            asked = subprocess.run(
                [found, "--version"], capture_output=True, encoding="utf-8", errors="replace",
                timeout=_VERSION_SECONDS, check=False, env={**environ, "PATH": path},
            )  # fmt: skip
            version = " ".join(asked.stdout.split())[:60]
        except (OSError, subprocess.TimeoutExpired):
            version = ""
        yield Check(
            "runtime", name, "ok" if version else "bad", version or "does not run", "" if version else cure
        )


def _config(environ: Mapping[str, str], paths: Sequence[Path] | None) -> tuple[LoadedServers, list[Check]]:
    servers: list[ServerConfig] = []
    checks: list[Check] = []
    for path in paths or servers_files(environ):
        try:
            load_servers([path])
        except ConfigError as error:
            what, _, cure = str(error).partition("; ")
            checks.append(Check("config", path.name, "bad", what, cure))
            continue
        servers.append(ServerConfig(name=str(path)))
    good = [Path(server.name) for server in servers]
    loaded = load_servers(good) if good else LoadedServers(())
    for path in good:
        count = len(load_servers([path]).servers)
        verdict: Verdict = "ok" if count else "bad"
        checks.append(
            Check("config", str(path), verdict, f"{count} servers", "" if count else "add a server")
        )
    checks.extend(Check("config", "note", "note", note) for note in loaded.notes)
    return loaded, checks


def _server(server: ServerConfig, environ: Mapping[str, str]) -> Iterator[Check]:
    """One server's handshake, step by step."""
    from atlas_assets.catalog.scan import scan_one

    if server.disabled:
        yield Check("server", server.name, "note", "disabled in the servers file")
        return
    steps: list[str] = []
    scanned = scan_one(server, environ=environ, on_step=steps.append)
    for step in steps:
        yield Check("server", server.name, "ok", step)
    record = scanned.record
    if record.status == "ok":
        yield Check("server", server.name, "ok", f"{record.tools} tools in {record.seconds:.1f} s")
        for problem in scanned.problems:
            yield Check("server", server.name, "note", f"{problem.tool} {problem.reason}".strip())
        return
    what, _, cure = record.reason.partition("; ")
    after = f" after: {steps[-1]}" if steps else ""
    yield Check(
        "server", server.name, "bad", f"{record.status}{after}; {what}", cure or _log_cure(server, environ)
    )


def _log_cure(server: ServerConfig, environ: Mapping[str, str]) -> str:
    from atlas_assets.catalog.scan import log_folder
    from atlas_assets.catalog.stderr_log import log_name

    folder = log_folder(environ)
    return f"read {folder / log_name(server.name)}" if folder else "run its command by hand"


def _provider(environ: Mapping[str, str]) -> Iterator[Check]:
    from atlas_assets.edges.semantic.choose import choose_provider

    for name in _KEYS:
        if environ.get(name):
            yield Check("provider", name, "ok", "is set (not shown)")
    try:
        choice = choose_provider(environ)
    except AtlasError as error:
        what, _, cure = str(error).partition("; ")
        yield Check("provider", "choice", "bad", what, cure)
        return
    yield Check("provider", choice.name, "ok", choice.receiver)


def _data(environ: Mapping[str, str]) -> Iterator[Check]:
    from atlas_assets.storage.layout import read_catalog
    from atlas_assets.storage.root import DataRoot

    probe = ".doctor"
    try:
        root = DataRoot.from_environment(environ)
        root.write_bytes(probe, b"")
        root.delete(probe)
        catalog = read_catalog(root)
    except AtlasError as error:
        what, _, cure = str(error).partition("; ")
        yield Check("data", "folder", "bad", what, cure)
        return
    except Exception as error:  # noqa: BLE001  any fsspec driver, and what it raises is its own
        cure = "set ATLAS_DATA to a folder that can be written"
        yield Check("data", "folder", "bad", f"cannot be used ({type(error).__name__})", cure)
        return
    where = str(root.local) if root.local else f"on {root.fs.protocol}"
    yield Check("data", "folder", "ok", f"{where} can be written")
    yield Check(
        "data",
        "catalog",
        "ok",
        f"{len(catalog.tools)} tools" if catalog else "none yet; `atlas build` makes it",
    )


def _dagster(environ: Mapping[str, str], count_runs: Callable[[Path], int]) -> Iterator[Check]:
    home = environ.get("DAGSTER_HOME")
    if not home:
        cure = "export DAGSTER_HOME=<project folder>, or use make"
        yield Check("dagster", "DAGSTER_HOME", "bad", "is not set; the history of runs would be lost", cure)
        return
    folder = Path(home)
    if not folder.is_absolute() or not folder.is_dir():
        cure = "set it to the project folder, as an absolute path"
        yield Check("dagster", "DAGSTER_HOME", "bad", f"{home!r} is no absolute path of a folder", cure)
        return
    if not (folder / "dagster.yaml").is_file():
        yield Check(
            "dagster", "dagster.yaml", "note", f"not in {home}; Dagster's defaults hold, telemetry included"
        )
        return
    try:
        runs = count_runs(folder)
    except Exception as error:  # noqa: BLE001  whatever Dagster meets in a person's own configuration
        cure = "correct dagster.yaml, or move its storage folder aside"
        yield Check("dagster", "instance", "bad", f"cannot be opened ({type(error).__name__})", cure)
        return
    yield Check("dagster", "instance", "ok", f"{home}, {runs} runs so far")
