"""What runs by itself: who is asked after a scan, and who is not."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import pytest

from atlas_assets.definitions import defs
from atlas_assets.defs.automation import automation, servers_digest
from atlas_assets.defs.retention import retention
from atlas_assets.errors import ConfigError
from tests.defs.project import FILES, TRACKER, Project, tool

# the test harness of Dagster itself uses a beta parameter
pytestmark = pytest.mark.filterwarnings("ignore::dagster.BetaWarning")

KEY = dg.AssetKey
CONSUMERS = {
    "files::list_directory",
    "files::read_file",
    "files::write_file",
    "tracker::close_issue",
    "tracker::get_issue",
}


class Follower:
    """Evaluates the conditions as the automation sensor does, and runs what they ask for."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.instance = instance
        self.cursor: Any = None
        self.job = defs.resolve_implicit_global_asset_job_def()

    def scan(self) -> None:
        assert self.run(["tool_catalog", "tool_changes"]).success

    def run(self, assets: list[str], tags: Mapping[str, str] | None = None) -> dg.ExecuteInProcessResult:
        return self.job.execute_in_process(
            instance=self.instance,
            asset_selection=[KEY(name) for name in assets],
            tags=dict(tags or {}),
            raise_on_error=False,
        )

    def settle(self) -> list[tuple[str, frozenset[str]]]:
        """What was asked for, tick by tick, until nothing is: (asset, partitions)."""
        asked: list[tuple[str, frozenset[str]]] = []
        for _ in range(12):
            result = dg.evaluate_automation_conditions(defs=defs, instance=self.instance, cursor=self.cursor)
            self.cursor = result.cursor
            if not result.total_requested:
                return asked
            for name in ("heuristic_edges", "semantic_edges", "merged_graph", "viewer_site"):
                if not result.get_num_requested(KEY(name)):
                    continue
                keys = frozenset(result.get_requested_partitions(KEY(name)) - {None})
                asked.append((name, keys))
                if name == "viewer_site":
                    continue
                for tags in [_one(key) for key in sorted(keys)] if keys else [{}]:
                    self.run([name], tags)
        raise AssertionError(f"never settled: {asked}")


def _one(key: str) -> dict[str, str]:
    return {"dagster/asset_partition_range_start": key, "dagster/asset_partition_range_end": key}


def partitions_asked(asked: list[tuple[str, frozenset[str]]]) -> set[str]:
    return {key for name, keys in asked if name == "semantic_edges" for key in keys}


@pytest.fixture
def follower(instance: dg.DagsterInstance) -> Follower:
    return Follower(instance)


def test_after_the_first_scan_everything_follows_without_a_click(
    project: Project, follower: Follower
) -> None:
    follower.settle()
    follower.scan()
    asked = follower.settle()
    assert partitions_asked(asked) == CONSUMERS
    assert {name for name, _ in asked} == {"heuristic_edges", "semantic_edges", "merged_graph", "viewer_site"}
    assert project.graph()["stats"]["tools"] == 6


def test_a_scan_that_found_nothing_new_asks_no_consumer(project: Project, follower: Follower) -> None:
    follower.settle()
    follower.scan()
    follower.settle()
    follower.scan()
    asked = follower.settle()
    assert partitions_asked(asked) == set()
    assert "heuristic_edges" in {name for name, _ in asked}


def test_only_the_changed_consumer_and_those_it_may_produce_for_are_asked_again(
    project: Project, follower: Follower
) -> None:
    follower.settle()
    follower.scan()
    follower.settle()
    changed = dict(TRACKER[1], description="Get one issue by its id, quickly")
    project.servers["tracker"] = [TRACKER[0], changed, TRACKER[2]]
    project.save()
    follower.scan()
    asked = partitions_asked(follower.settle())
    assert "tracker::get_issue" in asked
    assert not any(key.startswith("files::") for key in asked)


def test_a_new_tool_asks_itself_and_the_consumers_it_is_a_candidate_for(
    project: Project, follower: Follower
) -> None:
    follower.settle()
    follower.scan()
    follower.settle()
    project.servers["files"] = [*FILES, tool("search_files", "Find files by name", {"pattern": "A glob"})]
    project.save()
    follower.scan()
    asked = partitions_asked(follower.settle())
    assert {"files::search_files", "files::read_file"} <= asked
    assert "tracker::close_issue" not in asked


def test_one_partition_that_was_never_materialized_does_not_hold_up_the_merge(
    project: Project, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    from atlas_assets.defs import edges as edges_module
    from atlas_assets.edges.semantic.result import PassReport

    monkeypatch.setattr(
        edges_module,
        "run_semantic_pass",
        lambda consumers, **options: PassReport(
            results=(), provider="x", model="", receiver="", stopped="the key was refused"
        ),
    )
    follower.settle()
    follower.scan()
    asked = follower.settle()
    assert "merged_graph" in {name for name, _ in asked}
    assert project.graph()["stats"]["tools"] == 6


def test_a_consumer_that_failed_is_asked_again_after_the_next_scan(
    project: Project, follower: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    from atlas_assets.defs import edges as edges_module
    from atlas_assets.edges.semantic.result import PassReport

    real = edges_module.run_semantic_pass
    follower.settle()
    follower.scan()
    monkeypatch.setattr(
        edges_module,
        "run_semantic_pass",
        lambda consumers, **options: PassReport(
            results=(), provider="x", model="", receiver="", stopped="the key was refused"
        ),
    )
    follower.settle()
    monkeypatch.setattr(edges_module, "run_semantic_pass", real)
    follower.scan()
    assert partitions_asked(follower.settle()) == CONSUMERS


def test_one_variable_turns_everything_on_and_without_it_all_is_off() -> None:
    for environ, wanted in (({}, "STOPPED"), ({"ATLAS_AUTOMATION": "1"}, "RUNNING")):
        merged = dg.Definitions.merge(automation(environ), retention(environ))
        schedules = list(merged.schedules or [])
        sensors = list(merged.sensors or [])
        assert {s.name for s in schedules} == {"rescan", "prune_weekly"}
        assert {s.name for s in sensors} == {"servers_file_edited", "follow_changes"}
        assert {s.default_status.value for s in [*schedules, *sensors]} == {wanted}


def test_the_cron_comes_from_the_environment_and_a_bad_one_is_one_line() -> None:
    (schedule,) = automation({"ATLAS_SCAN_CRON": "15 */6 * * *"}).schedules or []
    assert schedule.cron_schedule == "15 */6 * * *"
    with pytest.raises(ConfigError, match="ATLAS_SCAN_CRON='often'"):
        automation({"ATLAS_SCAN_CRON": "often"})


def test_an_edited_servers_file_starts_one_scan(project: Project, instance: dg.DagsterInstance) -> None:
    sensor = next(s for s in automation({}).sensors or [] if s.name == "servers_file_edited")

    def tick(cursor: str | None) -> tuple[int, str | None]:
        data = sensor.evaluate_tick(dg.build_sensor_context(instance=instance, cursor=cursor))
        return len(data.run_requests or []), data.cursor

    requests, first = tick(None)
    assert requests == 0
    assert tick(first)[0] == 0
    project.servers["third"] = [tool("x", "", {})]
    project.save()
    requests, second = tick(first)
    assert requests == 1
    assert second != first
    assert tick(second)[0] == 0


def test_a_servers_file_that_is_gone_counts_as_edited_and_raises_nothing(project: Project) -> None:
    before = servers_digest({"DAGSTER_HOME": str(project.home)})
    (project.home / "data" / "servers.json").unlink()
    assert servers_digest({"DAGSTER_HOME": str(project.home)}) != before
