"""1,000 consumers against a server that takes 200 ms an answer, 50 requests in flight.

    python -m benchmarks.semantic_speed [--consumers 1000] [--no-dagster]

The peer is the bare SDK sending the same prompts in the same run, 50 at a time. Beside it stands what
Dagster adds: the same pass, answered from its records, inside a run of the `semantic_edges` asset.
The server is a process of its own. Figures are ratios: this machine's seconds mean little.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import openai

from atlas_assets.catalog.recorded import load_recorded_files
from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.infer import infer_direct
from atlas_assets.edges.semantic.client import CallLimits
from atlas_assets.edges.semantic.openai_client import JSON_SCHEMA, messages_of
from atlas_assets.edges.semantic.semantic_pass import PassInputs, consumers_of, run_pass
from atlas_assets.storage.root import DataRoot
from benchmarks.semantic_shortlist import SHARED

ROOT = Path(__file__).resolve().parents[1]
IN_FLIGHT = 50


async def bare(inputs: PassInputs, base_url: str) -> float:
    """Seconds that the SDK alone takes for the prompts of a pass from nothing."""
    from atlas_assets.edges.semantic.records import Record

    planner = inputs.planner("m")
    questions = [planner.plan(slug, Record(slug)).question for slug in inputs.present]
    client = openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0)
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def one(question) -> None:
        async with gate:
            answer = await client.chat.completions.create(
                model="m", messages=messages_of(question, ()), response_format=JSON_SCHEMA, max_tokens=8000
            )
            assert answer.choices[0].message.content

    began = time.perf_counter()
    await asyncio.gather(*(one(q) for q in questions))
    seconds = time.perf_counter() - began
    await client.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--consumers", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-dagster", action="store_true")
    chosen = parser.parse_args()
    world = load_recorded_files(sorted((SHARED / "catalogs").glob("*.json"))).tools
    tools: tuple[Tool, ...] = tuple(t for t in world if t.top_parameters)[: chosen.consumers]
    direct = infer_direct(tools)
    command = [sys.executable, "-m", "tests.semantic.model_server", "--latency", "0.2", "--forget"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = next(line for line in server.stdout if line.startswith("PORT=")).strip().removeprefix("PORT=")
        base_url = f"http://127.0.0.1:{port}/openai/v1"
        ratios = [
            one_round(tools, direct.edges, direct.slots, base_url, chosen.no_dagster)
            for _ in range(chosen.rounds)
        ]
        print(
            f"ours against the bare SDK, the median of {len(ratios)}: {sorted(ratios)[len(ratios) // 2]:.2f}"
        )
    finally:
        server.terminate()
        server.wait()


def in_dagster(inputs: PassInputs, folder: str, environ: dict[str, str]) -> float:
    """Seconds of a run of `semantic_edges` over all consumers, answered from the records in `folder`."""
    os.environ.update(environ | {"ATLAS_DATA": folder, "DAGSTER_HOME": f"{folder}/home"})
    import dagster as dg

    from atlas_assets.definitions import defs
    from atlas_assets.defs.build import project_instance
    from atlas_assets.defs.partitions import PARTITIONS_NAME, range_tags, sync_partitions
    from atlas_assets.edges.semantic.consumer_inputs import inputs_of
    from atlas_assets.storage.io_manager import TableIOManager
    from atlas_assets.storage.tables import (
        edges_table,
        inputs_table,
        problems_table,
        servers_table,
        slots_table,
        tools_table,
    )

    tables = TableIOManager(inputs.root)
    tables.write_asset(
        "tool_catalog",
        {"tools": tools_table(inputs.tools), "servers": servers_table(()), "problems": problems_table(())},
    )
    tables.write_asset(
        "heuristic_edges",
        {
            "edges": edges_table(inputs.direct),
            "slots": slots_table(inputs.slots),
            "inputs": inputs_table(inputs_of(inputs.tools, inputs.direct).values()),
        },
    )
    with project_instance() as instance:
        sync_partitions(instance, inputs.consumers)
        keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
        began = time.perf_counter()
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            instance=instance,
            asset_selection=[dg.AssetKey("semantic_edges")],
            tags=range_tags(keys),
        )
        assert result.success
        return time.perf_counter() - began


def one_round(
    tools: tuple[Tool, ...],
    direct: tuple[Edge, ...],
    slots: tuple[Slot, ...],
    base_url: str,
    no_dagster: bool,
) -> float:
    limits = CallLimits(in_flight=IN_FLIGHT, deadline=120.0, retries=0)
    environ = {"OPENAI_BASE_URL": base_url, "LLM_MODEL": "m", "ATLAS_PROMPT_TOKENS": "24000"}
    with tempfile.TemporaryDirectory() as folder:
        root = DataRoot(folder)
        inputs = PassInputs.of(consumers_of(tools), tools, direct, slots, root, None, environ, limits)
        sdk = asyncio.run(bare(inputs, base_url))
        began = time.perf_counter()
        report = run_pass(inputs, None)
        ours = time.perf_counter() - began
        assert not report.failed, report.failed[0]
        began = time.perf_counter()
        again = run_pass(inputs, None)
        repeat = time.perf_counter() - began
        assert again.requests == 0
        beside = ""
        if not no_dagster:
            inside = in_dagster(inputs, folder, environ)
            beside = f", the same as a run of Dagster's {inside:.1f} s: Dagster costs {inside - repeat:.1f} s"
    print(
        f"{len(report.results)} consumers, {report.requests} requests, {report.input_tokens:,} tokens: "
        f"bare SDK {sdk:.1f} s, the pass {ours:.1f} s ({ours / sdk:.2f} times), "
        f"again from its records {repeat:.1f} s{beside}",
        flush=True,
    )
    return ours / sdk


if __name__ == "__main__":
    main()
