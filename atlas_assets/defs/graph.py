"""The assets `merged_graph` and `viewer_site`: all edges weighed into one graph, and its viewer."""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import dagster as dg
from pydantic import Field

from atlas_assets.catalog.tool import split_slug
from atlas_assets.defs.automation import EAGER
from atlas_assets.defs.failures import one_line_failures
from atlas_assets.defs.metadata import (
    OWNERS,
    TAGS,
    Metadata,
    definition_metadata,
    picture,
    table,
    viewer_link,
)
from atlas_assets.edges.semantic.check import mark_doubted
from atlas_assets.graph.contract import GRAPH_FILE, Graph, build_graph, validate_graph
from atlas_assets.graph.manual import read_manual
from atlas_assets.graph.merge import Merged, MergeRules, merge_edges
from atlas_assets.graph.site import export_site, site_meta
from atlas_assets.graph.sketch import sketch
from atlas_assets.storage.io_manager import Tables
from atlas_assets.storage.parquet_json import ManyTables
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    EDGES,
    accepted_edges,
    dropped_table,
    edges_table,
    read_doubts,
    read_edges,
    read_servers,
    read_slots,
    read_tools,
)

_DEFAULT = MergeRules()


class MergeConfig(dg.Config):
    """The rules of the bogus-edge filter on semantic edges."""

    mutation_verbs: list[str] = Field(
        default=list(_DEFAULT.mutation_verbs),
        description="Words of a tool's name that say it changes something; such a tool is no producer.",
    )
    use_annotations: bool = Field(
        default=_DEFAULT.use_annotations,
        description="Whether annotations that say so count too, where the tool's name agrees.",
    )
    drop_same_identifier: bool = Field(
        default=_DEFAULT.drop_same_identifier,
        description="Whether a tool that itself requires the same <noun>_id is no producer of it.",
    )

    @property
    def rules(self) -> MergeRules:
        return MergeRules(
            mutation_verbs=tuple(self.mutation_verbs),
            use_annotations=self.use_annotations,
            drop_same_identifier=self.drop_same_identifier,
        )


@dg.asset(
    group_name="graph",
    kinds={"json", "parquet"},
    owners=OWNERS,
    tags=TAGS,
    metadata=definition_metadata(EDGES),
    automation_condition=EAGER,
)
def merged_graph(
    context: dg.AssetExecutionContext,
    config: MergeConfig,
    tool_catalog: Tables,
    heuristic_edges: Tables,
    semantic_edges: ManyTables,
) -> Tables:
    """The dependency map: direct, semantic and manual edges, each parameter's producers.

    One row of `edges` is one edge of the map, one row of `dropped` one that was left out, with the
    reason. Source: the heuristic edges, the semantic edges of every consumer that is still in the
    catalog, and `edges.manual.json`. `graph.json` is the same map for the viewer and for programs.
    Cost: seconds, no money.
    """
    root = DataRoot.from_environment()
    with one_line_failures():
        manual = read_manual(root)
        for problem in manual.problems:
            context.log.warning(problem)
        tools = read_tools(tool_catalog["tools"])
        merged = merge_edges(
            mark_doubted(read_edges(heuristic_edges["edges"]), read_doubts(semantic_edges.table)),
            accepted_edges(semantic_edges.table),
            manual.edges,
            tools,
            config.rules,
        )
        graph = build_graph(
            read_servers(tool_catalog["servers"]), tools, read_slots(heuristic_edges["slots"]), merged.edges
        )
        root.write_json(GRAPH_FILE, graph)
    context.add_output_metadata(_graph_metadata(graph, merged))
    return {"edges": edges_table(merged.edges), "dropped": dropped_table(merged.dropped)}


@dg.asset(
    group_name="graph",
    kinds={"html"},
    owners=OWNERS,
    tags=TAGS,
    deps=[merged_graph],
    automation_condition=EAGER,
)
def viewer_site() -> dg.MaterializeResult[None]:
    """The map as a page: a folder that opens by double-click and from any static host.

    Source: `graph.json`. It lies in `site` beside the data, or where `ATLAS_SITE` says. Cost: none.
    """
    with one_line_failures():
        root = DataRoot.from_environment()
        graph = validate_graph(root.read_json(GRAPH_FILE))
        page = export_site(graph, site_folder(os.environ), meta=site_meta(root, os.environ))
    return dg.MaterializeResult(
        metadata={"tools": graph["stats"]["tools"], "files": len(list(page.parent.iterdir()))}
    )


def site_folder(environ: Mapping[str, str]) -> Path:
    """Where the exported viewer lies: `ATLAS_SITE`, else `$DAGSTER_HOME/site`, else `./site`."""
    named = environ.get("ATLAS_SITE", "").strip()
    return Path(named) if named else Path(environ.get("DAGSTER_HOME") or ".") / "site"


def _graph_metadata(graph: Graph, merged: Merged) -> Metadata:
    stats = graph["stats"]
    visible_edges = [edge for edge in merged.edges if not edge.hidden]
    layers = Counter(edge.layer for edge in visible_edges)
    return {
        "dagster/row_count": len(merged.edges),
        **{name.replace("_", " "): stats[name] for name in stats},
        "user-supplied share": round(stats["user_supplied"] / max(stats["required_params"], 1), 4),
        "cross-server edges": sum(
            split_slug(edge.producer)[0] != split_slug(edge.consumer)[0] for edge in visible_edges
        ),
        "dropped": len(merged.dropped),
        **{f"layer {name}": layers[name] for name in sorted(layers)},
        "map": picture(sketch(graph)),
        "viewer": viewer_link(),
        "dropped edges": table(
            ("from", "to", "parameter", "dropped because"),
            (
                {
                    "from": d.edge.producer,
                    "to": d.edge.consumer,
                    "parameter": d.edge.consumes,
                    "dropped because": d.reason,
                }
                for d in merged.dropped
            ),
        ),
    }
