"""Speed, growth and memory of the deterministic inference, as ratios within one run.

    python benchmarks/infer_speed.py [CATALOGS] [--clones 10] [--tools 100000]

Base: parsing the same files and walking every place of their schemas, references included.
Reading and inferring them is
compared with it (at most 15 times); then with the same catalogs cloned under new server names (10
times the tools at most 12 times the time); then a catalog of 100,000 tools is inferred in a process
of its own, whose peak memory is told (at most 3 GiB).
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from atlas_assets.catalog.recorded import load_recorded_files
from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.infer import infer


def best(action: Callable[[], object], times: int = 3) -> float:
    """The shortest of several runs in seconds of processor time: others may be using the machine."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        action()
        spent.append(time.process_time() - start)
    return min(spent)


def walk(
    schema: object, root: object, path: str, seen: tuple[str, ...], places: list[tuple[str, str]]
) -> None:
    """Every place of a schema with its type: properties, items, alternatives and local references."""
    if not isinstance(schema, dict):
        return
    places.append((path, str(schema.get("type", "any"))))
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/") and reference not in seen:
        target = root
        for step in reference[2:].split("/"):
            target = target.get(step) if isinstance(target, dict) else None
        walk(target, root, path, (*seen, reference), places)
    for name, inner in (schema.get("properties") or {}).items():
        walk(inner, root, f"{path}.{name}", seen, places)
    walk(schema.get("items"), root, f"{path}[]", seen, places)
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(key) or ():
            walk(inner, root, path, seen, places)


def parse_and_walk(files: list[Path]) -> int:
    places: list[tuple[str, str]] = []
    for file in files:
        for tool in json.loads(file.read_text(encoding="utf-8"))["tools"]:
            for schema in (tool.get("inputSchema"), tool.get("outputSchema")):
                walk(schema, schema, "", (), places)
    return len(places)


def cloned(tools: tuple[Tool, ...], times: int) -> list[Tool]:
    return [replace(tool, server=f"{tool.server}-{copy}") for copy in range(times) for tool in tools]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "catalogs", type=Path, nargs="?", default=Path(__file__).parents[2] / "shared" / "catalogs"
    )
    parser.add_argument("--clones", type=int, default=10)
    parser.add_argument("--tools", type=int, default=100_000)
    parser.add_argument("--memory", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    files = sorted(options.catalogs.glob("*.json"))
    tools = load_recorded_files(files).tools
    if options.memory:
        many = cloned(tools, options.memory // len(tools) + 1)[: options.memory]
        found = infer(many)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
        print(f"{len(many)} tools: {len(found.edges)} edges, peak {peak:.2f} GiB (at most 3)")
        return
    base = best(lambda: parse_and_walk(files))
    whole = best(lambda: infer(load_recorded_files(files).tools))
    alone = best(lambda: infer(tools))
    print(f"{len(tools)} tools; parsing and walking {base:.2f} s (the base)")
    print(f"reading and inferring {whole:.2f} s: {whole / base:.1f} times the base (at most 15)")
    print(f"inferring alone {alone:.2f} s: {alone / base:.1f} times the base")
    many = cloned(tools, options.clones)
    longer = best(lambda: infer(many), 1)
    print(f"{options.clones} times the tools: {longer / alone:.1f} times the time (at most 12 for 10)")
    subprocess.run(
        [sys.executable, __file__, str(options.catalogs), "--memory", str(options.tools)], check=True
    )


if __name__ == "__main__":
    main()
