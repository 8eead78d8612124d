"""Stub servers as configurations, and a look at which of their processes are left."""

import sys
import uuid
from dataclasses import replace
from pathlib import Path

from atlas_assets.catalog.config import ServerConfig

SCRIPT = Path(__file__).with_name("stub_server.py")


class Stubs:
    """Makes stub servers that carry a mark of their own."""

    def __init__(self) -> None:
        self.mark = f"stub-{uuid.uuid4().hex}"

    def server(self, behaviour: str, name: str = "bad", **changes: object) -> ServerConfig:
        config = ServerConfig(
            name=name,
            command=sys.executable,
            args=("-S", str(SCRIPT), behaviour, self.mark),
            base=SCRIPT.parent,
        )
        return replace(config, **changes)  # type: ignore[arg-type]

    @property
    def left(self) -> list[str]:
        """Command lines of the stubs, and of what they started, that still run."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if self.mark in line:
                found.append(line)
        return found
