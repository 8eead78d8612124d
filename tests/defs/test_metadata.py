"""What a person sees: complete, and harmless whatever a server says."""

import json
import re
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.tags import SYSTEM_TAG_PREFIX

from atlas_assets.definitions import defs
from atlas_assets.defs.metadata import ROWS_SHOWN, code, table, viewer_link
from tests.defs.project import Project, tool

IMAGE = "![x](http://127.0.0.1:3000/graphql?query=mutation{launchRun})"
HTML = '<img src="http://evil.example/p.png">'
HOSTILE = f"{IMAGE} {HTML} [link](http://evil.example) http://evil.example/auto | a | `b` \u202e"


def events(instance: dg.DagsterInstance) -> list[tuple[str, str, Any]]:
    """Every piece of metadata of every event: (asset, key, value)."""
    found: list[tuple[str, str, Any]] = []
    for key in instance.all_asset_keys():
        for record in instance.fetch_materializations(key, limit=100).records:
            assert record.asset_materialization is not None
            for name, value in record.asset_materialization.metadata.items():
                found.append((key.to_user_string(), name, value))
    for run in instance.get_runs():
        log = instance.get_records_for_run(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        for record in log.records:
            evaluation = record.event_log_entry.dagster_event.asset_check_evaluation_data
            for name, value in evaluation.metadata.items():
                found.append((evaluation.check_name, name, value))
            found.append((evaluation.check_name, "description", dg.MetadataValue.md(evaluation.description)))
    return found


@pytest.fixture
def hostile(project: Project, instance: dg.DagsterInstance) -> Project:
    project.servers["evil"] = [
        tool("list_things", HOSTILE, {}),
        tool(f"get_thing {HTML}", HOSTILE, {"thing_id": HOSTILE, HOSTILE: HOSTILE}),
    ]
    project.build(instance)
    return project


def test_no_rendered_text_holds_an_address_an_image_or_markup_of_a_server(
    hostile: Project, instance: dg.DagsterInstance
) -> None:
    seen = events(instance)
    # a table's cells are not rendered; what is rendered is markdown, addresses and plain texts' links
    rendered = [(a, n, v.value) for a, n, v in seen if isinstance(v, dg.MarkdownMetadataValue)]
    assert rendered
    for asset, name, text in rendered:
        images = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
        assert all(address.startswith("data:image/svg+xml;base64,") for address in images), (asset, name)
        assert "http" not in re.sub(r"\(data:[^)]*\)", "", text), (asset, name)
        assert "<" not in text, (asset, name)
    for asset, name, value in seen:
        if isinstance(value, dg.UrlMetadataValue):
            assert value.value is not None
            assert re.fullmatch(r"http://127\.0\.0\.1:8765/[\w#=&%.~-]*", value.value), (asset, name)
        assert not isinstance(
            value,
            dg.NotebookMetadataValue | dg.PathMetadataValue,
        ), (asset, name)
        if isinstance(value, dg.TextMetadataValue):
            assert "evil.example" not in (value.value or ""), (asset, name)


def test_a_servers_text_is_still_there_to_be_read_as_a_cell(
    hostile: Project, instance: dg.DagsterInstance
) -> None:
    cells = [
        cell
        for _, _, value in events(instance)
        if isinstance(value, dg.TableMetadataValue)
        for record in value.records
        for cell in record.data.values()
    ]
    assert any(isinstance(cell, str) and HTML in cell for cell in cells)
    assert not any(isinstance(cell, str) and "\u202e" in cell for cell in cells)


def test_a_partition_s_page_shows_slots_answers_rejected_and_who_answered(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)
    page = {
        record.partition_key: record.asset_materialization.metadata
        for record in instance.fetch_materializations(dg.AssetKey("semantic_edges"), limit=50).records
        if record.asset_materialization
    }["tracker::get_issue"]
    assert page["provider"].value == "local"
    answers = [dict(r.data) for r in page["answers"].records]
    assert answers[0]["from"] == "tracker::list_issues"
    assert answers[0]["parameter"] == "issue_id"
    assert [r.data["parameter"] for r in page["slots"].records] == ["issue_id"]
    assert list(page["rejected answers"].records) == []
    assert page["viewer"].value == "http://127.0.0.1:8765/#level=place&tool=tracker%3A%3Aget_issue"
    for name in ("input tokens", "output tokens", "calls saved by the cache", "edges", "rejected"):
        assert isinstance(page[name].value, int), name


def test_the_graph_and_the_catalog_give_numbers_to_plot(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.build(instance)

    def numbers(asset: str) -> set[str]:
        event = instance.get_latest_materialization_event(dg.AssetKey(asset))
        assert event
        assert event.asset_materialization
        values = event.asset_materialization.metadata.items()
        return {n for n, v in values if isinstance(v, dg.IntMetadataValue | dg.FloatMetadataValue)}

    assert {"servers up", "tools", "seconds: files", "seconds: tracker"} <= numbers("tool_catalog")
    assert {"edges", "direct", "semantic", "user-supplied share", "dropped", "layer name"} <= numbers(
        "merged_graph"
    )
    assert {"tools added", "tools removed", "tools changed", "texts not accepted"} <= numbers("tool_changes")


def test_every_asset_says_what_a_row_is_where_it_comes_from_and_what_it_costs() -> None:
    graph = defs.resolve_asset_graph()
    for key in graph.materializable_asset_keys:
        node = graph.get(key)
        assert node.description, key
        assert "Source:" in node.description, key
        assert "Cost:" in node.description, key
        assert node.group_name in ("catalog", "edges", "graph"), key
        assert node.owners == ["team:mcp-atlas"], key
        assert node.kinds, key
        own = {name for name in node.tags if not name.startswith(SYSTEM_TAG_PREFIX)}
        assert own, key
        if key.to_user_string() != "viewer_site":
            columns = node.metadata["dagster/column_schema"].columns
            assert all(column.description for column in columns), key


@pytest.mark.parametrize("text", [IMAGE, HTML, HOSTILE, "``` fence", "a\nb | c", "\\`", ""])
def test_a_code_span_cannot_be_left(text: str) -> None:
    span = code(text)
    assert span.count("`") in (0, 2)
    assert "\n" not in span
    assert "|" not in span


def test_a_long_table_is_cut_and_says_so() -> None:
    cells = table(("a",), ({"a": "x" * 1000} for _ in range(ROWS_SHOWN + 7)))
    assert len(cells.records) == ROWS_SHOWN + 1
    assert cells.records[-1].data["a"] == "… and 7 more"
    assert len(str(cells.records[0].data["a"])) <= 301
    assert json.dumps(table(("a",), []).schema.columns[0].name) == '"a"'


def test_the_viewer_s_place_is_only_ever_http() -> None:
    assert viewer_link(environ={"ATLAS_VIEWER_URL": "javascript:alert(1)"}).value == "http://127.0.0.1:8765/"
    assert viewer_link("a::b", {"ATLAS_VIEWER_URL": "https://map.example/"}).value == (
        "https://map.example/#level=place&tool=a%3A%3Ab"
    )
