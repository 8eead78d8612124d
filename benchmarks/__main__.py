"""Runs every benchmark that needs nothing but this project, and `../shared` where that exists.

    make bench

Each prints its own figures as ratios against a stated peer or limit of the same run. Two are left to
be called by hand: `benchmarks.scan_real` installs dozens of real servers, and `peers.py` needs an
environment of Schemathesis.
"""

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
OWN = (
    [sys.executable, "-m", "benchmarks.scan"],
    [sys.executable, "-m", "benchmarks.storage_partitions"],
    ["node", "benchmarks/viewer.mjs"],
)
WITH_SHARED = (
    [sys.executable, "benchmarks/eval_sets.py"],
    [sys.executable, "benchmarks/eval_reliability.py"],
    [sys.executable, "benchmarks/infer_speed.py"],
    [sys.executable, "-m", "benchmarks.semantic_shortlist"],
    [sys.executable, "-m", "benchmarks.semantic_growth"],
    [sys.executable, "-m", "benchmarks.semantic_speed"],
)


def main() -> int:
    shared = (PROJECT.parent / "shared").is_dir()
    commands = OWN + (WITH_SHARED if shared else ())
    failed = []
    for command in commands:
        print(f"\n== {command[-1]}", flush=True)
        if subprocess.run(command, cwd=PROJECT, check=False).returncode:
            failed.append(command[-1])
    if not shared:
        print("\nthe benchmarks on labelled sets were left out: there is no ../shared here")
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
