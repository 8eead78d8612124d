"""What a server of 10 tools costs when it joins a catalog of 1,000, and whether an edge is lost by it.

    python -m benchmarks.semantic_growth

A test server answers as a judge would who sees only the producers that the prompt shows: the gold edges
among them. A pass from nothing pays for the catalog; then one server of about ten tools of a gold set
joins, and a second pass asks. Stated are its calls and tokens against a pass from nothing over the same
catalog, and the gold edges that a pass from nothing finds and the growing one does not.
"""

import argparse
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from atlas_assets.catalog.recorded import load_recorded, load_recorded_files
from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.infer import infer_direct
from atlas_assets.edges.semantic.client import CallLimits
from atlas_assets.edges.semantic.semantic_pass import consumers_of, estimate_pass, run_semantic_pass
from atlas_assets.storage.root import DataRoot
from benchmarks.semantic_shortlist import SHARED, gold_edges
from tests.semantic.model_server import ModelServer, Seen, model_server

CASES = {
    "mcp_pubmed": "pubmed",
    "mcp_currents": "currents",
    "mcp_git": "git",
    "mcp_aws_location": "aws-location",
    "cross_dev slack": "slack-zencoder",
    "cross_dev files": "desktop-commander",
    "cross_dev web": "firecrawl",
    "cross_dev tables": "airtable",
}
"""Each case adds the named server's ten tools with the most gold edges; the set's others are there."""

Gold = set[tuple[str, str, str]]


def ten_tools(tools: list[Tool], server: str, gold: Gold) -> list[Tool]:
    used = Counter(slug for producer, consumer, _ in gold for slug in (producer, consumer))
    own = [t for t in tools if t.server == server]
    return sorted(own, key=lambda t: (-used[t.slug], t.slug))[:10]


def base_catalog(size: int, without: set[str]) -> list[Tool]:
    """The recorded catalogs of servers that no gold set has, until there are `size` tools."""
    tools: list[Tool] = []
    for path in sorted((SHARED / "catalogs").glob("*.json")):
        own = load_recorded(path).tools
        if own and own[0].server not in without and len(tools) + len(own) <= size:
            tools += own
    return tools


def judge(gold: Gold):
    by_consumer: dict[str, list[tuple[str, str]]] = {}
    for producer, consumer, param in sorted(gold):
        by_consumer.setdefault(consumer, []).append((producer, param))

    def answer(seen: Seen) -> list[dict[str, str]]:
        shown = set(seen.producers)
        return [{"from": p, "consumes": q} for p, q in by_consumer.get(seen.consumer, ()) if p in shown]

    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000)
    size = parser.parse_args().size
    sets = {name.split()[0] for name in CASES}
    gold: Gold = set().union(*(gold_edges(SHARED / "gold" / name) for name in sets))
    labelled = load_recorded_files([SHARED / "gold" / name / "tools.json" for name in sorted(sets)]).tools
    judged = list(labelled)
    world = base_catalog(size - 1, {t.server for t in judged})
    cross = [
        t
        for t in judged
        if t.server in {"airtable", "firecrawl", "desktop-commander", "word", "slack-zencoder"}
    ]
    base = [*world[: size - len(cross)], *cross]
    with model_server(judge(gold), keep=False) as server, tempfile.TemporaryDirectory() as folder:
        environ = {**server.environ("anthropic"), "LLM_MODEL": "claude-haiku-4-5"}
        print(f"{len(base)} tools, {len(consumers_of(base))} consumers, gold edges {len(gold)}")
        print("| joins | tools | full | short | tokens from nothing | of this pass | share | gold lost |")
        print("|---|---|---|---|---|---|---|---|")
        for name, joining in CASES.items():
            added = ten_tools(judged, joining, gold)
            before = [t for t in base if t.server != joining]
            case(name, before, added, gold, server, environ, Path(folder))


def case(
    name: str,
    before: list[Tool],
    added: list[Tool],
    gold: Gold,
    server: ModelServer,
    environ: dict[str, str],
    folder: Path,
) -> None:
    limits = CallLimits(in_flight=50, deadline=600.0, retries=1)

    def options(tools: list[Tool], root: Path) -> dict[str, object]:
        direct = infer_direct(tools)
        return {"tools": tools, "direct": direct.edges, "slots": direct.slots, "root": DataRoot(str(root)),
                "environ": environ}  # fmt: skip

    grown, fresh = folder / "grown", folder / "fresh"
    after = [*before, *added]
    run_semantic_pass(consumers_of(before), limits=limits, **options(before, grown))
    now = options(after, grown)
    plan = estimate_pass(consumers_of(after), **now)
    growing = run_semantic_pass(consumers_of(after), limits=limits, **now)
    repeat = run_semantic_pass(consumers_of(after), limits=limits, **now)
    whole = run_semantic_pass(consumers_of(after), limits=limits, **options(after, fresh))
    assert not growing.failed
    assert not whole.failed
    assert repeat.requests == 0, repeat.requests

    def found(report) -> Gold:
        rule = {(e.producer, e.consumer, e.consumes) for e in now["direct"]}
        return ({(e.producer, e.consumer, e.consumes) for e in report.edges} | rule) & gold

    lost = found(whole) - found(growing)
    share = growing.input_tokens / whole.input_tokens
    print(
        f"| {name} | {len(added)} | {plan.full} | {plan.more} | {whole.input_tokens:,} | "
        f"{growing.input_tokens:,} | {share:.1%} | {len(lost)} of {len(found(whole))} |",
        flush=True,
    )
    for edge in sorted(lost):
        print("  lost", edge)
    shutil.rmtree(grown)
    shutil.rmtree(fresh)


if __name__ == "__main__":
    main()
