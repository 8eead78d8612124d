"""Where each asset's tables lie below the data root, and how they are read without Dagster."""

import pyarrow as pa

from atlas_assets.catalog.catalog import Catalog, Problem
from atlas_assets.catalog.drift import Drift
from atlas_assets.edges.semantic.consumer_inputs import Input
from atlas_assets.errors import StorageError
from atlas_assets.storage.parquet_json import has_table, read_table, write_table
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    ANSWERS,
    CHANGES,
    DROPPED,
    EDGES,
    INPUTS,
    PROBLEMS,
    SERVERS,
    SLOTS,
    TOOLS,
    TableFormat,
    read_changes,
    read_inputs,
    read_servers,
    read_tools,
    tools_table,
)

TABLES: dict[str, dict[str, TableFormat]] = {
    # the last table says that all are there: a write that is cut short leaves the old one in force
    "tool_catalog": {"servers": SERVERS, "problems": PROBLEMS, "tools": TOOLS},
    # and what was not yet seen is reported again, rather than never
    "tool_changes": {"changes": CHANGES, "removed": TOOLS, "accepted": TOOLS, "seen": TOOLS},
    "heuristic_edges": {"edges": EDGES, "slots": SLOTS, "inputs": INPUTS},
    "merged_graph": {"edges": EDGES, "dropped": DROPPED},
}
"""Asset name to its tables, each at `<asset>/<table>.parquet` and `.json`."""

PARTITIONS: dict[str, TableFormat] = {"semantic_edges": ANSWERS}
"""Asset name to the format of one partition, each at `<asset>/<encoded key>.parquet` and `.json`."""


def read_catalog(root: DataRoot) -> Catalog | None:
    """The catalog of the last scan; None where there was none. Raises StorageError where it is damaged."""
    if not has_table(root, "tool_catalog/tools"):
        return None
    try:
        servers, problems, tools = (
            read_table(root, f"tool_catalog/{name}", form) for name, form in TABLES["tool_catalog"].items()
        )
    except FileNotFoundError as error:
        raise StorageError("tool_catalog in the data folder is not whole; scan again") from error
    return Catalog(
        servers=read_servers(servers),
        tools=read_tools(tools),
        problems=tuple(Problem(**row) for row in PROBLEMS.rows(problems)),
    )


def read_drift(root: DataRoot) -> Drift:
    """What is known of the catalog over time; nothing where there was no scan yet.

    A table that is missing counts as empty: `seen` is written last, so it is missing only where
    the first scan was cut short. Raises StorageError where a table is damaged.
    """

    def rows(name: str) -> pa.Table:
        form = TABLES["tool_changes"][name]
        try:
            return read_table(root, f"tool_changes/{name}", form)
        except FileNotFoundError:
            return form.table([])

    return Drift(
        changes=read_changes(rows("changes")),
        removed=read_tools(rows("removed")),
        accepted=read_tools(rows("accepted")),
        seen=read_tools(rows("seen")),
    )


def write_accepted(root: DataRoot, drift: Drift) -> None:
    """Keep the accepted texts; nothing else of `drift` is written."""
    write_table(root, "tool_changes/accepted", tools_table(drift.accepted), TOOLS)


def previous_inputs(root: DataRoot) -> dict[str, Input]:
    """What each question rested on at the last inference; empty where there was none."""
    try:
        return read_inputs(read_table(root, "heuristic_edges/inputs", INPUTS))
    except (FileNotFoundError, StorageError):
        # without it every question counts as changed, and the answers' own cache makes that free
        return {}
