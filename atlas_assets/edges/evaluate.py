"""Scores of predicted edges against labelled ones.

A gold folder holds `tools.json` (a recorded catalog), `gold_edges.csv` (producer, consumer, param,
kind, …) and, where every required slot was judged, `slots.csv` (consumer, param, class). Only rows
that name a parameter count; kind `ok` is defensible and counts neither way; `propagated` is no
dependency. In a closed world precision is exact: over the judged slots where there is a `slots.csv`,
or over all predictions where each server is a world of its own (`closed.txt`, or the known fixture
set); elsewhere it is a lower bound, over the slots that gold fills.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from atlas_assets.catalog.recorded import load_recorded
from atlas_assets.catalog.tool import Tool, split_slug
from atlas_assets.edges.edge import Edge
from atlas_assets.errors import CatalogError

Triple = tuple[str, str, str]
CLOSED_WORLDS = frozenset({"schemathesis_fixtures"})
"""Sets without a slots.csv that were labelled completely, each server a world of its own."""


@dataclass(frozen=True, slots=True)
class Gold:
    """One labelled set: `edges` are right, `neutral` count neither way, `slots` maps judged slots to
    their class (None where no slot was judged)."""

    name: str
    tools: tuple[Tool, ...]
    edges: frozenset[Triple]
    neutral: frozenset[Triple]
    slots: dict[tuple[str, str], str] | None


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one set, or of several together; the ratios are None where nothing is counted.

    `unproduced` counts judged slots of class `user` or `none`, `intruded` those that got an edge
    which gold does not call defensible.
    """

    name: str
    gold: int = 0
    counted: int = 0
    right: int = 0
    slots: int = 0
    hit: int = 0
    unproduced: int = 0
    intruded: int = 0

    @property
    def recall(self) -> float | None:
        return self.right / self.gold if self.gold else None

    @property
    def precision(self) -> float | None:
        return self.right / self.counted if self.counted else None

    @property
    def slot_hit(self) -> float | None:
        return self.hit / self.slots if self.slots else None

    @property
    def f1(self) -> float:
        together = self.gold + self.counted
        return 2 * self.right / together if together else 0.0

    @property
    def intrusion(self) -> float | None:
        return self.intruded / self.unproduced if self.unproduced else None


def read_gold(folder: Path) -> Gold:
    """Read one labelled set. Raises CatalogError where the folder is none."""
    rows = _rows(folder / "gold_edges.csv")
    edges: set[Triple] = set()
    neutral: set[Triple] = set()
    for row in rows:
        if not row.get("param") or row.get("kind") == "propagated":
            continue
        if row.get("core", "yes") != "yes" or row.get("accepted", "yes") != "yes":
            continue
        triple = (row.get("producer", ""), row.get("consumer", ""), row["param"])
        (neutral if row.get("kind") == "ok" else edges).add(triple)
    judged = folder / "slots.csv"
    slots = {(r["consumer"], r["param"]): r["class"] for r in _rows(judged)} if judged.exists() else None
    tools = load_recorded(folder / "tools.json").tools
    return Gold(folder.name, tools, frozenset(edges), frozenset(neutral), slots)


def score(gold: Gold, edges: Iterable[Edge]) -> Score:
    """Score the visible edges among `edges`."""
    predicted = {(edge.producer, edge.consumer, edge.consumes) for edge in edges if not edge.hidden}
    wanted = {(consumer, param) for _, consumer, param in gold.edges}
    if gold.name in CLOSED_WORLDS:
        counted = {t for t in predicted if split_slug(t[0])[0] == split_slug(t[1])[0]}
    elif gold.slots is not None:
        counted = {t for t in predicted if (t[1], t[2]) in gold.slots} - gold.neutral
    else:
        counted = {t for t in predicted if (t[1], t[2]) in wanted}
    right = gold.edges & predicted
    unproduced = {slot for slot, kind in (gold.slots or {}).items() if kind != "produced"}
    return Score(
        name=gold.name,
        gold=len(gold.edges),
        counted=len(counted),
        right=len(right),
        slots=len(wanted),
        hit=len({(consumer, param) for _, consumer, param in right}),
        unproduced=len(unproduced),
        intruded=len({(t[1], t[2]) for t in counted} & unproduced),
    )


def pool(name: str, scores: Sequence[Score]) -> Score:
    """All edges of several sets counted together."""
    return Score(
        name,
        *(
            sum(getattr(score, field) for score in scores)
            for field in ("gold", "counted", "right", "slots", "hit", "unproduced", "intruded")
        ),
    )


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(
            f"cannot read {str(path)!r}; a gold folder holds tools.json and gold_edges.csv"
        ) from error
