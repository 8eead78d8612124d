"""What a pass will ask: for each consumer nothing, a few new producers, or everything.

An answer of the record counts while its provider, model, prompt version and consumer are the same; it
covers the producers it was asked about at the fingerprints they have now. A consumer without such an
answer is asked in full. One with it is asked about the producers that are new or changed, in a short
question, and about none of them where the ranker sees no candidate among them (which is recorded).
A removed producer costs nothing: claims about it are passed over.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.semantic.cleaning import steering_attempts
from atlas_assets.edges.semantic.prompt import PromptText, Question, ask_about, catalog_block, one_line
from atlas_assets.edges.semantic.records import Asked, Record
from atlas_assets.edges.semantic.shortlist import Shortlists

FINGERPRINT_DIGITS = 16
SHOWN_WARNINGS = 12

PlanKind = Literal["full", "more", "none", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What is to be done about one consumer.

    `kept` are the answers that count already. `producers` are those to ask about, or, where `kind` is
    `none`, those that the ranker leaves out; `left_out` those it leaves out beside a question.
    `question` is None where nothing is asked. `group` names the questions that share a catalog block.
    """

    consumer: Tool
    kind: PlanKind
    found: tuple[Edge, ...]
    kept: tuple[Asked, ...] = ()
    producers: tuple[Tool, ...] = ()
    left_out: tuple[Tool, ...] = ()
    question: Question | None = None
    group: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Planner:
    """Plans the questions of one pass to one provider."""

    tools: Sequence[Tool]
    direct: Sequence[Edge]
    slots: Sequence[Slot]
    text: PromptText
    provider: str
    models: tuple[str, ...]
    shortlists: Shortlists
    prints: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """What the prompt calls a tool, to its slug, where the slug cannot stand on a line as it is."""
    _attempts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _found: dict[str, list[Edge]] = field(default_factory=lambda: defaultdict(list))
    _slots: dict[str, list[Slot]] = field(default_factory=lambda: defaultdict(list))
    _by_slug: dict[str, Tool] = field(default_factory=dict)
    _blocks: dict[tuple[int, ...], "_Shared"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for tool in self.tools:
            self._by_slug[tool.slug] = tool
            self.prints[tool.slug] = tool.fingerprint[:FINGERPRINT_DIGITS]
            self._attempts[tool.slug] = attempts_of(tool)
            if (shown := one_line(tool.slug)) != tool.slug:
                self.names[shown] = tool.slug
        for edge in self.direct:
            self._found[edge.consumer].append(edge)
        for slot in self.slots:
            self._slots[slot.consumer].append(slot)

    def plan(self, consumer: str, record: Record) -> Planned:
        """The plan for one consumer. Raises KeyError for a slug that is in no server's list."""
        tool = self._by_slug[consumer]
        found = tuple(self._found.get(consumer, ()))
        kept = tuple(a for a in record.asked if self._counts(a, tool))
        shown = self.shortlists.shown(tool)
        if not any(a.kind != "none" for a in kept):
            return self._question("full", tool, found, (), shown, ())
        covered = self._covered(kept)
        missing = tuple(p for p in shown if p.slug not in covered and p.slug != consumer)
        likely = tuple(p for p in missing if self.shortlists.likely(tool, p))
        if likely:
            rest = tuple(p for p in missing if p not in likely)
            return self._question("more", tool, found, kept, likely, rest)
        kind: PlanKind = "none" if missing else "kept"
        return Planned(
            consumer=tool,
            kind=kind,
            found=found,
            kept=kept,
            producers=missing,
            warnings=self._warnings(tool, self._suspects_in(kept)),
        )

    def asked(self, planned: Planned, model: str, kind: Literal["full", "more", "none"]) -> Asked:
        """The record's frame for a question of this plan, still without its answer."""
        producers = planned.left_out if kind == "none" and planned.question else planned.producers
        about = dict(self._shared(producers).prints)
        about.pop(planned.consumer.slug, None)
        return Asked(
            kind=kind,
            provider=self.provider,
            model=model,
            prompt=self.text.version,
            consumer_fingerprint=self.prints[planned.consumer.slug],
            producers=about,
            ranker=self.shortlists.version,
        )

    def attempts(self, slug: str) -> tuple[str, ...]:
        """What in a tool's text looks like an instruction to the model."""
        return self._attempts.get(slug, ())

    @property
    def known(self) -> Collection[str]:
        """All slugs of the catalog."""
        return self._by_slug.keys()

    def current(self, asked: Asked) -> set[str]:
        """The producers of an answer that are still as they were when it was given."""
        return {slug for slug, fingerprint in asked.producers.items() if self.prints.get(slug) == fingerprint}

    def _counts(self, asked: Asked, consumer: Tool) -> bool:
        return (
            asked.provider == self.provider
            and asked.model in self.models
            and asked.prompt == self.text.version
            and asked.consumer_fingerprint == self.prints[consumer.slug]
            and (asked.kind != "none" or asked.ranker == self.shortlists.version)
        )

    def _covered(self, kept: Sequence[Asked]) -> set[str]:
        return {slug for asked in kept for slug in self.current(asked)}

    def _suspects_in(self, kept: Sequence[Asked]) -> list[str]:
        slugs = {slug for a in kept if a.kind != "none" for slug in self.current(a)}
        return sorted(slug for slug in slugs if self._attempts[slug])

    def _question(
        self,
        kind: Literal["full", "more"],
        tool: Tool,
        found: tuple[Edge, ...],
        kept: tuple[Asked, ...],
        producers: tuple[Tool, ...],
        left_out: tuple[Tool, ...],
    ) -> Planned:
        shared = self._shared(producers).block
        question = ask_about(
            tool, shared=shared, found=found, slots=self._slots.get(tool.slug, ()), text=self.text
        )
        return Planned(
            consumer=tool,
            kind=kind,
            found=found,
            kept=kept,
            producers=producers,
            left_out=left_out,
            question=question,
            group=shared,
            warnings=self._warnings(tool, self._shared(producers).suspects),
        )

    def _shared(self, producers: tuple[Tool, ...]) -> "_Shared":
        """What all questions that show the same producers have in common, made once."""
        key = tuple(map(id, producers))
        if key not in self._blocks:
            prints = {p.slug: self.prints[p.slug] for p in producers}
            suspects = tuple(slug for slug in sorted(prints) if self._attempts[slug])
            block = catalog_block(producers, self.text, self.shortlists.line)
            self._blocks[key] = _Shared(block, prints, suspects)
        return self._blocks[key]

    def _warnings(self, consumer: Tool, suspects: Sequence[str]) -> tuple[str, ...]:
        slugs = [consumer.slug, *(slug for slug in suspects if slug != consumer.slug)]
        lines = [f"{slug}: {what}" for slug in slugs for what in self.attempts(slug)]
        more = len(lines) - SHOWN_WARNINGS
        return tuple(lines[:SHOWN_WARNINGS]) + ((f"and {more} more",) if more > 0 else ())


@dataclass(frozen=True, slots=True)
class _Shared:
    """What questions about the same producers share: their block, fingerprints, and the suspect ones."""

    block: str
    prints: Mapping[str, str]
    suspects: tuple[str, ...]


def attempts_of(tool: Tool) -> tuple[str, ...]:
    """What in a tool's name, descriptions and parameters looks like an instruction to the model."""
    texts = [tool.name, tool.title, tool.description, *(p.description for p in tool.parameters[:200])]
    texts += [p.name for p in tool.parameters[:200]]
    return tuple(sorted({attempt for text in texts if text for attempt in steering_attempts(text)}))


def by_group(planned: Sequence[Planned]) -> Mapping[str, list[Planned]]:
    """The plans that ask, by the catalog block they share, in the order of their consumers."""
    groups: dict[str, list[Planned]] = defaultdict(list)
    for plan in planned:
        if plan.question is not None:
            groups[plan.group].append(plan)
    return groups
