"""The assets `tool_catalog` and `tool_changes`: what the servers say, and what they said before."""

import os
from collections.abc import Sequence

import dagster as dg

from atlas_assets.catalog.catalog import Catalog
from atlas_assets.catalog.config import load_servers, servers_files
from atlas_assets.catalog.drift import Drift, ToolChange, follow, servers_of, summary, unaccepted
from atlas_assets.catalog.scan import scan_servers
from atlas_assets.catalog.tool import ServerRecord
from atlas_assets.catalog.visible import difference, visible
from atlas_assets.catalog.webhook import notify
from atlas_assets.defs.failures import one_line_failures
from atlas_assets.defs.metadata import OWNERS, TAGS, Metadata, definition_metadata, table
from atlas_assets.defs.partitions import PartitionChange, sync_partitions
from atlas_assets.edges.semantic.semantic_pass import consumers_of
from atlas_assets.errors import StorageError
from atlas_assets.storage.io_manager import Tables
from atlas_assets.storage.layout import read_catalog, read_drift
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    CHANGES,
    TOOLS,
    changes_table,
    problems_table,
    read_tools,
    servers_table,
    tools_table,
)

SERVERS_TIMED = 40
"""Servers whose seconds are a series of their own."""


@dg.asset(
    group_name="catalog",
    kinds={"mcp", "parquet"},
    owners=OWNERS,
    tags=TAGS,
    metadata=definition_metadata(TOOLS),
)
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
        previous = _last_catalog(context)

        def report(server: ServerRecord) -> None:
            count = f"{server.tools} tool{'' if server.tools == 1 else 's'}"
            context.log.info(f"{server.name}: {server.status}, {count} {server.reason}".rstrip())

        catalog = scan_servers(loaded.servers, previous=previous, on_server=report)
    change = sync_partitions(context.instance, consumers_of(catalog.tools))
    context.add_output_metadata(_catalog_metadata(catalog, change))
    return {
        "tools": tools_table(catalog.tools),
        "servers": servers_table(catalog.servers),
        "problems": problems_table(catalog.problems),
    }


@dg.asset(
    group_name="catalog",
    kinds={"parquet"},
    owners=OWNERS,
    tags=TAGS,
    metadata=definition_metadata(CHANGES),
)
def tool_changes(context: dg.AssetExecutionContext, tool_catalog: Tables) -> Tables:
    """What changed about the tools from scan to scan, and what was accepted.

    One row of `changes` is one thing about one tool that a scan found changed; `removed` are the
    tombstones of tools that are gone; `accepted` is each tool's text as it was first seen or last
    accepted (`atlas accept`). Source: `tool_catalog`. Cost: none; a POST to `ATLAS_WEBHOOK_URL`
    where it is set and something changed.
    """
    with one_line_failures():
        before = read_drift(DataRoot.from_environment())
        after = follow(before, read_tools(tool_catalog["tools"]))
    new = [change for change in after.changes if change not in before.changes]
    problem = notify(new, os.environ)
    if problem:
        context.log.warning(problem)
    context.log.info(f"tools: {summary(new)}")
    context.add_output_metadata(_drift_metadata(after, new))
    return {
        "changes": changes_table(after.changes),
        "removed": tools_table(after.removed),
        "accepted": tools_table(after.accepted),
        "seen": tools_table(after.seen),
    }


def _last_catalog(context: dg.AssetExecutionContext) -> Catalog | None:
    """The catalog of the last scan; a damaged one is told, and this scan writes it anew."""
    try:
        return read_catalog(DataRoot.from_environment())
    except StorageError as error:
        context.log.warning(f"{error}; scanning without it, so a server that is down has no tools")
        return None


def _catalog_metadata(catalog: Catalog, change: PartitionChange) -> Metadata:
    seconds = {
        f"seconds: {visible(server.name, 60)}": round(server.seconds, 3)
        for server in catalog.servers[:SERVERS_TIMED]
    }
    columns = ("name", "status", "tools", "seconds", "transport", "protocol", "version", "reason")
    return {
        "dagster/row_count": len(catalog.tools),
        "tools": len(catalog.tools),
        "servers": len(catalog.servers),
        "servers up": sum(server.status == "ok" for server in catalog.servers),
        "stale tools": sum(tool.status == "stale" for tool in catalog.tools),
        "unusable tools": len(catalog.problems),
        "consumers added": len(change.added),
        "consumers retired": len(change.retired),
        "server list": table(
            columns, ({name: getattr(server, name) for name in columns} for server in catalog.servers)
        ),
        "problems": table(
            ("server", "tool", "reason"),
            ({"server": p.server, "tool": p.tool, "reason": p.reason} for p in catalog.problems),
        ),
        **seconds,
    }


def _drift_metadata(drift: Drift, new: Sequence[ToolChange]) -> Metadata:
    waiting = unaccepted(drift)
    return {
        "dagster/row_count": len(drift.changes),
        "tools added": len({c.slug for c in new if c.kind == "added"}),
        "tools removed": len({c.slug for c in new if c.kind == "removed"}),
        "tools changed": len({c.slug for c in new if c.kind == "changed"}),
        "servers changed": len(servers_of(new)),
        "texts not accepted": len(waiting),
        "changes": table(
            ("tool", "what", "difference"),
            (
                {
                    "tool": c.slug,
                    "what": f"{c.kind} {c.field}" if c.kind == "changed" else c.kind,
                    "difference": difference(c.before or "", c.after or ""),
                }
                for c in new
            ),
            limit=700,
        ),
    }
