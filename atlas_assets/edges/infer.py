"""The deterministic layers, put together: direct edges, slots, and the built-in semantic edges."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.calibration import HIDE_BELOW, confidence
from atlas_assets.edges.companions import companion_edges
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.evidence import Candidate
from atlas_assets.edges.landscape import Landscape, Placed, survey
from atlas_assets.edges.ranking import rank
from atlas_assets.edges.reasons import direct_reason
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.slug_rule import slug_edges
from atlas_assets.edges.words import singulars, split_words

DEFAULT_LAYERS: tuple[str, ...] = ("name", "output_schema", "mention", "annotation", "local")
ALL_LAYERS: tuple[str, ...] = ("slug", *DEFAULT_LAYERS)
DIRECT_LAYERS = frozenset({"name", "output_schema", "mention"})


@dataclass(frozen=True, slots=True)
class Direct:
    """Direct edges sorted by key, and every slot sorted by consumer, parameter and path."""

    edges: tuple[Edge, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """All edges that need no model, sorted by key, and every slot."""

    edges: tuple[Edge, ...]
    slots: tuple[Slot, ...]


def infer_direct(tools: Sequence[Tool], layers: Collection[str] = DEFAULT_LAYERS) -> Direct:
    """The direct edges that the named layers find among `tools`, and the slots of every tool."""
    return _direct(_survey(tools, layers), tools, layers)


def infer(tools: Sequence[Tool], layers: Collection[str] = DEFAULT_LAYERS) -> Inference:
    """Direct edges and, with layer `local`, the built-in provider's semantic ones."""
    from atlas_assets.edges.semantic.local import edges_of

    landscape = _survey(tools, layers)
    direct = _direct(landscape, tools, layers)
    edges = list(direct.edges)
    if "local" in layers:
        edges.extend(edges_of(landscape, direct.edges))
    return Inference(tuple(sorted(edges, key=lambda edge: edge.key)), direct.slots)


def _survey(tools: Sequence[Tool], layers: Collection[str]) -> Landscape:
    """The landscape, blind to the servers' hints where the layer `annotation` is off.

    Hints find no edge by themselves; they are evidence for and against what the other layers find.
    """
    return survey(tools if "annotation" in layers else [replace(tool, annotations={}) for tool in tools])


def _direct(landscape: Landscape, tools: Sequence[Tool], layers: Collection[str]) -> Direct:
    edges: dict[tuple[str, str, str, str], Edge] = {}
    slots: list[Slot] = []
    for view in landscape.servers.values():
        mine: list[Edge] = []
        sure: set[tuple[str, str]] = set()
        for consumer in view.placed:
            for slot in consumer.slots:
                slots.append(_slot(consumer, slot))
                if (
                    slot.kind == "identifier"
                    and slot.slot_class == "produced"
                    and DIRECT_LAYERS & set(layers)
                ):
                    ranked = [one for one in rank(slot, consumer, view) if one.layer in layers]
                    mine.extend(_edge(consumer, slot, candidate) for candidate in ranked)
                    own = slot.nouns and set(slot.nouns[0]) & set(singulars(split_words(slot.param)))
                    if own and not all(candidate.synonym for candidate in ranked):
                        sure.add((consumer.tool.slug, slot.param))
        if "name" in layers:
            mine.extend(companion_edges(view, mine, sure))
        edges.update((edge.key, edge) for edge in mine)
    if "slug" in layers:
        for edge in slug_edges(tools):
            edges.setdefault(edge.key, edge)
    reached = {(edge.consumer, edge.consumes) for edge in edges.values() if not edge.hidden}
    slots = [
        replace(slot, slot_class="produced") if (slot.consumer, slot.param) in reached else slot
        for slot in slots
    ]
    ordered = sorted(slots, key=lambda slot: (slot.consumer, slot.param, slot.path or ""))
    return Direct(tuple(edges[key] for key in sorted(edges)), tuple(ordered))


def _edge(consumer: Placed, slot: SlotSignature, candidate: Candidate) -> Edge:
    sure = confidence(candidate.certainty)
    offer = candidate.offer
    return Edge(
        producer=candidate.placed.tool.slug,
        consumer=consumer.tool.slug,
        consumes=slot.param,
        path=slot.path,
        required=slot.required,
        type="direct",
        layer=candidate.layer,
        provider="heuristic",
        confidence=sure,
        hidden=sure < HIDE_BELOW,
        reason=direct_reason(slot, candidate),
        produces=offer.field if offer is not None else None,
        quote=candidate.mention.sentence if candidate.mention is not None else None,
    )


def _slot(consumer: Placed, slot: SlotSignature) -> Slot:
    return Slot(
        consumer=consumer.tool.slug,
        param=slot.param,
        path=slot.path,
        required=slot.required,
        slot_class=slot.slot_class,
        kind=slot.kind,
        entity=" ".join(slot.nouns[0]) if slot.nouns else "",
        reason=slot.reason[:1].upper() + slot.reason[1:] + ".",
    )
