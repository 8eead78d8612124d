"""The IO manager under Dagster: any number of partitions, deleted and missing ones."""

from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa
import pytest

from atlas_assets.edges.edge import Edge
from atlas_assets.storage.io_manager import TableIOManager, Tables
from atlas_assets.storage.parquet_json import ManyTables
from atlas_assets.storage.partition_keys import encode_key
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import answers_table, edges_table, inputs_table, slots_table

pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning")

CONSUMERS = dg.DynamicPartitionsDefinition(name="c")
HOSTILE = ["filesystem::read_file", "x::a/b", "x::../up", "x::", "y::" + "long" * 100, "Y::A", "y::a"]


def answers(key: str) -> pa.Table:
    edge = Edge(
        producer="s::list",
        consumer=key,
        consumes="id",
        type="semantic",
        layer="model",
        provider="local",
        confidence=0.9,
    )
    return answers_table([edge], [])


class Pipeline:
    """A partitioned asset that gives `{key: table}`, and an asset that takes it."""

    def __init__(self, root: DataRoot) -> None:
        self.instance = dg.DagsterInstance.ephemeral()
        self.seen: list[ManyTables] = []
        self.extra: dict[str, pa.Table] = {}

        @dg.asset(
            name="semantic_edges", partitions_def=CONSUMERS, backfill_policy=dg.BackfillPolicy.single_run()
        )
        def semantic_edges(context: dg.AssetExecutionContext) -> Tables:
            return {key: answers(key) for key in context.partition_keys} | self.extra

        @dg.asset(name="heuristic_edges")
        def heuristic_edges(semantic_edges: ManyTables) -> Tables:
            self.seen.append(semantic_edges)
            return {"edges": edges_table([]), "slots": slots_table([]), "inputs": inputs_table([])}

        @dg.asset(name="merged_graph")
        def merged_graph(heuristic_edges: Tables) -> None:
            self.taken = heuristic_edges

        self.partitioned, self.taker, self.last = semantic_edges, heuristic_edges, merged_graph
        self.resources: dict[str, Any] = {"io_manager": TableIOManager(root)}

    def add(self, keys: list[str]) -> None:
        self.instance.add_dynamic_partitions("c", keys)

    def materialize(self, first: str, last: str, **options: Any) -> dg.ExecuteInProcessResult:
        return dg.materialize(
            [self.partitioned],
            instance=self.instance,
            resources=self.resources,
            tags={"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last},
            **options,
        )

    def take(self) -> ManyTables:
        dg.materialize(
            [self.partitioned, self.taker],
            selection=[self.taker],
            instance=self.instance,
            resources=self.resources,
        )
        return self.seen[-1]


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    return DataRoot(str(tmp_path))


@pytest.fixture
def pipeline(root: DataRoot) -> Pipeline:
    return Pipeline(root)


@pytest.mark.parametrize("count", [1, 2, len(HOSTILE)])
def test_a_range_run_writes_one_parquet_and_one_json_a_key(
    pipeline: Pipeline, root: DataRoot, count: int
) -> None:
    keys = HOSTILE[:count]
    pipeline.add(keys)
    assert pipeline.materialize(keys[0], keys[-1]).success
    assert root.names("semantic_edges", ".parquet") == sorted(f"{encode_key(k)}.parquet" for k in keys)
    assert root.names("semantic_edges", ".json") == sorted(f"{encode_key(k)}.json" for k in keys)
    taken = pipeline.take()
    assert sorted(taken.table["to"].to_pylist()) == sorted(keys)
    assert set(taken.present) == set(keys)


def test_no_partition_at_all_is_an_empty_table(pipeline: Pipeline) -> None:
    taken = pipeline.take()
    assert (taken.table.num_rows, taken.present, taken.missing) == (0, (), ())
    assert "accepted" in taken.table.column_names


def test_a_key_that_was_never_materialized_is_reported_and_no_error(pipeline: Pipeline) -> None:
    pipeline.add(["a::x", "a::y", "a::z"])
    pipeline.materialize("a::x", "a::y")
    taken = pipeline.take()
    assert taken.missing == ("a::z",)
    assert taken.table["to"].to_pylist() == ["a::x", "a::y"]


def test_a_deleted_key_stops_feeding_at_once_and_its_files_stay(pipeline: Pipeline, root: DataRoot) -> None:
    pipeline.add(["a::x", "a::y"])
    pipeline.materialize("a::x", "a::y")
    pipeline.instance.delete_dynamic_partition("c", "a::x")
    assert pipeline.take().table["to"].to_pylist() == ["a::y"]
    assert root.exists("semantic_edges/a.x.parquet")


def test_a_body_that_gives_a_partition_its_run_is_not_for_fails_in_one_line(
    pipeline: Pipeline, root: DataRoot
) -> None:
    pipeline.add(["a::x", "a::y"])
    pipeline.extra = {"a::y": answers("a::y")}
    result = pipeline.materialize("a::x", "a::x", raise_on_error=False)
    assert not result.success
    assert "a::y" in _failure(result)
    assert root.names("semantic_edges") == []


def test_the_tables_of_an_unpartitioned_asset_are_taken_by_name(pipeline: Pipeline) -> None:
    pipeline.take()
    dg.materialize(
        [pipeline.partitioned, pipeline.taker, pipeline.last],
        selection=[pipeline.last],
        instance=pipeline.instance,
        resources=pipeline.resources,
    )
    assert sorted(pipeline.taken) == ["edges", "inputs", "slots"]


def test_an_input_that_was_never_materialized_fails_with_what_to_do(pipeline: Pipeline) -> None:
    result = dg.materialize(
        [pipeline.partitioned, pipeline.taker, pipeline.last],
        selection=[pipeline.last],
        instance=pipeline.instance,
        resources=pipeline.resources,
        raise_on_error=False,
    )
    assert _failure(result) == "'heuristic_edges' has no data yet; materialize it first"


def _failure(result: dg.ExecuteInProcessResult) -> str:
    data = next(e for e in result.all_events if e.is_step_failure).step_failure_data
    causes = [data.error]
    while causes[-1] and causes[-1].cause:
        causes.append(causes[-1].cause)
    if data.user_failure_data and data.user_failure_data.description:
        return data.user_failure_data.description
    return " ".join(cause.message for cause in causes if cause)
