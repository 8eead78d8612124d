"""Tools whose text tries to steer the model, and tools whose text is no longer what was accepted."""

from collections.abc import Iterable
from dataclasses import dataclass

from atlas_assets.catalog.drift import texts_of
from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.semantic.cleaning import steering_attempts


@dataclass(frozen=True, slots=True, order=True)
class Poisoned:
    """One place of a tool's text that looks like an instruction to the model."""

    slug: str
    place: str
    attempt: str
    text: str


def poisoned(tools: Iterable[Tool]) -> tuple[Poisoned, ...]:
    """Every suspicious place, sorted. An honest author may write such words: this warns and drops nothing."""
    return tuple(
        sorted(
            Poisoned(tool.slug, place, attempt, text)
            for tool in tools
            if tool.status != "removed"
            for place, text in texts_of(tool)
            for attempt in steering_attempts(text)
        )
    )
