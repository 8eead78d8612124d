"""Remote stub servers as real processes."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Remote:
    origin: str

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    @property
    def seen(self) -> list[dict[str, dict[str, str]]]:
        with urllib.request.urlopen(f"{self.origin}/seen") as response:
            return json.load(response)  # type: ignore[no-any-return]

    def headers(self, name: str) -> set[str | None]:
        """The values of one header over all requests seen."""
        return {
            next((value for key, value in one["headers"].items() if key.lower() == name), None)
            for one in self.seen
        }


@contextmanager
def remote(behaviour: str, argument: str = "", script: str = "remote_stub.py") -> Iterator[Remote]:
    """A running remote server, ended at the end."""
    command = [sys.executable, str(HERE / script), behaviour, *([argument] if argument else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Remote(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        finally:
            process.kill()
