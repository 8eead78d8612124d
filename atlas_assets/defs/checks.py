"""Asset checks: what must hold, and what a person should look at."""

from collections import Counter
from collections.abc import Iterable, Mapping

import dagster as dg

from atlas_assets.catalog.drift import unaccepted
from atlas_assets.catalog.poison import poisoned
from atlas_assets.catalog.visible import difference, visible
from atlas_assets.defs.metadata import table
from atlas_assets.defs.partitions import PARTITIONS_NAME
from atlas_assets.edges.semantic.semantic_pass import consumers_of
from atlas_assets.errors import AtlasError, GraphError
from atlas_assets.graph.contract import GRAPH_FILE, validate_graph
from atlas_assets.storage.io_manager import TableIOManager, Tables
from atlas_assets.storage.layout import TABLES, read_catalog, read_drift
from atlas_assets.storage.partition_keys import partition_key
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import read_edges, read_servers, read_slots, read_tools

HALVED = 0.5
JUMPED = 0.1
"""The share of required parameters left to a person may rise by this much between two merges."""

USER_SHARE = "user-supplied share"


def _result(
    problems: Iterable[Mapping[str, object]],
    good: str,
    bad: str,
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR,
) -> dg.AssetCheckResult:
    """Passed without problems, else failed with them as a table; `bad` has a place for their number."""
    rows = list(problems)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return dg.AssetCheckResult(
        passed=not rows,
        severity=severity,
        description=bad.format(len(rows)) if rows else good,
        metadata={"problems": len(rows), **({"what": table(columns, rows, limit=700)} if rows else {})},
    )


@dg.asset_check(asset="tool_catalog")
def unique_slugs(tool_catalog: Tables) -> dg.AssetCheckResult:
    """Each slug is one tool."""
    counts = Counter(tool.slug for tool in read_tools(tool_catalog["tools"]))
    return _result(
        ({"tool": slug, "rows": count} for slug, count in sorted(counts.items()) if count > 1),
        "each slug is one tool",
        "{} slugs are more than one tool",
    )


@dg.asset_check(asset="tool_catalog")
def servers_listed(tool_catalog: Tables) -> dg.AssetCheckResult:
    """Every configured server could be listed."""
    return _result(
        (
            {"server": s.name, "status": s.status, "reason": s.reason}
            for s in read_servers(tool_catalog["servers"])
            if s.status not in ("ok", "disabled")
        ),
        "every server could be listed",
        "{} servers could not be listed; their tools are those of the last good scan",
        dg.AssetCheckSeverity.WARN,
    )


@dg.asset_check(asset="tool_catalog")
def tools_not_halved(context: dg.AssetCheckExecutionContext, tool_catalog: Tables) -> dg.AssetCheckResult:
    """There are not fewer than half the tools of the scan before."""
    now = tool_catalog["tools"].num_rows
    before = _number_before(context.instance, "tool_catalog", "tools")
    halved = before is not None and now < before * HALVED
    return _result(
        [{"before": before, "now": now}] if halved else [],
        f"{now} tools" if before is None else f"{now} tools, {before:g} at the scan before",
        "fewer than half the tools of the scan before are left",
        dg.AssetCheckSeverity.WARN,
    )


@dg.asset_check(asset="tool_catalog")
def consumers_have_partitions(
    context: dg.AssetCheckExecutionContext, tool_catalog: Tables
) -> dg.AssetCheckResult:
    """Every tool with parameters has a partition of semantic_edges."""
    known = set(context.instance.get_dynamic_partitions(PARTITIONS_NAME))
    return _result(
        (
            {"tool": slug}
            for slug in consumers_of(read_tools(tool_catalog["tools"]))
            if partition_key(slug) not in known
        ),
        "every consumer has a partition",
        "{} consumers have no partition; scan again",
    )


@dg.asset_check(asset="tool_catalog")
def no_hidden_instructions(tool_catalog: Tables) -> dg.AssetCheckResult:
    """No tool's text looks like an instruction to the model."""
    return _result(
        (
            {"tool": p.slug, "place": p.place, "attempt": p.attempt, "text": visible(p.text, 600)}
            for p in poisoned(read_tools(tool_catalog["tools"]))
        ),
        "no text that steers the model was found",
        "{} places in tools' text look like instructions to the model; read them before you use the tool",
        dg.AssetCheckSeverity.WARN,
    )


@dg.asset_check(asset="tool_changes")
def texts_as_accepted() -> dg.AssetCheckResult:
    """Every tool says what was accepted; `atlas accept SERVER|SLUG` accepts what it says now."""
    return _result(
        (
            {"tool": c.slug, "place": c.place, "difference": difference(c.before, c.after)}
            for c in unaccepted(read_drift(DataRoot.from_environment()))
        ),
        "every tool says what was accepted",
        "{} texts are no longer what was accepted; read them, then `atlas accept` the server or tool",
        dg.AssetCheckSeverity.WARN,
    )


@dg.asset_check(asset="heuristic_edges", additional_ins={"tool_catalog": dg.AssetIn("tool_catalog")})
def edges_point_at_live_tools(tool_catalog: Tables, heuristic_edges: Tables) -> dg.AssetCheckResult:
    """Every direct edge is from one tool of the catalog into a parameter of another."""
    tools = {tool.slug: {p.name for p in tool.top_parameters} for tool in read_tools(tool_catalog["tools"])}
    return _result(
        (
            {"from": e.producer, "to": e.consumer, "consumes": e.consumes}
            for e in read_edges(heuristic_edges["edges"])
            if e.producer not in tools
            or e.producer == e.consumer
            or e.consumes not in tools.get(e.consumer, set())
        ),
        "every edge has its two tools and its parameter",
        "{} edges have no such tool or parameter",
    )


# A check of semantic_edges itself would be skipped: that asset reports its partitions, and yields no output.
@dg.asset_check(asset="merged_graph", additional_deps=["semantic_edges"])
def partitions_readable(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    """The partitions of all consumers, which the merge reads, can be read."""
    keys = context.instance.get_dynamic_partitions(PARTITIONS_NAME)
    many = TableIOManager().read_partitions("semantic_edges", keys)
    return _result(
        ({"problem": text} for text in many.problems),
        f"{len(many.present)} partitions can be read, {len(many.missing)} were never materialized",
        "{} partitions are damaged; materialize them again",
    )


@dg.asset_check(asset="merged_graph")
def graph_is_sound(merged_graph: Tables) -> dg.AssetCheckResult:
    """Every edge of the graph is between two live tools, into a real parameter, and required as it says."""
    catalog = read_catalog(DataRoot.from_environment())
    tools = {t.slug: t for t in (catalog.tools if catalog else ()) if t.status != "removed"}
    problems: list[dict[str, object]] = []
    for edge in read_edges(merged_graph["edges"]):
        consumer = tools.get(edge.consumer)
        names = {p.name: p.required for p in consumer.top_parameters} if consumer else {}
        why = ""
        if edge.producer not in tools or consumer is None:
            why = "a tool is not in the catalog"
        elif edge.producer == edge.consumer:
            why = "a tool is its own producer"
        elif edge.consumes not in names:
            why = "the consumer has no such parameter"
        elif edge.required and not names[edge.consumes]:
            why = "it says required, and the parameter is optional"
        if why:
            problems.append(
                {"from": edge.producer, "to": edge.consumer, "consumes": edge.consumes, "why": why}
            )
    return _result(problems, "every edge is sound", "{} edges are not sound; materialize merged_graph again")


@dg.asset_check(asset="merged_graph", additional_deps=["semantic_edges", "heuristic_edges"])
def slots_have_partitions(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    """Every consumer with slots was asked about."""
    slots = read_slots(TableIOManager().read_asset("heuristic_edges")["slots"])
    known = set(context.instance.get_dynamic_partitions(PARTITIONS_NAME))
    consumers = sorted({slot.consumer for slot in slots})
    return _result(
        ({"tool": slug} for slug in consumers if partition_key(slug) not in known),
        "every consumer with slots has a partition",
        "{} consumers with slots have no partition; scan again",
    )


@dg.asset_check(asset="merged_graph")
def user_share_steady(context: dg.AssetCheckExecutionContext) -> dg.AssetCheckResult:
    """The share of required parameters that are left to a person did not jump."""
    stats = DataRoot.from_environment().read_json(GRAPH_FILE)["stats"]
    now = stats["user_supplied"] / max(stats["required_params"], 1)
    before = _number_before(context.instance, "merged_graph", USER_SHARE)
    jumped = before is not None and now > before + JUMPED
    return _result(
        [{"before": before, "now": round(now, 4)}] if jumped else [],
        f"{now:.1%} of required parameters are left to a person",
        "far more required parameters are left to a person than at the merge before",
        dg.AssetCheckSeverity.WARN,
    )


@dg.asset_check(asset="merged_graph")
def graph_json_valid() -> dg.AssetCheckResult:
    """graph.json follows its published JSON Schema."""
    try:
        validate_graph(DataRoot.from_environment().read_json(GRAPH_FILE))
    except (AtlasError, FileNotFoundError) as error:
        where = str(error) if isinstance(error, GraphError) else f"graph.json cannot be read: {error}"
        return _result([{"problem": where}], "", "graph.json does not follow its schema")
    return _result([], "graph.json follows its schema", "")


def _schema_check(asset: str) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name="tables_as_declared")
    def tables_as_declared() -> dg.AssetCheckResult:
        """The stored tables have the declared columns, and can be read."""
        try:
            tables = TableIOManager().read_asset(asset)
        except AtlasError as error:
            return _result([{"problem": str(error)}], "", "a stored table cannot be used")
        return _result(
            (
                {"table": name, "problem": "other columns than declared"}
                for name, form in TABLES[asset].items()
                if tables[name].schema != form.schema
            ),
            f"{len(tables)} tables as declared",
            "{} tables are not as declared",
        )

    return tables_as_declared


checks = [
    unique_slugs,
    servers_listed,
    tools_not_halved,
    consumers_have_partitions,
    no_hidden_instructions,
    texts_as_accepted,
    edges_point_at_live_tools,
    partitions_readable,
    graph_is_sound,
    slots_have_partitions,
    user_share_steady,
    graph_json_valid,
    *(_schema_check(asset) for asset in sorted(TABLES)),
]


def _number_before(instance: dg.DagsterInstance, asset: str, name: str) -> float | None:
    """A number that the materialization before the last one reported; None where there was none."""
    records = instance.fetch_materializations(dg.AssetKey(asset), limit=2).records
    if len(records) < 2 or records[1].asset_materialization is None:
        return None
    value = records[1].asset_materialization.metadata.get(name)
    number = value.value if value is not None else None
    return float(number) if isinstance(number, int | float) else None
