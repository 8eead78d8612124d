"""Runs whose process was killed: Dagster leaves them "started" for ever, so the next build ends them."""

import os
import socket
from pathlib import Path

import dagster as dg

PROCESS_TAG = "atlas/process"


def process_tag() -> dict[str, str]:
    """A tag that names this process so that another can tell whether it still lives."""
    return {PROCESS_TAG: f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}"}


def end_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark as failed the runs of builds of this machine whose process is gone; their ids."""
    unfinished = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING])
    ended: list[str] = []
    for run in instance.get_runs(unfinished):
        host, _, process = run.tags.get(PROCESS_TAG, "").partition("/")
        pid, _, started = process.partition("/")
        if host == socket.gethostname() and pid.isdigit() and not _lives(int(pid), started):
            instance.report_run_failed(run, "its process was killed; what it had finished is kept")
            ended.append(run.run_id)
    return ended


def _lives(pid: int, started: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # a number that was given to another process since has another start
    return _started(pid) == started


def _started(pid: int) -> str:
    """When a process started, in the kernel's ticks; "" where this system does not say."""
    try:
        after_name = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        )
        return after_name.split()[19]
    except (OSError, IndexError):
        return ""
