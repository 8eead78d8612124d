"""Scores on every labelled set, with the first MCP Atlas's rule as the peer of the same run.

    python benchmarks/eval_sets.py [GOLD_ROOT]

The first table is the default layers, the second the slug rule alone. The third tells what each
layer adds: all sets pooled with it left out.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from atlas_assets.edges.evaluate import Gold, Score, pool, read_gold, score
from atlas_assets.edges.infer import DEFAULT_LAYERS, infer


def shares(one: Score) -> str:
    values = (one.recall, one.precision, one.f1, one.slot_hit, one.intrusion)
    return "  ".join("   –" if value is None else f"{value:4.2f}" for value in values)


def table(title: str, golds: Sequence[Gold], layers: Sequence[str]) -> None:
    print(f"\n{title:26} edges  rec.  prec.   F1   hit  intruded")
    scores = [score(gold, infer(gold.tools, layers).edges) for gold in golds]
    for one in scores:
        print(f"{one.name:26} {one.gold:>5}  {shares(one)}")
    judged = pool("mcp_* pooled", [one for one in scores if one.name.startswith("mcp_")])
    print(f"{judged.name:26} {judged.gold:>5}  {shares(judged)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).parents[2] / "shared" / "gold")
    options = parser.parse_args()
    folders = sorted(path for path in options.root.iterdir() if (path / "gold_edges.csv").exists())
    golds = [read_gold(folder) for folder in folders]
    table("default layers", golds, DEFAULT_LAYERS)
    table("first Atlas (slug rule)", golds, ("slug",))
    judged = [gold for gold in golds if gold.name.startswith("mcp_")]
    print("\nmcp_* pooled without          rec.  prec.   F1   hit  intruded")
    for layer in DEFAULT_LAYERS:
        rest = tuple(other for other in DEFAULT_LAYERS if other != layer)
        left = pool(layer, [score(gold, infer(gold.tools, rest).edges) for gold in judged])
        print(f"{layer:26}    {shares(left)}")


if __name__ == "__main__":
    main()
