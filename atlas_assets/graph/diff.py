"""What differs between two graphs: tools, edges, and the parameters that lost their last producer."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from atlas_assets.graph.contract import Graph

EdgeKey = tuple[str, str, str, str]
"""(from, to, consumes, path), an absent path as ""."""

Key = TypeVar("Key")

_TOOL_FIELDS = ("title", "description", "annotations", "required_params")
_EDGE_FIELDS = ("type", "confidence", "hidden")


@dataclass(frozen=True, slots=True)
class GraphDiff:
    """Each sorted. `tools_changed` names the fields; `orphaned` are (consumer, parameter, path)."""

    tools_added: tuple[str, ...]
    tools_removed: tuple[str, ...]
    tools_changed: tuple[tuple[str, tuple[str, ...]], ...]
    edges_added: tuple[EdgeKey, ...]
    edges_removed: tuple[EdgeKey, ...]
    edges_changed: tuple[tuple[EdgeKey, tuple[str, ...]], ...]
    orphaned: tuple[tuple[str, str, str], ...]

    @property
    def same(self) -> bool:
        return not any(
            (
                self.tools_added,
                self.tools_removed,
                self.tools_changed,
                self.edges_added,
                self.edges_removed,
                self.edges_changed,
            )
        )


def diff_graphs(old: Graph, new: Graph) -> GraphDiff:
    """Compare two valid graphs. A consumer that is gone itself has lost nothing."""
    old_tools, new_tools = _tools(old), _tools(new)
    old_edges, new_edges = _edges(old), _edges(new)
    both = sorted(old_tools.keys() & new_tools.keys())
    return GraphDiff(
        tools_added=tuple(sorted(new_tools.keys() - old_tools.keys())),
        tools_removed=tuple(sorted(old_tools.keys() - new_tools.keys())),
        tools_changed=_changed(both, old_tools, new_tools, _TOOL_FIELDS),
        edges_added=tuple(sorted(new_edges.keys() - old_edges.keys())),
        edges_removed=tuple(sorted(old_edges.keys() - new_edges.keys())),
        edges_changed=_changed(
            sorted(old_edges.keys() & new_edges.keys()), old_edges, new_edges, _EDGE_FIELDS
        ),
        orphaned=tuple(sorted(s for s in _filled(old) - _filled(new) if _has(new_tools, s))),
    )


def _tools(graph: Graph) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in graph["nodes"]}


def _edges(graph: Graph) -> dict[EdgeKey, dict[str, Any]]:
    return {(e["from"], e["to"], e["consumes"], e["path"] or ""): e for e in graph["edges"]}


def _filled(graph: Graph) -> set[tuple[str, str, str]]:
    return {(e["to"], e["consumes"], e["path"] or "") for e in graph["edges"] if not e["hidden"]}


def _has(tools: Mapping[str, Mapping[str, Any]], slot: tuple[str, str, str]) -> bool:
    consumer, parameter, _ = slot
    node = tools.get(consumer)
    if node is None:
        return False
    names = {p["name"] for p in node["required_params"]} | {s["param"] for s in node["slots"]}
    return parameter in names


def _changed(
    keys: Iterable[Key],
    old: Mapping[Key, Mapping[str, Any]],
    new: Mapping[Key, Mapping[str, Any]],
    fields: tuple[str, ...],
) -> tuple[tuple[Key, tuple[str, ...]], ...]:
    found = ((key, tuple(f for f in fields if _said(old[key], f) != _said(new[key], f))) for key in keys)
    return tuple((key, names) for key, names in found if names)


def _said(item: Mapping[str, Any], field: str) -> object:
    value = item[field]
    if field == "required_params":
        # whether a person supplies it is a matter of edges, which are compared by themselves
        return [{k: v for k, v in parameter.items() if k != "user_supplied"} for parameter in value]
    return value
