"""Builds the project of DAGSTER_HOME, and kills this process with SIGKILL at a chosen write.

    python -m tests.defs.kill_at_write PATH_PART

The write is begun and never finished: half the bytes lie in a temporary file.
"""

import os
import signal
import sys

from atlas_assets.defs.build import project_instance, run_build
from atlas_assets.storage.root import DataRoot

wanted = sys.argv[1]
real = DataRoot.write_bytes


def write_bytes(self: DataRoot, path: str, data: bytes) -> None:
    if wanted in path:
        folder, _, name = self.full(path).rpartition("/")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/.{name}.half.tmp", "wb") as file:
            file.write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, path, data)


DataRoot.write_bytes = write_bytes  # type: ignore[method-assign]
with project_instance() as instance:
    run_build(instance)
