"""The history of runs is pruned, and nothing that is materialized is forgotten."""

import time

import dagster as dg
import pytest

from atlas_assets.defs.partitions import consumer_partitions
from atlas_assets.defs.retention import keep_days, prune_history, prune_runs, runs_that_hold_state
from atlas_assets.errors import ConfigError
from tests.defs.project import Project

SEMANTIC = dg.AssetKey("semantic_edges")


def test_old_runs_go_and_every_asset_and_partition_stays_materialized(
    project: Project, stored_instance: dg.DagsterInstance
) -> None:
    instance = stored_instance
    first, _ = project.build(instance)
    second, _ = project.build(instance)
    keys = instance.get_dynamic_partitions("consumer")
    before = instance.get_status_by_partition(SEMANTIC, keys, consumer_partitions)
    count = prune_runs(instance, time.time() + 60)
    # the first inference holds what each question rests on: nothing changed since
    assert count == len(first.run_ids) - 1
    assert {run.run_id for run in instance.get_runs()} == {first.run_ids[1], *second.run_ids}
    assert instance.get_status_by_partition(SEMANTIC, keys, consumer_partitions) == before
    for name in ("tool_catalog", "tool_changes", "heuristic_edges", "merged_graph"):
        event = instance.get_latest_materialization_event(dg.AssetKey(name))
        assert event is not None
        assert event.run_id in second.run_ids
    project.build(instance)
    assert project.graph()["stats"]["tools"] == 6


def test_a_run_that_holds_one_partition_s_latest_state_stays(
    project: Project, instance: dg.DagsterInstance
) -> None:
    from atlas_assets.definitions import defs

    first, _ = project.build(instance)
    key = "tracker::get_issue"
    again = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=instance,
        asset_selection=[SEMANTIC],
        tags={"dagster/asset_partition_range_start": key, "dagster/asset_partition_range_end": key},
    )
    semantic_run = first.run_ids[2]
    assert {semantic_run, again.run_id} <= runs_that_hold_state(instance)


def test_young_runs_stay(project: Project, instance: dg.DagsterInstance) -> None:
    project.build(instance)
    project.build(instance)
    runs = len(instance.get_runs())
    assert prune_runs(instance, time.time() - 3600) == 0
    assert len(instance.get_runs()) == runs


def test_the_job_obeys_the_variable_and_refuses_nonsense_in_one_line(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build(instance)
    project.build(instance)
    monkeypatch.setenv("ATLAS_KEEP_RUNS_DAYS", "0")
    assert prune_history.execute_in_process(instance=instance).success
    # the second build's four, the first's inference, and the job's own
    assert len(instance.get_runs()) == 6
    with pytest.raises(ConfigError, match="ATLAS_KEEP_RUNS_DAYS='many'"):
        keep_days({"ATLAS_KEEP_RUNS_DAYS": "many"})
