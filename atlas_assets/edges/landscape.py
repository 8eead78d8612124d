"""The landscape: every tool's signature and slots, and where on a server a resource is offered.

Built once for all layers. Offers are indexed by their head word, server by server, so that a slot
meets only the tools that may fill it: cost grows with the tools, never with their pairs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from atlas_assets.catalog.tool import Parameter, Tool
from atlas_assets.edges.mentions import Mention, ToolNames, sources
from atlas_assets.edges.outputs import Offer
from atlas_assets.edges.phrases import Noun, described_arguments
from atlas_assets.edges.producers import Signature, read_signatures
from atlas_assets.edges.slots import SlotSignature, is_identifier_shaped, read_slot
from atlas_assets.edges.vocabulary import DEEDS, ID_SUFFIXES
from atlas_assets.edges.words import singular, singulars, split_words, word_set

MAX_NESTED_SLOTS = 40
"""Required places inside one parameter that become slots of their own."""


class Need(NamedTuple):
    """A resource that a tool requires an identifier of, its parameter, and the identifier's suffix."""

    noun: Noun
    param: str
    suffix: str


@dataclass(slots=True)
class Placed:
    """One tool with its slots: `needs` are the resources its required identifiers name."""

    signature: Signature
    slots: list[SlotSignature] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    required: int = 0

    @property
    def tool(self) -> Tool:
        return self.signature.tool


@dataclass(slots=True)
class ServerView:
    """One server: its tools, and their offers by head word."""

    name: str
    placed: list[Placed]
    names: ToolNames
    offers: dict[str, list[tuple[Placed, Offer]]] = field(default_factory=lambda: defaultdict(list))
    verbs: dict[str, list[Placed]] = field(default_factory=lambda: defaultdict(list))
    deeds: dict[str, list[Placed]] = field(default_factory=lambda: defaultdict(list))
    wild: list[Placed] = field(default_factory=list)
    by_name: dict[str, Placed] = field(default_factory=dict)
    glued: dict[str, tuple[str, str]] = field(default_factory=dict)
    matches: dict[Noun, tuple[bool, list[tuple[Placed, Offer, float]]]] = field(default_factory=dict)
    _known: dict[Noun, float] = field(default_factory=dict)
    _told: dict[str, list[Mention]] = field(default_factory=dict)
    _names: Counter[str] = field(default_factory=Counter)
    _spoken: Counter[str] = field(default_factory=Counter)

    def unglue(self, noun: Noun) -> Noun:
        """`noun` with words that its server also writes apart taken apart."""
        if self.glued.keys().isdisjoint(noun):
            return noun
        return tuple(part for word in noun for part in self.glued.get(word, (word,)))

    def told(self, text: str) -> list[Mention]:
        """Reading tools whose object the text names as the source of a reference."""
        if text in self._told:
            return self._told[text]
        found: list[Mention] = []
        for noun, quote in sources(text):
            for placed, offer in self.offers.get(noun[-1], ()):
                own = placed.signature.noun
                plain = offer.source == "name" and placed.signature.reads and bool(own) and offer.noun == own
                if plain and (ends_with(noun, own) or ends_with(own, noun)):
                    found.append(Mention(placed.tool.name, quote, frozenset(noun), True))
        self._told[text] = found
        return found

    def named(self, word: str) -> int:
        """How many of the server's tools have `word` in their names."""
        if not self._names:
            for placed in self.placed:
                self._names.update(set(singulars(placed.signature.words)))
        return self._names[word]

    def mentioned(self, word: str) -> int:
        """How many of the server's tools speak of `word`."""
        if not self._spoken:
            for placed in self.placed:
                for said in set(
                    singulars(split_words(f"{placed.tool.name} {placed.tool.description[:500]}"))
                ):
                    self._spoken[said] += 1
        return self._spoken[word]

    def known(self, noun: Noun) -> float:
        """The best weight at which a reading tool offers `noun` (exactly, or as what it ends with)."""
        if noun in self._known:
            return self._known[noun]
        best = 0.0
        for placed, offer in self.offers.get(noun[-1], ()):
            if placed.signature.reads and ends_with(offer.noun, noun):
                best = max(best, offer.weight)
        self._known[noun] = best
        return best


def ends_with(noun: Noun, end: Noun) -> bool:
    return len(noun) >= len(end) and noun[len(noun) - len(end) :] == end


@dataclass(slots=True)
class Landscape:
    """All servers' views, by name; tools are in the order of their slugs."""

    servers: dict[str, ServerView]

    def placed(self) -> Iterable[Placed]:
        for name in sorted(self.servers):
            yield from self.servers[name].placed


def survey(tools: Sequence[Tool]) -> Landscape:
    """Read every tool's signature, offers and slots."""
    by_server: dict[str, list[Tool]] = defaultdict(list)
    for tool in sorted(tools, key=lambda tool: tool.slug):
        if tool.status != "removed":
            by_server[tool.server].append(tool)
    return Landscape({name: _view(name, by_server[name]) for name in sorted(by_server)})


def _view(name: str, tools: list[Tool]) -> ServerView:
    view = ServerView(
        name, [Placed(signature) for signature in read_signatures(tools)], ToolNames(t.name for t in tools)
    )
    for placed in view.placed:
        view.by_name[placed.tool.name] = placed
        if placed.signature.wild:
            view.wild.append(placed)
        if placed.signature.verb:
            view.verbs[placed.signature.verb].append(placed)
            if placed.signature.verb in DEEDS:
                view.deeds[DEEDS[placed.signature.verb]].append(placed)
        for offer in placed.signature.offers:
            view.offers[offer.noun[-1]].append((placed, offer))
    view.glued = _glued_words(tools)
    for placed in view.placed:
        for offer in placed.signature.offers:
            apart = view.unglue(offer.noun)
            if apart != offer.noun:
                view.offers[apart[-1]].append(
                    (placed, replace(offer, noun=apart, weight=offer.weight * 0.95))
                )
    for placed in view.placed:
        _read_slots(placed, view)
    return view


def _glued_words(tools: list[Tool]) -> dict[str, tuple[str, str]]:
    """Words of names that are two other words of the same server's names (`sessionhost`)."""
    said = Counter(
        word
        for tool in tools
        for name in (tool.name, *(p.name for p in tool.top_parameters))
        for word in set(singulars(split_words(name)))
    )
    found: dict[str, tuple[str, str]] = {}
    for word in said:
        for at in range(3, len(word) - 2):
            left, right = word[:at], word[at:]
            if left in said and singular(right) in said:
                found[word] = (left, singular(right))
                break
    return found


def _read_slots(placed: Placed, view: ServerView) -> None:
    tool = placed.tool
    undescribed = any(not p.description for p in tool.parameters if p.path is None)
    texts = described_arguments(tool.description) if undescribed else {}
    placed.mentions = view.names.mentions(tool.description, itself=tool.name)
    nested: dict[str, int] = defaultdict(int)
    given = {parameter.name for parameter in tool.parameters if parameter.path is None and parameter.required}
    for parameter in tool.parameters:
        if not _is_slot(parameter):
            continue
        if parameter.path is not None and not parameter.required and parameter.name in given:
            continue
        if parameter.path is not None:
            nested[parameter.name] += 1
            if nested[parameter.name] > MAX_NESTED_SLOTS:
                continue
        text = parameter.description or texts.get(parameter.name, "")
        slot = read_slot(parameter, placed.signature, text, lambda noun: view.known(view.unglue(noun)))
        if any(not view.known(noun) for noun in slot.nouns):
            slot = replace(slot, nouns=tuple(n if view.known(n) else view.unglue(n) for n in slot.nouns))
        wrapped = parameter.path is not None and _is_wrapper(tool, parameter.name)
        if parameter.path is not None and not _counts_inside(slot, wrapped, bool(view.told(text))):
            continue
        if not parameter.required and slot.kind not in ("identifier", "session"):
            continue
        placed.slots.append(slot)
        if parameter.required and parameter.path is None:
            placed.required += 1
            if slot.kind in ("identifier", "position", "session") and slot.nouns:
                named = next((noun for noun in slot.nouns if view.known(noun)), slot.nouns[0])
                placed.needs.append(Need(named, slot.param, slot.suffix))


WRAPPERS = word_set(
    "params parameters request body input inputs args arguments payload options data query props"
)


def _is_wrapper(tool: Tool, name: str) -> bool:
    """Whether one parameter only wraps all the others (`request`, `params`)."""
    return name.lower() in WRAPPERS and len(tool.required_parameters) == 1


def _counts_inside(slot: SlotSignature, wrapped: bool, told: bool) -> bool:
    """Inside a structure only plain identifiers and paths are slots: a `key` there is mostly made up.

    Inside a wrapper all is as at the top; and an author's word for a source always counts.
    """
    if wrapped and slot.path is not None and "." not in slot.path and "[" not in slot.path:
        return True
    return (
        told or slot.kind in ("session", "path") or (slot.kind == "identifier" and slot.suffix in ID_SUFFIXES)
    )


def _is_slot(parameter: Parameter) -> bool:
    if parameter.required:
        return parameter.path is None or "object" not in parameter.type
    if parameter.path is None:
        return is_identifier_shaped(parameter)
    inside = [step for step in parameter.path.replace("[]", "").split(".") if step]
    return len(inside) == 1 and "object" not in parameter.type and is_identifier_shaped(parameter)
