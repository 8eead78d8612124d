"""One server process: its own group, its pipes without blocking, and its certain end.

A server is started in a session of its own. At its end stdin is closed, then the whole group gets
SIGTERM and SIGKILL, also where the server itself left cleanly, for its children need not have; on
Linux so does every process that carries this start's mark in its environment or that descends from
the server, for a child may have left the group. POSIX only, as Dagster's own launchers are in this project.
"""

import os
import signal
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.lowlevel
from anyio import ClosedResourceError

from atlas_assets.errors import ScanError

MARK = "MCP_ATLAS_SCAN"
_POLL = 0.02
_CHUNK = 1 << 16
_KILL_SECONDS = 10.0
_PROC = Path("/proc")
_DEAD = (b"Z", b"X")
"""States of a process that only waits to be reaped."""


class ServerProcess:
    """A started server; `stop` must be called, whatever happened."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        """Raises ScanError where the command cannot be started."""
        self.mark = uuid.uuid4().hex
        try:
            self._popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**env, MARK: self.mark},
                cwd=cwd,
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
            raise ScanError(f"{command[0]!r} cannot be started: {why}; check command and cwd") from error
        self._family: dict[int, int] = {}
        self._fds: dict[str, int] = {}
        for name in ("stdin", "stdout", "stderr"):
            pipe = getattr(self._popen, name)
            self._fds[name] = pipe.fileno()
            os.set_blocking(pipe.fileno(), False)

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative is the signal that ended it."""
        return self._popen.poll()

    async def read(self, name: str) -> bytes:
        """Some bytes of `stdout` or `stderr`, empty at its end."""
        while name in self._fds:
            # one that writes without end must not keep the other servers, nor its deadline, from a turn
            await anyio.lowlevel.checkpoint()
            if name not in self._fds:
                break
            try:
                return os.read(self._fds[name], _CHUNK)
            except BlockingIOError:
                with suppress(ClosedResourceError):
                    await anyio.wait_readable(self._fds[name])
            except OSError:
                return b""
        return b""

    async def write(self, data: bytes) -> None:
        """Write to stdin. Raises OSError where the server no longer reads it."""
        view = memoryview(data)
        while view:
            if "stdin" not in self._fds:
                raise BrokenPipeError
            try:
                view = view[os.write(self._fds["stdin"], view) :]
            except BlockingIOError:
                with suppress(ClosedResourceError):
                    await anyio.wait_writable(self._fds["stdin"])

    async def wait_for_exit(self) -> None:
        """Return when the server itself is gone; its children may still hold its pipes."""
        while self.exit_code is None:
            await anyio.sleep(_POLL)

    def close(self, name: str) -> None:
        """Close our end of a pipe; a reader or writer that waits on it stops."""
        fd = self._fds.pop(name, None)
        if fd is not None:
            with suppress(RuntimeError):  # no event loop runs any more
                anyio.notify_closing(fd)
            with suppress(OSError):
                getattr(self._popen, name).close()

    async def stop(self, patience: float) -> int | None:
        """End the server and all it started; each polite wait is `patience` seconds.

        Gives the exit code of a server that left by itself, None for one that had to be ended.
        """
        self._learn_family()  # while it lives: later its orphans have another parent
        self.close("stdin")
        with anyio.move_on_after(patience):
            await self.wait_for_exit()
        own_exit = self.exit_code
        for number in (signal.SIGTERM, signal.SIGKILL):
            left = self._left()
            if not left:
                break
            self._signal(left, number)
            # what is killed is gone as soon as the machine finds time for it: that is waited for
            with anyio.move_on_after(patience if number == signal.SIGTERM else patience + _KILL_SECONDS):
                while self.exit_code is None or any(map(_runs, left)):
                    await anyio.sleep(_POLL)
        self.close("stdout")
        self.close("stderr")
        return own_exit

    def _signal(self, left: list[int], number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, number)
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def _left(self) -> list[int]:
        """The processes of the group, and on Linux those outside that carry the mark or descend from it."""
        self._popen.poll()  # reap, or the leader stays in its group as a zombie
        if not _PROC.is_dir():
            try:
                os.killpg(self._popen.pid, 0)
            except (ProcessLookupError, PermissionError):
                return []
            return [self._popen.pid]
        wanted = f"{MARK}={self.mark}".encode()
        self._learn_family()
        found: list[int] = []
        for pid, process in _processes().items():
            with suppress(OSError):
                if (
                    process.group == self._popen.pid
                    or self._family.get(pid) == process.started
                    or wanted in (_PROC / str(pid) / "environ").read_bytes()
                ):
                    found.append(pid)
        return found

    def _learn_family(self) -> None:
        """Note what descends from the server, for a child may have left its group and its environment."""
        known = _processes()
        if self.exit_code is None and self._popen.pid in known:
            self._family[self._popen.pid] = known[self._popen.pid].started
        grew = True
        while grew:
            grew = False
            for pid, process in known.items():
                parent = known.get(process.parent)
                if (
                    pid not in self._family
                    and parent is not None
                    and self._family.get(process.parent) == parent.started
                ):
                    self._family[pid] = process.started
                    grew = True


class _Process(NamedTuple):
    """What /proc says of one process; `started` tells it from a later one of the same number."""

    state: bytes
    parent: int
    group: int
    started: int


def _state(pid: int) -> _Process:
    """Raises OSError where there is no such process, or no /proc."""
    # after the name in brackets: state, parent, group, …, and as the 20th the start
    fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    return _Process(fields[0], int(fields[1]), int(fields[2]), int(fields[19]))


def _processes() -> dict[int, _Process]:
    """All processes that run; empty where there is no /proc."""
    found: dict[int, _Process] = {}
    for name in os.listdir(_PROC) if _PROC.is_dir() else ():
        if name.isdecimal():
            with suppress(OSError):
                process = _state(int(name))
                if process.state not in _DEAD:
                    found[int(name)] = process
    return found


def _runs(pid: int) -> bool:
    if not _PROC.is_dir():
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True
    try:
        return _state(pid).state not in _DEAD
    except OSError:
        return False
