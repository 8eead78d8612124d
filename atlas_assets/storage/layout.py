"""Where each asset's tables lie below the data root, and how they are read without Dagster."""

from atlas_assets.catalog.catalog import Catalog, Problem
from atlas_assets.errors import StorageError
from atlas_assets.storage.parquet_json import has_table, read_table
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    ANSWERS,
    DROPPED,
    EDGES,
    PROBLEMS,
    SERVERS,
    SLOTS,
    TOOLS,
    TableFormat,
    read_servers,
    read_tools,
)

TABLES: dict[str, dict[str, TableFormat]] = {
    "tool_catalog": {"tools": TOOLS, "servers": SERVERS, "problems": PROBLEMS},
    "heuristic_edges": {"edges": EDGES, "slots": SLOTS},
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
        tools, servers, problems = (
            read_table(root, f"tool_catalog/{name}", form) for name, form in TABLES["tool_catalog"].items()
        )
    except FileNotFoundError as error:
        raise StorageError("tool_catalog in the data folder is not whole; scan again") from error
    return Catalog(
        servers=read_servers(servers),
        tools=read_tools(tools),
        problems=tuple(Problem(**row) for row in PROBLEMS.rows(problems)),
    )
