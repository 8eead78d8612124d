"""The assets `heuristic_edges` and `semantic_edges`: what is inferred, by rule and by a model."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

import dagster as dg
import pyarrow as pa
from pydantic import Field

from atlas_assets.catalog.visible import visible
from atlas_assets.defs.automation import EAGER, WHERE_THE_QUESTION_CHANGED
from atlas_assets.defs.failures import one_line_failures
from atlas_assets.defs.metadata import OWNERS, TAGS, Metadata, definition_metadata, table, viewer_link
from atlas_assets.defs.partitions import PARTITIONS_NAME, consumer_partitions
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.infer import ALL_LAYERS, DEFAULT_LAYERS, infer_direct
from atlas_assets.edges.semantic.choose import chosen_providers
from atlas_assets.edges.semantic.consumer_inputs import changed_questions, inputs_of
from atlas_assets.edges.semantic.result import ConsumerResult
from atlas_assets.edges.semantic.semantic_pass import run_semantic_pass
from atlas_assets.storage.io_manager import TableIOManager, Tables
from atlas_assets.storage.layout import previous_inputs
from atlas_assets.storage.partition_keys import partition_key, slug_of
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    ANSWERS,
    EDGES,
    answers_table,
    edges_table,
    inputs_table,
    read_edges,
    read_slots,
    read_tools,
    slots_table,
)

# A closed set, for a free text of a run config may be `{env: NAME}`, and the error would show its value.
Layer = Enum("Layer", {name: name for name in ALL_LAYERS})  # type: ignore[misc]


class HeuristicRules(dg.Config):
    """Which deterministic layers look for edges."""

    layers: list[Layer] = Field(
        default=list(DEFAULT_LAYERS),  # type: ignore[arg-type]  # by name: Dagster turns them into members
        description=f"Layers that look for edges, among {', '.join(ALL_LAYERS)}.",
    )


consumer_inputs = dg.AssetSpec(
    "consumer_inputs",
    partitions_def=consumer_partitions,
    deps=["heuristic_edges"],
    group_name="edges",
    owners=OWNERS,
    tags=TAGS,
    description="""What each consumer's question rests on: the tool itself, the tools that may fill its
parameters, and the edges already found.

One partition is one consumer. `heuristic_edges` reports a partition whenever its question changed, or
was never answered; `semantic_edges` then asks anew, and asks nothing else.""",
)


@dg.asset(
    group_name="edges",
    kinds={"parquet"},
    owners=OWNERS,
    tags=TAGS,
    metadata=definition_metadata(EDGES),
    automation_condition=EAGER,
)
def heuristic_edges(
    context: dg.AssetExecutionContext, config: HeuristicRules, tool_catalog: Tables
) -> Tables:
    """Edges found by rule: names, output schemas, the authors' own words, annotations.

    One row of `edges` is one edge into one parameter of its consumer; one row of `slots` is one
    parameter (or place inside it) with who is expected to fill it. Source: `tool_catalog`. Cost:
    seconds, no money.
    """
    with one_line_failures():
        tools = read_tools(tool_catalog["tools"])
        found = infer_direct(tools, layers=tuple(Layer(layer).value for layer in config.layers))
        changed = changed_questions(tools, found.edges, previous_inputs(DataRoot.from_environment()))
    asked = _to_ask(context.instance, changed)
    for key in asked:
        context.log_event(dg.AssetMaterialization(consumer_inputs.key, partition=key))
    layers = Counter(edge.layer for edge in found.edges)
    classes = Counter(slot.slot_class for slot in found.slots)
    context.add_output_metadata(
        {
            "dagster/row_count": len(found.edges),
            "edges": len(found.edges),
            "hidden": sum(edge.hidden for edge in found.edges),
            "slots": len(found.slots),
            "consumers to ask": len(asked),
            **{f"layer {name}": layers[name] for name in sorted(layers)},
            **{f"slots {name}": classes[name] for name in sorted(classes)},
        }
    )
    return {
        "edges": edges_table(found.edges),
        "slots": slots_table(found.slots),
        "inputs": inputs_table(inputs_of(tools, found.edges).values()),
    }


def _to_ask(instance: dg.DagsterInstance, changed: Sequence[str]) -> list[str]:
    """The partitions whose question changed, and those that have no answer yet, in their order."""
    wanted = {partition_key(slug) for slug in changed}
    keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
    status = instance.get_status_by_partition(dg.AssetKey("semantic_edges"), keys, consumer_partitions) or {}
    answered = {key for key, state in status.items() if state and state.value == "MATERIALIZED"}
    return [key for key in keys if key in wanted or key not in answered]


@dg.asset(
    group_name="edges",
    kinds={"llm", "parquet"},
    owners=OWNERS,
    tags=TAGS,
    metadata=definition_metadata(ANSWERS),
    partitions_def=consumer_partitions,
    deps=[consumer_inputs],
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=dg.RetryPolicy(max_retries=1),
    automation_condition=WHERE_THE_QUESTION_CHANGED,
    # the body yields each answered partition itself, and no output
    output_required=False,
)
def semantic_edges(
    context: dg.AssetExecutionContext, tool_catalog: Tables, heuristic_edges: Tables
) -> Iterator[dg.AssetMaterialization]:
    """Edges that need a reader: a model's answers, or the built-in rules' where none is set.

    One partition is one consumer; one row is one answer for it, accepted or rejected with the
    reason. Source: the whole catalog and the edges found by rule. Cost: one model call a consumer
    whose question was not asked before; nothing with the built-in provider. `ATLAS_MAX_COST` binds.
    """
    done = _materialized_in_this_run(context)
    wanted = [key for key in context.partition_keys if key not in done]
    direct, slots = read_edges(heuristic_edges["edges"]), read_slots(heuristic_edges["slots"])
    with one_line_failures():
        for choice in chosen_providers(os.environ):
            context.log.info(choice.receiver)
        report = run_semantic_pass(
            [slug_of(key) for key in wanted],
            tools=read_tools(tool_catalog["tools"]),
            direct=direct,
            slots=slots,
            root=DataRoot.from_environment(),
            batch=_wants_batch(os.environ),
        )
        answered = {partition_key(r.consumer): r for r in report.results if r.error is None}
        TableIOManager().write_partitions(
            context.asset_key.path[-1], {key: _answers(result) for key, result in answered.items()}
        )
    yield from _materializations(context.asset_key, answered, direct, slots)
    failed = {partition_key(r.consumer): r.error for r in report.failed}
    failed |= {key: report.stopped or "it was not asked" for key in wanted if key not in answered | failed}
    if failed:
        for key, error in sorted(failed.items()):
            context.log.error(f"{key}: {error}")
        first, error = min(failed.items())
        raise dg.Failure(
            f"{len(failed)} of {len(context.partition_keys)} consumers got no answer, "
            f"{first!r} first: {error}",
            allow_retries=not report.stopped,
        )


def _materializations(
    asset: dg.AssetKey,
    answered: Mapping[str, ConsumerResult],
    direct: Sequence[Edge],
    slots: Sequence[Slot],
) -> Iterator[dg.AssetMaterialization]:
    """What Dagster is told: each answered partition, and no other.

    Its own way marks every key of a run's range as materialized, a failed consumer's too, and its
    metadata call for one key reads all keys anew: 3,500 of them took longer than ten minutes.
    """
    slots_of: defaultdict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        slots_of[slot.consumer].append(slot)
    direct_of: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in direct:
        direct_of[edge.consumer].append(edge)
    for key, result in answered.items():
        metadata = _answer_metadata(result, slots_of[result.consumer], direct_of[result.consumer])
        yield dg.AssetMaterialization(asset, partition=key, metadata=metadata)


def _materialized_in_this_run(context: dg.AssetExecutionContext) -> set[str]:
    """Partition keys that an earlier attempt of this run answered; none on the first."""
    if not context.retry_number:
        return set()
    records = context.instance.get_records_for_run(
        context.run.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION
    ).records
    done = (record.asset_materialization for record in records)
    return {m.partition for m in done if m and m.partition}


def _wants_batch(environ: Mapping[str, str]) -> bool:
    return environ.get("ATLAS_BATCH", "").strip().lower() in ("1", "true", "yes", "on")


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
        result.doubts,
    )


def _answer_metadata(result: ConsumerResult, slots: Sequence[Slot], direct: Sequence[Edge]) -> Metadata:
    """What the partition's page shows: its slots, edges, reasons, rejected edges, and who answered."""
    asked = not result.cached and result.provider != "local"
    return {
        "dagster/row_count": len(result.edges) + len(result.rejected),
        "edges": len(result.edges),
        "rejected": len(result.rejected),
        "doubted": len(result.doubts),
        "provider": result.provider,
        "model": visible(result.model, 120),
        "calls saved by the cache": int(result.cached),
        "calls": int(asked),
        "input tokens": result.input_tokens,
        "cached tokens": result.cached_tokens,
        "output tokens": result.output_tokens,
        "cost in USD": "unknown" if result.cost is None else float(result.cost),
        "slots": table(
            ("parameter", "filled by", "kind", "required", "why"),
            (
                {
                    "parameter": slot.param if slot.path is None else f"{slot.param} {slot.path}",
                    "filled by": {"produced": "another tool", "user": "a person"}.get(
                        slot.slot_class, "neither"
                    ),
                    "kind": slot.kind,
                    "required": slot.required,
                    "why": slot.reason,
                }
                for slot in slots
            ),
        ),
        "answers": table(
            ("parameter", "from", "confidence", "layer", "provider", "reason"),
            (_edge_row(edge) for edge in (*direct, *result.edges)),
        ),
        "rejected answers": table(
            ("parameter", "from", "rejected because"),
            (
                {"parameter": e.consumes, "from": e.producer, "rejected because": e.reason}
                for e in result.rejected
            ),
        ),
        "doubts": table(
            ("parameter", "from", "provider", "reason"),
            (
                {"parameter": d.consumes, "from": d.producer, "provider": d.provider, "reason": d.reason}
                for d in result.doubts
            ),
        ),
        "notes": table(("note",), ({"note": text} for text in (*result.warnings, *result.notes))),
        "viewer": viewer_link(result.consumer),
    }


def _edge_row(edge: Edge) -> dict[str, object]:
    return {
        "parameter": edge.consumes if edge.path is None else f"{edge.consumes} {edge.path}",
        "from": edge.producer,
        "confidence": round(edge.confidence, 3),
        "layer": edge.layer,
        "provider": edge.provider,
        "reason": edge.reason,
    }
