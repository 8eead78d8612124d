"""The asset `merged_graph`: all edges weighed into one graph."""

import dagster as dg
from pydantic import Field

from atlas_assets.defs.failures import one_line_failures
from atlas_assets.graph.contract import GRAPH_FILE, build_graph
from atlas_assets.graph.manual import read_manual
from atlas_assets.graph.merge import MergeRules, merge_edges
from atlas_assets.storage.io_manager import Tables
from atlas_assets.storage.parquet_json import ManyTables
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import (
    accepted_edges,
    dropped_table,
    edges_table,
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


@dg.asset(group_name="graph", kinds={"json", "parquet"})
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
            read_edges(heuristic_edges["edges"]),
            accepted_edges(semantic_edges.table),
            manual.edges,
            tools,
            config.rules,
        )
        graph = build_graph(
            read_servers(tool_catalog["servers"]), tools, read_slots(heuristic_edges["slots"]), merged.edges
        )
        root.write_json(GRAPH_FILE, graph)
    context.add_output_metadata({**graph["stats"], "dropped": len(merged.dropped)})
    return {"edges": edges_table(merged.edges), "dropped": dropped_table(merged.dropped)}
