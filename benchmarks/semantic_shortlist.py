"""Share of gold producers inside the shortlist, a gold set at a time, among all recorded catalogs.

    python -m benchmarks.semantic_shortlist [SET…] [--candidates 120] [--misses]

Each set's own tools stand among every tool of `../shared/catalogs` but those of its own servers. A gold
edge counts once: is its producer on the shortlist that its consumer is asked about? The token budget is
set so high that the number of candidates alone decides.
"""

import argparse
import csv
import time
from pathlib import Path

from atlas_assets.catalog.recorded import load_recorded, load_recorded_files
from atlas_assets.edges.infer import infer_direct
from atlas_assets.edges.semantic.shortlist import Shortlists

SHARED = Path(__file__).resolve().parents[2] / "shared"


def gold_edges(folder: Path) -> set[tuple[str, str, str]]:
    with (folder / "gold_edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        (r["producer"], r["consumer"], r["param"])
        for r in rows
        if r["param"]
        and r["kind"] not in ("propagated", "ok")
        and r.get("core", "yes") == "yes"
        and r.get("accepted", "yes") == "yes"
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--candidates", type=int, default=120)
    parser.add_argument("--misses", action="store_true")
    chosen = parser.parse_args()
    world = load_recorded_files(sorted((SHARED / "catalogs").glob("*.json"))).tools
    folders = sorted(p for p in (SHARED / "gold").iterdir() if (p / "tools.json").exists())
    total = inside_total = 0
    print("| set | tools | edges | inside | share | seconds |")
    print("|---|---|---|---|---|---|")
    for folder in folders:
        if chosen.sets and folder.name not in chosen.sets:
            continue
        own = load_recorded(folder / "tools.json").tools
        servers = {t.server for t in own}
        tools = [*own, *(t for t in world if t.server not in servers)]
        by_slug = {t.slug: t for t in own}
        began = time.perf_counter()
        direct = infer_direct(tools).edges
        # more than any shortlist needs, and less than all these catalogs
        shortlists = Shortlists(tools, 100_000, direct, chosen.candidates)
        edges = sorted(gold_edges(folder))
        inside = 0
        for producer, consumer, param in edges:
            tool = by_slug.get(consumer)
            if tool is None:
                continue
            hit = any(p.slug == producer for p in shortlists.shown(tool))
            inside += hit
            if not hit and chosen.misses:
                print(f"  miss {producer} -> {consumer} [{param}]")
        seconds = time.perf_counter() - began
        total += len(edges)
        inside_total += inside
        share = inside / len(edges)
        print(f"| {folder.name} | {len(own)} | {len(edges)} | {inside} | {share:.3f} | {seconds:.1f} |")
    print(f"| all | | {total} | {inside_total} | {inside_total / max(total, 1):.3f} | |")


if __name__ == "__main__":
    main()
