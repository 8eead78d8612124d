"""The stored tables: one declared Arrow schema each, and the way between records and rows.

A table is cast to its schema and sorted before it is written, so the same records give the same
bytes. JSON values (schemas, annotations, parameters) are canonical JSON text in Parquet, where a
column has one type, and real JSON in the `.json` file. Null means absent; "" means empty.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

import pyarrow as pa

from atlas_assets.catalog.catalog import Problem
from atlas_assets.catalog.drift import ToolChange
from atlas_assets.catalog.tool import (
    Json,
    JsonObject,
    OutputField,
    Parameter,
    ServerRecord,
    ServerStatus,
    Tool,
    ToolStatus,
    as_object,
)
from atlas_assets.edges.edge import Edge, EdgeType, Slot, SlotClass, edge_row
from atlas_assets.edges.semantic.consumer_inputs import Input
from atlas_assets.edges.semantic.result import Doubt
from atlas_assets.errors import StorageError
from atlas_assets.graph.merge import DroppedEdge

Row = Mapping[str, Any]


@dataclass(frozen=True)
class TableFormat:
    """One table: its columns with their meaning, which of them hold JSON, and what its rows sort by."""

    name: str
    columns: tuple[tuple[str, pa.DataType, str], ...]
    sort_by: tuple[str, ...]
    json_columns: frozenset[str] = frozenset()

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with each column's meaning as `description` in its metadata."""
        return pa.schema(
            [pa.field(name, type_, metadata={"description": text}) for name, type_, text in self.columns]
        )

    def table(self, rows: Iterable[Row]) -> pa.Table:
        """Rows as an Arrow table: every column, JSON as canonical text, sorted."""
        ordered = [{name: self._cell(row, name) for name, _, _ in self.columns} for row in rows]
        ordered.sort(key=lambda row: (*(_order(row[c]) for c in self.sort_by), canonical_json(row)))
        try:
            return pa.Table.from_pylist(ordered, schema=self.schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise StorageError(f"a row does not fit the table {self.name!r}: {error}") from error

    def rows(self, table: pa.Table) -> list[dict[str, Any]]:
        """The rows with JSON columns parsed. Raises StorageError where `table` is no such table."""
        return [self._parsed(row) for row in self.cast(table).to_pylist()]

    def cast(self, table: pa.Table) -> pa.Table:
        """`table` in this schema's types and order. Raises StorageError where it does not fit."""
        try:
            return table.select([name for name, _, _ in self.columns]).cast(self.schema)
        except (KeyError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise StorageError(
                f"stored table {self.name!r} has other columns than this version writes; run again"
            ) from error

    def from_json(self, rows: object) -> pa.Table:
        """The table of a `.json` file's rows. Raises StorageError where they are no such rows."""
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise StorageError(f"stored table {self.name!r} is no list of rows; run again")
        return self.table(rows)

    def _cell(self, row: Row, name: str) -> Any:
        value = row.get(name)
        if name in self.json_columns:
            return None if value is None else canonical_json(value)
        return storable(value) if isinstance(value, str) else value

    def _parsed(self, row: dict[str, Any]) -> dict[str, Any]:
        for name in self.json_columns:
            if row[name] is not None:
                row[name] = json.loads(row[name])
        return row


def canonical_json(value: object) -> str:
    """One text for one JSON value: sorted keys, ASCII, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def storable(text: str) -> str:
    """`text` with lone surrogates, which are no UTF-8, written as their escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def _order(value: object) -> tuple[bool, int, str]:
    return (value is not None, value if isinstance(value, int) else 0, str(value))


_TEXT, _BOOL, _INT, _REAL = pa.string(), pa.bool_(), pa.int64(), pa.float64()

TOOLS = TableFormat(
    "tools",
    (
        ("slug", _TEXT, "server::tool, unique"),
        ("server", _TEXT, "the server's name in the servers file"),
        ("tool", _TEXT, "the tool's own name"),
        ("title", _TEXT, "what the server calls it for people, or empty"),
        ("description", _TEXT, "the server's text, or empty"),
        ("input_schema", _TEXT, "JSON Schema of the parameters"),
        ("output_schema", _TEXT, "JSON Schema of what it returns; null where the server gives none"),
        ("annotations", _TEXT, "the server's hints (readOnlyHint, …), evidence and never truth"),
        ("parameters", _TEXT, "every parameter and place inside it, flattened from the input schema"),
        ("outputs", _TEXT, "every named place in what it returns, flattened from the output schema"),
        ("fingerprint", _TEXT, "SHA-256 over what the server said of it, 32 hex digits"),
        ("status", _TEXT, "ok; stale where the server could not be asked; removed"),
    ),
    ("slug",),
    frozenset({"input_schema", "output_schema", "annotations", "parameters", "outputs"}),
)

SERVERS = TableFormat(
    "servers",
    (
        ("name", _TEXT, "the name in the servers file"),
        ("title", _TEXT, "what it calls itself"),
        ("version", _TEXT, "the version it states"),
        ("transport", _TEXT, "stdio, http, sse or file"),
        ("protocol", _TEXT, "agreed protocol version"),
        ("tools", _INT, "its tools in the catalog, stale ones included"),
        ("seconds", _REAL, "how long its scan took"),
        ("status", _TEXT, "ok, stale, failed, needs_auth or disabled"),
        ("reason", _TEXT, "why it is not ok, or empty"),
    ),
    ("name",),
)

PROBLEMS = TableFormat(
    "problems",
    (
        ("server", _TEXT, "the server that listed it"),
        ("tool", _TEXT, "the tool's name as far as it could be read"),
        ("reason", _TEXT, "why it is not in the catalog"),
    ),
    ("server", "tool"),
)

_EDGE_COLUMNS = (
    ("from", _TEXT, "slug of the producer"),
    ("to", _TEXT, "slug of the consumer"),
    ("consumes", _TEXT, "the consumer's parameter that the edge fills"),
    ("path", _TEXT, "the place inside the parameter; null for the whole"),
    ("required", _BOOL, "whether that place must be given"),
    ("type", _TEXT, "direct, semantic or manual"),
    ("layer", _TEXT, "the rule that found it"),
    ("provider", _TEXT, "who answered"),
    ("confidence", _REAL, "0 to 1"),
    ("hidden", _BOOL, "kept, and counts nowhere"),
    ("reason", _TEXT, "one sentence for people"),
    ("produces", _TEXT, "the output field that carries the value; null where not known"),
    ("quote", _TEXT, "the author's words that say so; null where the evidence is another"),
)
_EDGE_ORDER = ("to", "consumes", "path", "from", "type", "layer")

EDGES = TableFormat("edges", _EDGE_COLUMNS, _EDGE_ORDER)

DROPPED = TableFormat(
    "dropped", (*_EDGE_COLUMNS, ("dropped_because", _TEXT, "why the merge left it out")), _EDGE_ORDER
)

ANSWERS = TableFormat(
    "answers",
    (
        *_EDGE_COLUMNS,
        ("accepted", _BOOL, "whether the answer passed every check"),
        ("rejected_because", _TEXT, "which check it failed; null where accepted"),
        ("doubt", _TEXT, "why the provider doubts this edge, which was found without it; else null"),
    ),
    _EDGE_ORDER,
)
"""One partition of `semantic_edges`: what was answered for one consumer, right and wrong."""

SLOTS = TableFormat(
    "slots",
    (
        ("consumer", _TEXT, "slug of the tool that has the parameter"),
        ("param", _TEXT, "the parameter"),
        ("path", _TEXT, "the place inside it; null for the whole"),
        ("required", _BOOL, "whether that place must be given"),
        ("class", _TEXT, "produced by another tool, said by the user, or none of both"),
        ("kind", _TEXT, "identifier, path, url, content, …"),
        ("entity", _TEXT, "the resource it names, or empty"),
        ("reason", _TEXT, "why it has that class"),
    ),
    ("consumer", "param", "path"),
)

CHANGES = TableFormat(
    "changes",
    (
        ("scan", _INT, "number of the scan, among those that changed something"),
        ("slug", _TEXT, "the tool"),
        ("kind", _TEXT, "added, removed or changed"),
        ("field", _TEXT, "what about it: tool, description, input schema, …"),
        ("before", _TEXT, "what it was; null where there was nothing"),
        ("after", _TEXT, "what it is; null where there is nothing"),
    ),
    ("scan", "slug", "kind", "field"),
)

INPUTS = TableFormat(
    "inputs",
    (
        ("slug", _TEXT, "the tool"),
        ("fingerprint", _TEXT, "its fingerprint when the edges were inferred"),
        ("found", _TEXT, "digest of the edges found into it"),
    ),
    ("slug",),
)

TABLE_FORMATS = (TOOLS, SERVERS, PROBLEMS, EDGES, DROPPED, ANSWERS, SLOTS, CHANGES, INPUTS)


def tools_table(tools: Iterable[Tool]) -> pa.Table:
    """One row a tool."""
    return TOOLS.table(
        {
            "slug": tool.slug,
            "server": tool.server,
            "tool": tool.name,
            "title": tool.title,
            "description": tool.description,
            "input_schema": tool.input_schema,
            "output_schema": tool.output_schema,
            "annotations": tool.annotations,
            "parameters": [_parameter_row(p) for p in tool.parameters],
            "outputs": [{"path": o.path, "type": o.type, "description": o.description} for o in tool.outputs],
            "fingerprint": tool.fingerprint,
            "status": tool.status,
        }
        for tool in tools
    )


def read_tools(table: pa.Table) -> tuple[Tool, ...]:
    """The tools of a `tools` table, sorted by slug."""
    return tuple(
        Tool(
            server=row["server"],
            name=row["tool"],
            title=row["title"],
            description=row["description"],
            input_schema=as_object(row["input_schema"]),
            output_schema=None if row["output_schema"] is None else as_object(row["output_schema"]),
            annotations=as_object(row["annotations"]),
            parameters=tuple(_parameter(p) for p in row["parameters"]),
            outputs=tuple(OutputField(o["path"], o["type"], o["description"]) for o in row["outputs"]),
            status=cast(ToolStatus, row["status"]),
        )
        for row in TOOLS.rows(table)
    )


def _parameter_row(parameter: Parameter) -> JsonObject:
    enum: list[Json] = list(parameter.enum)
    return {
        "name": parameter.name,
        "path": parameter.path,
        "type": parameter.type,
        "required": parameter.required,
        "description": parameter.description,
        "enum": enum,
        "default": parameter.default,
        "format": parameter.format,
    }


def _parameter(row: Row) -> Parameter:
    return Parameter(**{**row, "enum": tuple(row["enum"])})


def servers_table(servers: Iterable[ServerRecord]) -> pa.Table:
    """One row a server of the scan."""
    return SERVERS.table(
        {name: getattr(server, name) for name, _, _ in SERVERS.columns} for server in servers
    )


def read_servers(table: pa.Table) -> tuple[ServerRecord, ...]:
    """The servers of a `servers` table, sorted by name."""
    return tuple(
        ServerRecord(**{**row, "status": cast(ServerStatus, row["status"])}) for row in SERVERS.rows(table)
    )


def problems_table(problems: Iterable[Problem]) -> pa.Table:
    """One row a problem of the scan."""
    return PROBLEMS.table({"server": p.server, "tool": p.tool, "reason": p.reason} for p in problems)


def changes_table(changes: Iterable[ToolChange]) -> pa.Table:
    """One row a change."""
    return CHANGES.table(asdict(change) for change in changes)


def read_changes(table: pa.Table) -> tuple[ToolChange, ...]:
    """The changes of a `changes` table."""
    return tuple(ToolChange(**row) for row in CHANGES.rows(table))


def inputs_table(inputs: Iterable[Input]) -> pa.Table:
    """One row a tool."""
    return INPUTS.table(asdict(known) for known in inputs)


def read_inputs(table: pa.Table) -> dict[str, Input]:
    """Slug to what was known of the tool."""
    return {row["slug"]: Input(**row) for row in INPUTS.rows(table)}


def read_edge(row: Row) -> Edge:
    """The edge of a row; other columns are left alone."""
    return Edge(
        producer=row["from"],
        consumer=row["to"],
        consumes=row["consumes"],
        path=row["path"],
        required=row["required"],
        type=cast(EdgeType, row["type"]),
        layer=row["layer"],
        provider=row["provider"],
        confidence=row["confidence"],
        hidden=row["hidden"],
        reason=row["reason"],
        produces=row["produces"],
        quote=row["quote"],
    )


def edges_table(edges: Iterable[Edge]) -> pa.Table:
    """One row an edge."""
    return EDGES.table(map(edge_row, edges))


def read_edges(table: pa.Table) -> tuple[Edge, ...]:
    """The edges of an `edges` table."""
    return tuple(map(read_edge, EDGES.rows(table)))


def dropped_table(dropped: Iterable[DroppedEdge]) -> pa.Table:
    """One row an edge that the merge left out."""
    return DROPPED.table({**edge_row(d.edge), "dropped_because": d.reason} for d in dropped)


def answers_table(
    accepted: Iterable[Edge], rejected: Iterable[Row], doubts: Iterable[Doubt] = ()
) -> pa.Table:
    """One consumer's answers. A rejected row has `from`, `to`, `consumes`, `rejected_because` at least."""
    return ANSWERS.table(
        [
            *({**edge_row(edge), "accepted": True} for edge in accepted),
            *({**row, "accepted": False} for row in rejected),
            *(
                {
                    "from": doubt.producer,
                    "to": doubt.consumer,
                    "consumes": doubt.consumes,
                    "provider": doubt.provider,
                    "accepted": False,
                    "doubt": doubt.reason,
                }
                for doubt in doubts
            ),
        ]
    )


def read_doubts(table: pa.Table) -> tuple[Doubt, ...]:
    """The doubts of an `answers` table, about edges that were found by rule."""
    return tuple(
        Doubt(
            producer=row["from"],
            consumer=row["to"],
            consumes=row["consumes"],
            provider=row["provider"],
            reason=row["doubt"],
        )
        for row in ANSWERS.rows(table)
        if row["doubt"] is not None
    )


def accepted_edges(table: pa.Table) -> tuple[Edge, ...]:
    """The edges of an `answers` table that passed every check."""
    return tuple(read_edge(row) for row in ANSWERS.rows(table) if row["accepted"])


def slots_table(slots: Iterable[Slot]) -> pa.Table:
    """One row a slot."""
    return SLOTS.table(
        {
            "consumer": slot.consumer,
            "param": slot.param,
            "path": slot.path,
            "required": slot.required,
            "class": slot.slot_class,
            "kind": slot.kind,
            "entity": slot.entity,
            "reason": slot.reason,
        }
        for slot in slots
    )


def read_slots(table: pa.Table) -> tuple[Slot, ...]:
    """The slots of a `slots` table."""
    return tuple(
        Slot(
            consumer=row["consumer"],
            param=row["param"],
            path=row["path"],
            required=row["required"],
            slot_class=cast(SlotClass, row["class"]),
            kind=row["kind"],
            entity=row["entity"],
            reason=row["reason"],
        )
        for row in SLOTS.rows(table)
    )
