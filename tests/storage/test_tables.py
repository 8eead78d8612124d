"""Tables keep every record, in one order and one set of bytes."""

import random
from dataclasses import replace

import pyarrow as pa
import pytest

from atlas_assets.catalog.catalog import Problem
from atlas_assets.catalog.tool import OutputField, Parameter, ServerRecord, Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.errors import StorageError
from atlas_assets.graph.merge import DroppedEdge
from atlas_assets.storage.parquet_json import parquet_bytes
from atlas_assets.storage.tables import (
    ANSWERS,
    DROPPED,
    EDGES,
    TABLE_FORMATS,
    TOOLS,
    accepted_edges,
    answers_table,
    dropped_table,
    edges_table,
    problems_table,
    read_edges,
    read_servers,
    read_slots,
    read_tools,
    servers_table,
    slots_table,
    tools_table,
)

TOOL = Tool(
    server="fs",
    name="read/../file",
    title="Read",
    description="Reads a file. \u202e‮ <script>",
    input_schema={"type": "object", "properties": {"path": {"type": "string", "default": 1.5}}},
    output_schema={"type": "object"},
    annotations={"readOnlyHint": True, "x": [None, {"deep": [1, 2]}]},
    parameters=(
        Parameter("path", None, "string", True, "where", ("a", "b"), '"a"', "uri"),
        Parameter("path", "[].x", "integer|null", False),
    ),
    outputs=(OutputField("items[].id", "string", "the id"),),
    status="stale",
)
PLAIN = Tool(server="a", name="b")
EDGE = Edge(
    producer="fs::list",
    consumer="fs::read",
    consumes="path",
    type="semantic",
    layer="local",
    provider="local",
    confidence=0.7,
    reason="It finds files.",
)
OTHER = replace(EDGE, path="[].path", required=False, hidden=True, produces="items[].p", quote="use list")


def test_tools_come_back_as_they_were() -> None:
    assert read_tools(tools_table([TOOL, PLAIN])) == (PLAIN, TOOL)


def test_servers_slots_and_edges_come_back_as_they_were() -> None:
    servers = (
        ServerRecord(name="a", tools=3, seconds=1.25, status="needs_auth", reason="log in"),
        ServerRecord("b"),
    )
    slots = (Slot(consumer="a::b", param="x"), Slot(consumer="a::b", param="x", path="y", slot_class="user"))
    assert read_servers(servers_table(reversed(servers))) == servers
    assert read_slots(slots_table(reversed(slots))) == slots
    assert read_edges(edges_table([OTHER, EDGE])) == (EDGE, OTHER)


def test_only_accepted_answers_are_edges_and_the_rejected_keep_their_reason() -> None:
    rejected = {"from": "x::y", "to": "fs::read", "consumes": "path", "rejected_because": "unknown tool"}
    table = answers_table([EDGE], [rejected])
    assert accepted_edges(table) == (EDGE,)
    assert [row["rejected_because"] for row in ANSWERS.rows(table)] == [None, "unknown tool"]


def test_dropped_edges_and_problems_keep_their_reason() -> None:
    assert DROPPED.rows(dropped_table([DroppedEdge(EDGE, "mutates")]))[0]["dropped_because"] == "mutates"
    assert problems_table([Problem("s", "t", "no schema")]).to_pylist() == [
        {"server": "s", "tool": "t", "reason": "no schema"}
    ]


def test_the_same_rows_in_any_order_give_the_same_bytes() -> None:
    edges = [replace(EDGE, consumes=f"p{i % 7}", confidence=i / 100) for i in range(60)]
    shuffled = random.Random(1).sample(edges, len(edges))
    assert parquet_bytes(edges_table(edges)) == parquet_bytes(edges_table(shuffled))


def test_the_order_of_a_schema_s_keys_does_not_reach_the_bytes() -> None:
    one = replace(PLAIN, input_schema={"a": 1, "b": {"c": 1, "d": 2}})
    other = replace(PLAIN, input_schema={"b": {"d": 2, "c": 1}, "a": 1})
    assert parquet_bytes(tools_table([one])) == parquet_bytes(tools_table([other]))


@pytest.mark.parametrize("form", TABLE_FORMATS, ids=lambda form: form.name)
def test_an_empty_table_has_the_declared_columns_each_with_its_meaning(form) -> None:
    table = form.table([])
    assert table.schema == form.schema
    assert table.num_rows == 0
    assert all(text for _, _, text in form.columns)


def test_other_string_types_are_cast_to_the_declared_ones() -> None:
    table = edges_table([EDGE])
    large = table.set_column(0, "from", table["from"].cast(pa.large_string()))
    assert EDGES.cast(large).schema == EDGES.schema


def test_a_table_of_another_version_is_refused_in_one_line() -> None:
    with pytest.raises(StorageError, match="'edges' has other columns"):
        EDGES.rows(pa.table({"from": ["a"]}))


def test_a_lone_surrogate_in_a_server_s_text_is_stored_as_its_escape() -> None:
    tool = replace(PLAIN, description="bad \ud800 text", annotations={"x": "\ud800"})
    row = TOOLS.rows(tools_table([tool]))[0]
    assert row["description"] == "bad \\ud800 text"
    assert row["annotations"] == {"x": "\ud800"}
