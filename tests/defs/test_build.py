"""The whole pipeline on a temporary instance: what it writes, and what a bad day costs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import dagster as dg
import pytest

from atlas_assets.defs import edges as edges_module
from atlas_assets.defs.build import run_build
from atlas_assets.edges.semantic.result import ConsumerResult, Doubt, PassReport
from atlas_assets.errors import ConfigError
from atlas_assets.graph.contract import validate_graph
from atlas_assets.storage.parquet_json import read_table
from atlas_assets.storage.partition_keys import encode_key
from atlas_assets.storage.tables import ANSWERS
from tests.defs.project import FILES, TRACKER, Project, tool

CONSUMERS = [
    "files::list_directory",
    "files::read_file",
    "files::write_file",
    "tracker::close_issue",
    "tracker::get_issue",
]
SEMANTIC = dg.AssetKey("semantic_edges")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The slugs put in here get no answer; all others the real one."""
    fail: set[str] = set()
    real: Callable[..., PassReport] = edges_module.run_semantic_pass

    def run(consumers: Sequence[str], **options: Any) -> PassReport:
        report = real([c for c in consumers if c not in fail], **options)
        errors = tuple(ConsumerResult(consumer=c, error="no answer in 60 s") for c in consumers if c in fail)
        return replace(report, results=tuple(sorted((*report.results, *errors), key=lambda r: r.consumer)))

    monkeypatch.setattr(edges_module, "run_semantic_pass", run)
    return fail


def status(instance: dg.DagsterInstance, key: str) -> str:
    """What the UI shows for one partition."""
    partition = instance.get_status_by_partition(SEMANTIC, [key], edges_module.consumer_partitions)[key]
    return partition.value if partition else "MISSING"


def test_a_build_makes_a_valid_graph_and_every_table_as_parquet_and_json(
    project: Project, instance: dg.DagsterInstance
) -> None:
    result, _ = project.build(instance)
    assert result.ok
    assert (result.tools, result.consumers, result.failed_consumers) == (6, 5, ())
    graph = validate_graph(project.graph())
    assert [node["id"] for node in graph["nodes"]] == sorted([*CONSUMERS, "tracker::list_issues"])
    edges = {(e["from"], e["to"], e["consumes"]) for e in graph["edges"]}
    assert ("tracker::list_issues", "tracker::get_issue", "issue_id") in edges
    for path in (
        "tool_catalog/tools",
        "tool_catalog/servers",
        "heuristic_edges/edges",
        "heuristic_edges/slots",
        "heuristic_edges/inputs",
        "tool_changes/changes",
        "tool_changes/accepted",
        "merged_graph/edges",
        "merged_graph/dropped",
        *(f"semantic_edges/{encode_key(slug)}" for slug in CONSUMERS),
    ):
        assert project.root.exists(f"{path}.parquet"), path
        assert isinstance(project.root.read_json(f"{path}.json"), list), path


def test_a_second_build_writes_the_same_bytes(project: Project, instance: dg.DagsterInstance) -> None:
    def contents() -> dict[str, bytes]:
        return {
            str(path.relative_to(project.home)): path.read_bytes()
            for path in sorted((project.home / "data").rglob("*"))
            # how long a scan took is no part of what must stay
            if path.is_file() and path.stem != "servers"
        }

    project.build(instance)
    first = contents()
    assert len(first) > 15
    project.build(instance)
    assert contents() == first


def test_the_ui_sees_the_runs_of_a_build_with_one_tag(
    project: Project, stored_instance: dg.DagsterInstance
) -> None:
    instance = stored_instance
    result, _ = project.build(instance)
    runs = [instance.get_run_by_id(run_id) for run_id in result.run_ids]
    assert all(run and run.status is dg.DagsterRunStatus.SUCCESS for run in runs)
    assert len({run.tags["atlas/build"] for run in runs if run}) == 1
    assert all(status(instance, key) == "MATERIALIZED" for key in CONSUMERS)


def test_a_failed_consumer_shows_failed_the_others_materialized_and_the_merge_still_runs(
    project: Project, instance: dg.DagsterInstance, failing: set[str]
) -> None:
    failing.add("files::read_file")
    result, events = project.build(instance)
    assert not result.ok
    assert result.failed_consumers == ("files::read_file",)
    assert {key: status(instance, key) for key in CONSUMERS} == {
        **dict.fromkeys(CONSUMERS, "MATERIALIZED"),
        "files::read_file": "FAILED",
    }
    assert not project.root.exists("semantic_edges/files.read_file.parquet")
    assert project.graph()["stats"]["tools"] == 6
    errors = [event.text for event in events if event.level == "error"]
    assert "files::read_file: no answer in 60 s" in errors
    assert len(result.errors) == 1
    assert "1 of 5 consumers got no answer" in result.errors[0]


def test_a_failed_consumer_keeps_its_last_good_edges(
    project: Project, instance: dg.DagsterInstance, failing: set[str]
) -> None:
    project.build(instance)
    before = project.root.read_bytes("semantic_edges/files.read_file.parquet")
    good = project.graph()
    failing.add("files::read_file")
    result, _ = project.build(instance)
    assert not result.ok
    assert project.root.read_bytes("semantic_edges/files.read_file.parquet") == before
    assert project.graph() == good
    failing.clear()
    result, _ = project.build(instance)
    assert result.ok
    assert status(instance, "files::read_file") == "MATERIALIZED"


def test_a_consumer_that_fails_once_is_asked_again_in_the_same_run(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = edges_module.run_semantic_pass
    calls: list[int] = []

    def run(consumers: Sequence[str], **options: Any) -> PassReport:
        report = real(consumers, **options)
        calls.append(len(consumers))
        if len(calls) > 1:
            return report
        first, *others = report.results
        return replace(report, results=(replace(first, edges=(), error="connection reset"), *others))

    monkeypatch.setattr(edges_module, "run_semantic_pass", run)
    result, _ = project.build(instance)
    assert result.ok
    # the second attempt asks only for what the first did not get
    assert calls == [5, 1]
    records = instance.fetch_materializations(SEMANTIC, limit=5).records
    assert {r.partition_key: r.asset_materialization.metadata["provider"].value for r in records} == (
        dict.fromkeys(CONSUMERS, "local")
    )


def test_a_tool_that_is_gone_loses_its_partition_and_its_edges_at_once(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)
    project.servers["tracker"] = [t for t in TRACKER if t["name"] != "get_issue"]
    project.build(instance)
    keys = instance.get_dynamic_partitions("consumer")
    assert "tracker::get_issue" not in keys
    assert all("tracker::get_issue" not in (e["from"], e["to"]) for e in project.graph()["edges"])
    assert project.root.exists("semantic_edges/tracker.get_issue.parquet")


def test_partition_keys_that_stay_keep_their_place_and_new_ones_come_sorted(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)
    assert instance.get_dynamic_partitions("consumer") == CONSUMERS
    project.servers["files"] = [
        *FILES,
        tool("b_move", "Move", {"path": ""}),
        tool("a_copy", "", {"path": ""}),
    ]
    result, _ = project.build(instance)
    assert instance.get_dynamic_partitions("consumer") == [*CONSUMERS, "files::a_copy", "files::b_move"]
    assert result.ok
    assert project.root.exists("semantic_edges/files.a_copy.parquet")


def test_hostile_tool_names_are_partitions_like_others(
    project: Project, instance: dg.DagsterInstance
) -> None:
    names = ["../up", "a...b", "x::y", "Ünï cödé", "long" * 120, "tab\there", "‮gnp", "a|b,[c]"]
    project.servers["odd"] = [tool(name, "", {"path": "a path"}) for name in names]
    result, _ = project.build(instance)
    assert result.ok, result.errors
    assert result.consumers == 5 + len(names)
    for name in names:
        path = f"semantic_edges/{encode_key(f'odd::{name}')}"
        assert read_table(project.root, path, ANSWERS).schema == ANSWERS.schema
    assert not (project.home / "up.parquet").exists()


def test_no_server_at_all_ends_with_one_line_and_not_ok(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.servers.clear()
    result, _ = project.build(instance)
    assert not result.ok
    assert len(result.errors) == 1


def test_a_folder_that_cannot_be_written_is_one_line(project: Project, instance: dg.DagsterInstance) -> None:
    project.save()
    (project.home / "data" / "tool_catalog").write_text("a file in its place", encoding="utf-8")
    result, events = project.build(instance)
    assert not result.ok
    (said,) = [event.text for event in events if event.level == "error"]
    assert said.startswith("tool_catalog: cannot write 'tool_catalog/")


def test_a_stopped_build_says_so(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> PassReport:
        raise dg.DagsterExecutionInterruptedError

    monkeypatch.setattr(edges_module, "run_semantic_pass", interrupted)
    result, _ = project.build(instance)
    assert result.errors[0] == "semantic_edges: stopped; what was finished is kept"


def test_a_broken_servers_file_ends_the_build_in_one_line(
    project: Project, instance: dg.DagsterInstance
) -> None:
    (project.home / "data" / "servers.json").write_text("{ not json", encoding="utf-8")
    result = run_build(instance)
    assert not result.ok
    assert "servers.json" in result.errors[0]
    assert "\n" not in result.errors[0]
    assert len(result.run_ids) == 1


def test_run_config_reaches_the_layers_and_the_merge_rules(
    project: Project, instance: dg.DagsterInstance
) -> None:
    config = {
        "ops": {
            "heuristic_edges": {"config": {"layers": []}},
            "merged_graph": {"config": {"mutation_verbs": ["list"]}},
        }
    }
    result, _ = project.build(instance, run_config=config)
    assert result.ok, result.errors
    assert project.graph()["stats"]["direct"] == 0
    assert all(not e["from"].endswith("::list_directory") for e in project.graph()["edges"])


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"resources": {}}, "'ops' only"),
        ({"ops": {"tool_catalog": {"config": {"servers": "/etc/passwd"}}}}, "tool_catalog"),
        ({"ops": {"merged_graph": {"config": {"command": "x"}}}}, "command"),
        ({"ops": {"merged_graph": {"config": {"mutation_verbs": "list"}}}}, "mutation_verbs"),
        ({"ops": {"merged_graph": []}}, "merged_graph"),
    ],
)
def test_a_run_config_that_does_not_fit_is_one_line(
    project: Project, instance: dg.DagsterInstance, config: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        run_build(instance, run_config=config)


@pytest.mark.parametrize("layer", ["x", {"env": "ATLAS_TEST_SECRET"}])
def test_an_unknown_layer_is_one_line_and_no_variable_s_value(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, layer: object
) -> None:
    monkeypatch.setenv("ATLAS_TEST_SECRET", "sk-hidden")
    with pytest.raises(ConfigError, match="layers") as raised:
        project.build(instance, run_config={"ops": {"heuristic_edges": {"config": {"layers": [layer]}}}})
    assert "\n" not in str(raised.value)
    assert "sk-hidden" not in str(raised.value)


def test_a_person_s_edges_are_in_the_graph(project: Project, instance: dg.DagsterInstance) -> None:
    edge = {"from": "files::read_file", "to": "tracker::get_issue", "consumes": "issue_id"}
    project.root.write_json("edges.manual.json", [edge])
    project.build(instance)
    manual = [e for e in project.graph()["edges"] if e["type"] == "manual"]
    assert [(e["from"], e["to"]) for e in manual] == [("files::read_file", "tracker::get_issue")]


def test_an_edge_found_by_rule_that_a_model_doubts_is_kept_and_marked(
    project: Project, instance: dg.DagsterInstance, failing: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build(instance)
    (before,) = (e for e in project.graph()["edges"] if e["to"] == "tracker::get_issue")
    asked = edges_module.run_semantic_pass
    doubt = Doubt(
        producer=before["from"],
        consumer=before["to"],
        consumes="issue_id",
        provider="oracle",
        reason="It cannot.",
    )

    def doubting(consumers: Sequence[str], **options: Any) -> PassReport:
        report = asked(consumers, **options)
        results = (
            replace(r, doubts=(doubt,) if r.consumer == doubt.consumer else ()) for r in report.results
        )
        return replace(report, results=tuple(results))

    monkeypatch.setattr(edges_module, "run_semantic_pass", doubting)
    project.build(instance)
    (after,) = (e for e in project.graph()["edges"] if e["to"] == "tracker::get_issue")
    assert after["from"] == before["from"]
    assert after["confidence"] < before["confidence"]
    assert "It cannot." in after["reason"]
    assert "oracle" in after["reason"]


def test_stored_json_can_be_read_by_anything(project: Project, instance: dg.DagsterInstance) -> None:
    project.build(instance)
    rows = json.loads(project.root.read_bytes("tool_catalog/tools.json"))
    assert rows[0]["input_schema"]["type"] == "object"
    assert rows[0]["parameters"][0]["name"] == "path"


def test_the_data_may_lie_on_another_file_system(
    project: Project, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_DATA", f"memory://{project.home.name}")
    result, _ = project.build(instance)
    assert result.ok, result.errors
    assert validate_graph(project.graph())["stats"]["tools"] == 6
    assert sorted(p.name for p in (project.home / "data").iterdir()) == [
        "files.dump.json",
        "servers.json",
        "tracker.dump.json",
    ]
