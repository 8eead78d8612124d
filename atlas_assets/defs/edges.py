"""The assets `heuristic_edges` and `semantic_edges`: what is inferred, by rule and by a model."""

import os
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow as pa
from pydantic import Field

from atlas_assets.defs.failures import one_line_failures
from atlas_assets.defs.partitions import consumer_partitions
from atlas_assets.edges.infer import ALL_LAYERS, DEFAULT_LAYERS, infer_direct
from atlas_assets.edges.semantic.choose import choose_provider
from atlas_assets.edges.semantic.result import ConsumerResult
from atlas_assets.edges.semantic.semantic_pass import run_semantic_pass
from atlas_assets.errors import ConfigError
from atlas_assets.storage.io_manager import TableIOManager, Tables
from atlas_assets.storage.partition_keys import partition_key, slug_of
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    answers_table,
    edges_table,
    read_edges,
    read_slots,
    read_tools,
    slots_table,
)


class HeuristicRules(dg.Config):
    """Which deterministic layers look for edges."""

    layers: list[str] = Field(
        default=list(DEFAULT_LAYERS),
        description=f"Layers that look for edges, among {', '.join(ALL_LAYERS)}.",
    )


@dg.asset(group_name="edges", kinds={"parquet"})
def heuristic_edges(config: HeuristicRules, tool_catalog: Tables) -> Tables:
    """Edges found by rule: names, output schemas, the authors' own words, annotations.

    One row of `edges` is one edge into one parameter of its consumer; one row of `slots` is one
    parameter (or place inside it) with who is expected to fill it. Source: `tool_catalog`. Cost:
    seconds, no money.
    """
    unknown = sorted(set(config.layers) - set(ALL_LAYERS))
    with one_line_failures():
        if unknown:
            raise ConfigError(f"{unknown[0]!r} is no layer; choose among {', '.join(ALL_LAYERS)}")
        found = infer_direct(read_tools(tool_catalog["tools"]), layers=tuple(config.layers))
    return {"edges": edges_table(found.edges), "slots": slots_table(found.slots)}


@dg.asset(
    group_name="edges",
    kinds={"parquet"},
    partitions_def=consumer_partitions,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=dg.RetryPolicy(max_retries=1),
)
def semantic_edges(
    context: dg.AssetExecutionContext, tool_catalog: Tables, heuristic_edges: Tables
) -> Tables:
    """Edges that need a reader: a model's answers, or the built-in rules' where none is set.

    One partition is one consumer; one row is one answer for it, accepted or rejected with the
    reason. Source: the whole catalog and the edges found by rule. Cost: one model call a consumer
    whose question was not asked before; nothing with the built-in provider.
    """
    tools = read_tools(tool_catalog["tools"])
    known = {tool.slug for tool in tools}
    earlier = _materialized_in_this_run(context)
    wanted = [slug_of(key) for key in context.partition_keys if key not in earlier]
    with one_line_failures():
        choice = choose_provider(os.environ)
        context.log.info(choice.receiver)
        report = run_semantic_pass(
            [slug for slug in wanted if slug in known],
            tools=tools,
            direct=read_edges(heuristic_edges["edges"]),
            slots=read_slots(heuristic_edges["slots"]),
            root=DataRoot.from_environment(),
            choice=choice,
        )
    answered = {partition_key(r.consumer): r for r in report.results if r.error is None}
    failed = {r.consumer: r.error for r in report.results if r.error is not None}
    for slug in wanted:
        if slug not in known:
            failed[slug] = "it is in no server's list any more; scan again"
        elif partition_key(slug) not in answered and slug not in failed:
            failed[slug] = report.stopped or "it was not asked"
    tables = {key: _answers(result) for key, result in answered.items()}
    described = {key: _answer_metadata(result) for key, result in answered.items()}
    if not failed:
        for key, metadata in {**earlier, **described}.items():
            context.add_asset_metadata(metadata, partition_key=key)
        return tables
    # A run marks every key of its range as materialized unless it fails: so the good ones are written
    # and reported one by one, and the failed ones keep the edges of their last good answer.
    with one_line_failures():
        TableIOManager().write_partitions(context.asset_key.path[-1], tables)
    for key, metadata in described.items():
        context.log_event(dg.AssetMaterialization(context.asset_key, partition=key, metadata=metadata))
    for slug, error in sorted(failed.items()):
        context.log.error(f"{partition_key(slug)}: {error}")
    first, error = min(failed.items())
    raise dg.Failure(
        f"{len(failed)} of {len(context.partition_keys)} consumers got no answer, "
        f"{partition_key(first)!r} first: {error}",
        allow_retries=not report.stopped,
    )


def _materialized_in_this_run(context: dg.AssetExecutionContext) -> dict[str, Mapping[str, Any]]:
    """Partition key to metadata of what an earlier attempt of this run got; empty on the first."""
    if not context.retry_number:
        return {}
    records = context.instance.get_records_for_run(
        context.run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
    ).records
    done = (record.asset_materialization for record in records)
    return {m.partition: m.metadata for m in done if m and m.partition}


def _answers(result: ConsumerResult) -> pa.Table:
    return answers_table(
        result.edges,
        (
            {
                "from": edge.producer,
                "to": edge.consumer,
                "consumes": edge.consumes,
                "provider": result.provider,
                "rejected_because": edge.reason,
            }
            for edge in result.rejected
        ),
    )


def _answer_metadata(result: ConsumerResult) -> Mapping[str, int | str | bool]:
    return {
        "edges": len(result.edges),
        "rejected": len(result.rejected),
        "provider": result.provider,
        "model": result.model,
        "from cache": result.cached,
        "input tokens": result.input_tokens,
        "output tokens": result.output_tokens,
    }
