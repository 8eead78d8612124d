"""A real `dagster dev` over a temporary project, and a page of Chromium that looks at it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.defs.project import REPOSITORY

CHROMIUM = {
    "executable_path": "/usr/bin/chromium",
    "args": ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
}


@dataclass(frozen=True)
class DagsterDev:
    """The running webserver, daemon and code server; `log` grows as they speak."""

    url: str
    log: list[str]

    def ask(self, query: str, **variables: Any) -> Any:
        """The `data` of a GraphQL answer."""
        answer = httpx.post(
            f"{self.url}/graphql", json={"query": query, "variables": variables}, timeout=60, trust_env=False
        ).json()
        assert not answer.get("errors"), answer
        return answer["data"]


@contextmanager
def dagster_dev(home: Path, environ: Mapping[str, str]) -> Iterator[DagsterDev]:
    """`dagster dev` on a free port of 127.0.0.1, ended with all its processes at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dagster", "dev", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--workspace", str(REPOSITORY / "workspace.yaml")],
        cwd=REPOSITORY,
        env={**os.environ, "DAGSTER_HOME": str(home), **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    log: list[str] = []
    serving = threading.Event()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            log.append(line)
            if "Serving dagster-webserver" in line:
                serving.set()
        serving.set()

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        assert serving.wait(180), "".join(log)
        assert process.poll() is None, "".join(log)
        yield DagsterDev(f"http://127.0.0.1:{port}", log)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)
        listener.join(60)
        if process.stdout is not None:
            process.stdout.close()
