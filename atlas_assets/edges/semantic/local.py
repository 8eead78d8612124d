"""The built-in provider: semantic edges by rule, with no model and no call. It says so honestly.

Paths, content, addresses, sessions, positions and coordinates have no identifier in common; what
joins them is what tools do. Content, paths and addresses cross servers; the rest stays on one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from atlas_assets.catalog.tool import Tool
from atlas_assets.edges.calibration import HIDE_BELOW
from atlas_assets.edges.edge import Edge, Slot
from atlas_assets.edges.evidence import MAX_PRODUCERS, rank
from atlas_assets.edges.landscape import Landscape, Placed, ServerView, ends_with, survey
from atlas_assets.edges.mentions import by_tool
from atlas_assets.edges.roles import FILE_NOUNS, Role, Roles, roles_of
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import OVERVIEWS
from atlas_assets.edges.words import singulars, split_words, word_set

MAX_FOREIGN = 4
"""Producers on other servers that one slot may get."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One tool that may supply a value, how surely, and why."""

    placed: Placed
    sure: float
    why: str
    quote: str | None = None


def local_edges(
    tools: Sequence[Tool], *, direct: Sequence[Edge], slots: Sequence[Slot]
) -> dict[str, tuple[Edge, ...]]:
    """Semantic edges by consumer slug; consumers without any are left out.

    `direct` are the edges already found, which are not repeated; `slots` restrict the result to
    the slots that are listed.
    """
    wanted = {(slot.consumer, slot.param, slot.path) for slot in slots}
    found: dict[str, list[Edge]] = {}
    for edge in edges_of(survey(tools), direct):
        if (edge.consumer, edge.consumes, edge.path) in wanted:
            found.setdefault(edge.consumer, []).append(edge)
    return {consumer: tuple(found[consumer]) for consumer in sorted(found)}


def edges_of(landscape: Landscape, direct: Sequence[Edge]) -> list[Edge]:
    """Every semantic edge of a landscape, those that `direct` has left out, sorted by key."""
    known = {edge.key for edge in direct}
    field = Field(landscape)
    edges: dict[tuple[str, str, str, str], Edge] = {}
    for server in landscape.servers.values():
        for consumer in server.placed:
            for slot in consumer.slots:
                rule = RULES.get(slot.kind)
                if rule is None:
                    continue
                for guess in _best(rule(slot, consumer, server, field)):
                    edge = _edge(consumer, slot, guess)
                    if edge.key not in known:
                        edges.setdefault(edge.key, edge)
    return [edges[key] for key in sorted(edges)]


class Field:
    """All tools by role: on their own servers, and across servers for what crosses them."""

    def __init__(self, landscape: Landscape) -> None:
        self._roles: dict[str, Roles] = {}
        self._by_server: dict[tuple[str, Role], list[Placed]] = defaultdict(list)
        self._everywhere: dict[Role, list[Placed]] = defaultdict(list)
        for placed in landscape.placed():
            roles = roles_of(placed)
            self._roles[placed.tool.slug] = roles
            for role in roles.roles:
                self._by_server[placed.tool.server, role].append(placed)
                self._everywhere[role].append(placed)

    def roles(self, placed: Placed) -> Roles:
        return self._roles[placed.tool.slug]

    def here(self, server: ServerView, role: Role) -> list[Placed]:
        return self._by_server.get((server.name, role), [])

    def elsewhere(self, server: ServerView, role: Role) -> list[Placed]:
        """Tools of that role on other servers, the simplest first, at most MAX_FOREIGN."""
        found: list[Placed] = []
        for placed in self._everywhere.get(role, []):
            if placed.tool.server != server.name:
                found.append(placed)
        return sorted(found, key=lambda p: (p.required, p.tool.slug))[:MAX_FOREIGN]


Rule = Callable[[SlotSignature, Placed, ServerView, Field], Iterable[Guess]]


def _named(slot: SlotSignature, consumer: Placed, server: ServerView) -> list[Guess]:
    """Tools that the author names for the slot."""
    named = by_tool(
        [
            *server.names.mentions(slot.text, itself=consumer.tool.name),
            *(m for m in consumer.mentions if slot.param in m.sentence),
        ]
    )
    return [
        Guess(
            placed,
            0.85,
            f"The author names {placed.tool.name!r} for {slot.param!r}.",
            named[placed.tool.name].sentence,
        )
        for placed in server.placed
        if placed.tool.name in named and placed is not consumer
    ]


def _path(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    objects = [noun for noun in (*slot.nouns, consumer.signature.noun) if noun and noun[-1] not in FILE_NOUNS]
    owned = False
    for noun in objects:
        for placed, offer in server.offers.get(noun[-1], ()):
            if placed is consumer or not placed.signature.reads or placed.signature.verb_class == "one":
                continue
            if ends_with(offer.noun, noun[-1:]) and offer.weight >= 0.9 and _takes_path(placed):
                owned = True
                yield Guess(
                    placed,
                    0.7,
                    f"{placed.tool.name!r} lists {' '.join(offer.noun)!r}, whose path {slot.param!r} takes.",
                )
    if owned:
        return
    own = [p for p in field.here(server, "files") if p is not consumer]
    for placed in own:
        yield Guess(
            placed, 0.8, f"{placed.tool.name!r} lists files and folders, whose paths {slot.param!r} takes."
        )
    if not own and _local_files(consumer):
        for placed in field.elsewhere(server, "local_files"):
            yield Guess(placed, 0.6, f"{placed.tool.slug!r} lists files, whose paths {slot.param!r} takes.")


def _takes_path(placed: Placed) -> bool:
    """Whether a lister walks a tree of paths itself."""
    return any(slot.kind == "path" for slot in placed.slots) or bool(
        {"path", "tree"} & set(placed.signature.noun)
    )


def _local_files(consumer: Placed) -> bool:
    """Whether a tool's path is one on this machine: nothing remote is named beside it."""
    return not any(slot.kind in ("identifier", "url") and slot.required for slot in consumer.slots)


WRITES = word_set(
    "write create save put append insert add update edit import upload set replace patch modify push "
    "post upsert store"
)


def _content(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    if consumer.signature.verb not in WRITES:
        return
    if not any(s.kind == "path" and s.required for s in consumer.slots):
        yield from _getters(slot, consumer, server)
        return
    getters = list(_getters(slot, consumer, server))
    texts = [p for p in field.here(server, "text") if p is not consumer]
    for placed in texts:
        yield Guess(placed, 0.6, f"{placed.tool.name!r} reads text that {consumer.tool.name!r} writes.")
    if not texts:
        yield from getters
    if (
        slot.kind == "content"
        and slot.suffix in TEXT_PARAMETERS
        and not any(s.kind == "identifier" and s.required for s in consumer.slots)
    ):
        for placed in [*field.here(server, "web_text"), *field.elsewhere(server, "web_text")]:
            yield Guess(
                placed,
                0.5,
                f"{placed.tool.name!r} fetches text from the web that {consumer.tool.name!r} writes.",
            )


TEXT_PARAMETERS = word_set("content contents text data body html markdown document")


def _getters(slot: SlotSignature, consumer: Placed, server: ServerView) -> Iterable[Guess]:
    """The getter of a whole object supplies what its update takes."""
    noun = consumer.signature.noun
    if not noun or consumer.signature.verb_class not in ("change", "make"):
        return
    sure = 0.6 if consumer.signature.verb_class == "change" else 0.4
    for placed, offer in server.offers.get(noun[-1], ()):
        if placed is consumer or not placed.signature.reads or offer.source != "name":
            continue
        if placed.signature.verb_class not in ("one", "find") or not (
            set(placed.signature.noun[-1:]) <= {noun[-1], "content", "detail"}
        ):
            continue
        mine, its = consumer.signature.space[:1], placed.signature.space[:1]
        if offer.noun == noun and mine == its:
            yield Guess(
                placed,
                sure,
                f"{placed.tool.name!r} returns the {' '.join(noun)} that {consumer.tool.name!r} changes.",
            )


def _object(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    yield from _content(slot, consumer, server, field)


def _url(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    if field.roles(consumer).roles & {"web_text", "web_finder"}:
        for placed in [*field.here(server, "web_finder"), *field.elsewhere(server, "web_finder")]:
            if placed is not consumer:
                yield Guess(placed, 0.6, f"{placed.tool.name!r} finds addresses that {slot.param!r} takes.")


def _session(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    mine = _name_words(consumer) - {"session"}
    openers = [p for p in field.here(server, "session") if p is not consumer and not _needs(p, slot)]
    best = max((len(mine & _name_words(p)) for p in openers), default=0)
    joined = [p for p in openers if best and len(mine & _name_words(p)) == best]
    for placed in joined:
        yield Guess(placed, 0.75, f"{placed.tool.name!r} opens the session that {slot.param!r} names.")
        for other, offer in server.offers.get(placed.signature.noun[-1] if placed.signature.noun else "", ()):
            if (
                other.signature.verb_class == "many"
                and offer.source == "name"
                and other.signature.reads
                and not other.required
            ):
                yield Guess(other, 0.7, f"{other.tool.name!r} lists what {placed.tool.name!r} starts.")
    if joined:
        return
    for candidate in rank(slot, consumer, server):
        if candidate.placed.signature.verb_class in ("many", "find", "make", "start", "login"):
            yield Guess(candidate.placed, 0.75, f"{candidate.placed.tool.name!r} returns the {slot.param!r}.")
    if len(openers) == 1:
        yield Guess(openers[0], 0.6, f"{openers[0].tool.name!r} opens the session that {slot.param!r} names.")


def _needs(placed: Placed, slot: SlotSignature) -> bool:
    return any(s.required and s.kind == "session" and s.nouns == slot.nouns for s in placed.slots)


def _name_words(placed: Placed) -> frozenset[str]:
    return frozenset(singulars(split_words(placed.tool.name))) - COMMON_WORDS


COMMON_WORDS = word_set(
    "get list create start stop login user account to the a of and set update delete add view"
)


def _position(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Positions are read off what shows the whole: an info, outline or snapshot tool, or a lister."""
    yield from _named(slot, consumer, server)
    mine = {s.param for s in consumer.slots if s.required}
    noun = slot.nouns[0] if slot.nouns else ()
    before = [s for s in consumer.slots if s.required and s.kind == "position" and s.param != slot.param]
    container = before[0].nouns[0] if before and before[0].param != slot.param else ()
    for placed in server.placed:
        signature = placed.signature
        if placed is consumer or not signature.reads or not signature.noun:
            continue
        needs = {p.name for p in placed.tool.required_parameters}
        if not needs <= mine or slot.param in needs:
            continue
        if signature.noun[-1] in OVERVIEWS:
            about = signature.noun[:-1]
            inside = bool(container) and ends_with(about, container)
            counts = any(s.kind == "position" and s.required for s in placed.slots)
            if inside or not (counts or (container and signature.noun[-1] == "info")):
                yield Guess(
                    placed, 0.6, f"{placed.tool.name!r} shows the whole in which {slot.param!r} counts."
                )
        elif signature.verb_class in ("many", "find") and any(
            noun and offer.noun == noun and offer.weight >= 0.9 for offer in signature.offers
        ):
            yield Guess(
                placed, 0.65, f"{placed.tool.name!r} lists {' '.join(noun)!r}, which {slot.param!r} counts."
            )


def _location(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    for placed in field.here(server, "place"):
        if placed is not consumer and not any(s.kind == "location" and s.required for s in placed.slots):
            yield Guess(
                placed,
                0.65,
                f"{placed.tool.name!r} finds places with the coordinates that {slot.param!r} takes.",
            )


def _query(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    if consumer.signature.verb_class == "find":
        return
    schemas = [p for p in field.here(server, "schema") if p is not consumer]
    mine = set(consumer.signature.noun) | set(consumer.signature.space)
    close = [p for p in schemas if (set(p.signature.noun) | set(p.signature.space)) & mine]
    for placed in close or schemas:
        yield Guess(placed, 0.6, f"{placed.tool.name!r} lists the names that a query in {slot.param!r} uses.")


def _value(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    yield from _named(slot, consumer, server)
    for placed in field.here(server, "now"):
        if placed is consumer:
            continue
        told = field.roles(placed).now
        words = set(slot.param.lower().replace("-", "_").split("_"))
        if told and (told[-1] in words or (slot.kind == "date" and told[-1] in ("date", "time", "datetime"))):
            yield Guess(placed, 0.6, f"{placed.tool.name!r} tells the current {' '.join(told)}.")


def _named_only(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    return _named(slot, consumer, server)


RULES: dict[str, Rule] = {
    "path": _path,
    "content": _content,
    "object": _object,
    "url": _url,
    "session": _session,
    "position": _position,
    "location": _location,
    "query": _query,
    "date": _value,
    "text": _value,
    "enum": _named_only,
    "email": _value,
    "number": _value,
    "search": _value,
}


def _best(guesses: Iterable[Guess]) -> list[Guess]:
    found: dict[str, Guess] = {}
    for guess in guesses:
        old = found.get(guess.placed.tool.slug)
        if old is None or old.sure < guess.sure:
            found[guess.placed.tool.slug] = guess
    return sorted(found.values(), key=lambda g: (-g.sure, g.placed.tool.slug))[:MAX_PRODUCERS]


def _edge(consumer: Placed, slot: SlotSignature, guess: Guess) -> Edge:
    return Edge(
        producer=guess.placed.tool.slug,
        consumer=consumer.tool.slug,
        consumes=slot.param,
        path=slot.path,
        required=slot.required,
        type="semantic",
        layer="local",
        provider="local",
        confidence=guess.sure,
        hidden=guess.sure < HIDE_BELOW,
        reason=guess.why,
        quote=guess.quote,
    )
