"""The asset `tool_catalog`: what the configured servers say of their tools."""

import os

import dagster as dg

from atlas_assets.catalog.config import load_servers, servers_files
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tool import ServerRecord
from atlas_assets.defs.failures import one_line_failures
from atlas_assets.defs.partitions import sync_partitions
from atlas_assets.edges.semantic.semantic_pass import consumers_of
from atlas_assets.storage.io_manager import Tables
from atlas_assets.storage.layout import read_catalog
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import problems_table, servers_table, tools_table


@dg.asset(group_name="catalog", kinds={"mcp", "parquet"})
def tool_catalog(context: dg.AssetExecutionContext) -> Tables:
    """Every tool of every configured MCP server, as the servers list them.

    One row of `tools` is one tool, `<server>::<tool>`; one row of `servers` is one server of the
    scan, with the reason where it could not be listed. Source: the servers in the servers file,
    which are started or asked over the network, only ever to list their tools. Cost: seconds, no
    money. A server that is down keeps the tools of its last good scan, marked stale.
    """
    with one_line_failures():
        loaded = load_servers(servers_files(os.environ))
        for note in loaded.notes:
            context.log.warning(note)
        previous = read_catalog(DataRoot.from_environment())

        def report(server: ServerRecord) -> None:
            context.log.info(f"{server.name}: {server.status}, {server.tools} tools {server.reason}".rstrip())

        catalog = scan_servers(loaded.servers, previous=previous, on_server=report)
    change = sync_partitions(context.instance, consumers_of(catalog.tools))
    context.add_output_metadata(
        {
            "servers": len(catalog.servers),
            "servers up": sum(server.status == "ok" for server in catalog.servers),
            "tools": len(catalog.tools),
            "unusable tools": len(catalog.problems),
            "consumers added": len(change.added),
            "consumers retired": len(change.retired),
        }
    )
    return {
        "tools": tools_table(catalog.tools),
        "servers": servers_table(catalog.servers),
        "problems": problems_table(catalog.problems),
    }
