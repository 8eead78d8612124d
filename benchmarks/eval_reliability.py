"""Reliability of the confidences, and the fit of the table behind them.

    python benchmarks/eval_reliability.py [GOLD_ROOT] [--fit]

For each confidence the share of edges that gold calls right, on the development sets and on the sets
that were met later. `--fit` prints a new table for `atlas_assets/edges/calibration.py`. Edges into
slots that nobody judged, and edges that are defensible, count neither way.
"""

import argparse
from collections import defaultdict
from pathlib import Path

from atlas_assets.edges import calibration
from atlas_assets.edges.edge import Edge
from atlas_assets.edges.evaluate import CLOSED_WORLDS, Gold, read_gold
from atlas_assets.edges.infer import infer

LATER = (
    "linear monday mongodb ms365 n8n neon notion playwright postman proxmox pubmed slack stripe twilio "
    "xcodebuild"
)
PRIOR = 10
RAW = 20.0


def judged(gold: Gold, edges: list[Edge]) -> list[tuple[float, bool, str]]:
    """(confidence, right, type) of the edges that gold says something about."""
    found = []
    for edge in edges:
        key = (edge.producer, edge.consumer, edge.consumes)
        known = gold.name in CLOSED_WORLDS or (gold.slots is not None and key[1:] in gold.slots)
        if known and key not in gold.neutral:
            found.append((edge.confidence, key in gold.edges, edge.type))
    return found


def pool(points: list[tuple[float, bool]], width: float) -> list[tuple[float, float]]:
    """Shares of right by score, made monotone by pooling adjacent violators."""
    total = sum(right for _, right in points) / len(points)
    bins: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, right in points:
        cell = bins[round(score / width) * width]
        cell[0] += right
        cell[1] += 1
    blocks: list[list[float]] = []
    for score in sorted(bins):
        right, count = bins[score]
        blocks.append(
            [
                right + PRIOR * total * (count / (count + PRIOR)),
                count + PRIOR * (count / (count + PRIOR)),
                score,
            ]
        )
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            later = blocks.pop()
            blocks[-1][0] += later[0]
            blocks[-1][1] += later[1]
            blocks[-1][2] = (blocks[-1][2] + later[2]) / 2
    return [(round(score, 2), round(right / count, 2)) for right, count, score in blocks]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).parents[2] / "shared" / "gold")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    if options.fit:
        calibration.DIRECT = ((0.0, 0.0), (RAW, 1.0))
    later = {f"mcp_{name}" for name in LATER.split()}
    groups: dict[str, list[tuple[float, bool, str]]] = {"development": [], "met later": []}
    for folder in sorted(path for path in options.root.iterdir() if (path / "gold_edges.csv").exists()):
        gold = read_gold(folder)
        if gold.slots is None and gold.name not in CLOSED_WORLDS:
            continue
        group = "met later" if gold.name in later else "development"
        groups[group].extend(judged(gold, list(infer(gold.tools).edges)))
    if options.fit:
        points = [(value * RAW, right) for value, right, kind in groups["development"] if kind == "direct"]
        print(pool(points, 0.25))
        return
    for group, rows in groups.items():
        print(f"\n{group}: {len(rows)} edges")
        bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
        for value, right, _ in rows:
            bins[min(int(value * 20), 19)].append((value, right))
        print("says    is     edges")
        for cell in sorted(bins):
            values = bins[cell]
            says = sum(value for value, _ in values) / len(values)
            right = sum(right for _, right in values) / len(values)
            print(f"{says:.2f}    {right:.2f}   {len(values):>5}  {'#' * round(right * 40)}")


if __name__ == "__main__":
    main()
