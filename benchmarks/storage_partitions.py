"""Loading all partitions at once against loading them one by one, as Dagster's stock IO manager does.

    python -m benchmarks.storage_partitions [COUNT]

The bound: one read of 5,000 partitions takes at most a tenth of 5,000 reads. "One by one" is what
`UPathIOManager` does with Parquet: a pandas frame a file, then one concatenation.
"""

import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from atlas_assets.edges.edge import Edge
from atlas_assets.storage.io_manager import TableIOManager
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import answers_table

ASSET = "semantic_edges"
EDGES_EACH = 4
BOUND = 0.1


def answers(consumer: str) -> list[Edge]:
    return [
        Edge(
            producer=f"server::list_{number}",
            consumer=consumer,
            consumes=f"parameter_{number}",
            type="semantic",
            layer="model",
            provider="local",
            confidence=0.7,
            reason="It lists what this parameter names, and returns the identifier that it needs.",
        )
        for number in range(EDGES_EACH)
    ]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    keys = [f"server_{number % 40}::tool_{number}" for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        manager = TableIOManager(DataRoot(folder))
        started = time.perf_counter()
        manager.write_partitions(ASSET, {key: answers_table(answers(key), []) for key in keys})
        written = time.perf_counter() - started

        files = sorted((Path(folder) / ASSET).glob("*.parquet"))
        started = time.perf_counter()
        frames = pd.concat([pd.read_parquet(file) for file in files])
        one_by_one = time.perf_counter() - started

        started = time.perf_counter()
        many = manager.read_partitions(ASSET, keys)
        at_once = time.perf_counter() - started
    assert many.table.num_rows == len(frames) == count * EDGES_EACH
    assert (many.missing, many.problems) == ((), ())
    ratio = at_once / one_by_one
    print(f"{count} partitions: written in {written:.1f} s ({1000 * written / count:.2f} ms each)")
    print(f"one by one {one_by_one:.2f} s, at once {at_once:.2f} s: {ratio:.3f} of it (bound {BOUND})")
    if ratio > BOUND:
        sys.exit(1)


if __name__ == "__main__":
    main()
