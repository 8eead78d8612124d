"""The one entry point of Dagster: assets, and how they are stored and run."""

import dagster as dg

from atlas_assets.defs.catalog import tool_catalog
from atlas_assets.defs.edges import heuristic_edges, semantic_edges
from atlas_assets.defs.graph import merged_graph
from atlas_assets.storage.io_manager import TableIOManager

defs = dg.Definitions(
    assets=[tool_catalog, heuristic_edges, semantic_edges, merged_graph],
    resources={"io_manager": TableIOManager()},
    executor=dg.in_process_executor,
)
