"""The one entry point of Dagster: assets and checks, what runs by itself, how all is stored and run."""

import os

import dagster as dg

from atlas_assets.defs.automation import automation
from atlas_assets.defs.catalog import tool_catalog, tool_changes
from atlas_assets.defs.checks import checks
from atlas_assets.defs.edges import consumer_inputs, heuristic_edges, semantic_edges
from atlas_assets.defs.graph import merged_graph, viewer_site
from atlas_assets.defs.retention import retention
from atlas_assets.storage.io_manager import TableIOManager

defs = dg.Definitions.merge(
    dg.Definitions(
        assets=[
            tool_catalog,
            tool_changes,
            heuristic_edges,
            consumer_inputs,
            semantic_edges,
            merged_graph,
            viewer_site,
        ],
        asset_checks=checks,
        resources={"io_manager": TableIOManager()},
        executor=dg.in_process_executor,
    ),
    automation(os.environ),
    retention(os.environ),
)
