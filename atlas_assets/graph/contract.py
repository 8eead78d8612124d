"""The final `graph.json`: what it holds and how it is built.

The published JSON Schema is `graph.schema.json` beside this module; `schema_version` changes when a
reader would have to. The graph holds no clock: the same catalog and edges give the same bytes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, cast

import jsonschema

from atlas_assets.catalog.tool import ServerRecord, Tool
from atlas_assets.edges.edge import EDGE_TYPES, Edge, Slot, edge_row
from atlas_assets.errors import GraphError

SCHEMA_VERSION = 1
GRAPH_FILE = "graph.json"

Graph = dict[str, Any]


def build_graph(
    servers: Iterable[ServerRecord], tools: Iterable[Tool], slots: Iterable[Slot], edges: Iterable[Edge]
) -> Graph:
    """The graph as plain JSON values, everything sorted.

    A required parameter is `user_supplied` where no visible edge fills it or a place inside it; a
    slot, where none fills that very place. Hidden edges are kept and count nowhere. Tools that were
    removed are no nodes. A node's `slots` are the required places known to the inference, and for
    tools it knows nothing of, their required parameters with class `produced`.
    """
    live = sorted((t for t in tools if t.status != "removed"), key=lambda t: t.slug)
    edges = sorted(edges, key=lambda e: e.key)
    filled = {(e.consumer, e.consumes, e.path) for e in edges if not e.hidden}
    filled_parameters = {(consumer, param) for consumer, param, _ in filled}
    slots_of: defaultdict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        slots_of[slot.consumer].append(slot)
    nodes = [_node(tool, slots_of[tool.slug], filled, filled_parameters) for tool in live]
    return {
        "schema_version": SCHEMA_VERSION,
        "servers": [_server(s) for s in sorted(servers, key=lambda s: s.name)],
        "nodes": nodes,
        "edges": [{**edge_row(e), "confidence": round(e.confidence, 4)} for e in edges],
        "stats": _stats(nodes, edges),
    }


@cache
def graph_schema() -> Mapping[str, Any]:
    """The published JSON Schema of `graph.json` (draft 2020-12)."""
    text = resources.files("atlas_assets.graph").joinpath("graph.schema.json").read_text(encoding="utf-8")
    return cast(Mapping[str, Any], json.loads(text))


def validate_graph(graph: object) -> Graph:
    """`graph` where it follows the schema; raises GraphError with the first place that does not."""
    validator = jsonschema.Draft202012Validator(graph_schema())
    error = jsonschema.exceptions.best_match(validator.iter_errors(graph))
    if error is not None:
        place = "/".join(str(p) for p in error.absolute_path) or "the top level"
        raise GraphError(f"graph.json is not valid at {place}: {error.message[:200]}; build it again")
    return cast(Graph, graph)


def _server(server: ServerRecord) -> dict[str, Any]:
    # seconds stay out: the graph must not change with the clock
    return {
        "name": server.name,
        "title": server.title,
        "version": server.version,
        "transport": server.transport,
        "protocol": server.protocol,
        "tools": server.tools,
        "status": server.status,
        "reason": server.reason,
    }


def _node(
    tool: Tool,
    slots: Sequence[Slot],
    filled: set[tuple[str, str, str | None]],
    filled_parameters: set[tuple[str, str]],
) -> dict[str, Any]:
    slug = tool.slug
    known = slots or [
        Slot(consumer=slug, param=p.name, required=True, reason="not classified")
        for p in tool.required_parameters
    ]
    return {
        "id": slug,
        "server": tool.server,
        "tool": tool.name,
        "title": tool.title,
        "description": tool.description,
        "annotations": tool.annotations,
        "status": tool.status,
        "required_params": [
            {
                "name": p.name,
                "type": p.type,
                "description": p.description,
                "user_supplied": (slug, p.name) not in filled_parameters,
            }
            for p in tool.required_parameters
        ],
        "slots": [
            {
                "param": s.param,
                "path": s.path,
                "class": s.slot_class,
                "kind": s.kind,
                "entity": s.entity,
                "reason": s.reason,
                "required": s.required,
                "user_supplied": (slug, s.param, s.path) not in filled,
            }
            for s in sorted(known, key=lambda s: (s.param, s.path or ""))
        ],
    }


def _stats(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Edge]) -> dict[str, int]:
    visible = [e for e in edges if not e.hidden]
    required = [p for n in nodes for p in n["required_params"]]
    return {
        "servers": len({n["server"] for n in nodes}),
        "tools": len(nodes),
        "edges": len(visible),
        **{kind: sum(e.type == kind for e in visible) for kind in EDGE_TYPES},
        "hidden": len(edges) - len(visible),
        "required_params": len(required),
        "user_supplied": sum(p["user_supplied"] for p in required),
    }
