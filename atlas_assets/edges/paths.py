"""Paths, contents and addresses: what listers, readers and web tools supply to each other.

These cross servers: a page that one server fetches is what another writes into a file.
"""

from collections.abc import Iterable

from atlas_assets.edges.field import Field, Guess, named
from atlas_assets.edges.landscape import Placed, ServerView, ends_with
from atlas_assets.edges.ranking import rank
from atlas_assets.edges.roles import DOCUMENT_NOUNS, FILE_NOUNS, takes_path
from atlas_assets.edges.slots import SlotSignature
from atlas_assets.edges.vocabulary import SHELLS, VERBS
from atlas_assets.edges.weights import KEEP
from atlas_assets.edges.words import singulars, split_words, word_set

WRITES = word_set(
    "write create save put append insert add update edit import upload set replace patch modify push "
    "post upsert store"
)
TEXT_PARAMETERS = word_set("content contents text data body html markdown document")


def paths(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Listers of the objects whose path is wanted, else listers of files and folders."""
    yield from named(slot, consumer, server)
    whole = singulars(split_words(slot.param))
    told = [
        placed
        for placed, offer in (server.offers.get(whole[-1], ()) if len(whole) > 1 else ())
        if placed is not consumer
        and placed.signature.reads
        and offer.weight >= 0.9
        and ends_with(offer.noun, whole)
    ]
    for placed in told:
        yield Guess(placed, 0.75, f"{placed.tool.name!r} returns the {' '.join(whole)!r}.")
    if told:
        return
    objects = [noun for noun in (*slot.nouns, consumer.signature.noun) if noun and noun[-1] not in FILE_NOUNS]
    owned = False
    for noun in objects:
        for placed, offer in server.offers.get(noun[-1], ()):
            if placed is consumer or not placed.signature.reads or placed.signature.verb_class == "one":
                continue
            if (
                (noun[-1] in DOCUMENT_NOUNS or (noun in slot.nouns and offer.noun == noun))
                and ends_with(offer.noun, noun[-1:])
                and offer.weight >= 0.9
                and takes_path(placed)
            ):
                owned = True
                what = " ".join(offer.noun)
                yield Guess(
                    placed, 0.7, f"{placed.tool.name!r} lists {what!r}, whose path {slot.param!r} takes."
                )
    if owned and not {"file", "filename", "filepath"} & set(split_words(slot.param)):
        return
    listers = [p for p in field.here(server, "files") if p is not consumer]
    if "files" in field.roles(consumer).roles:
        # a tree of notebooks is not walked with the paths of another tree
        listers = [p for p in listers if _lists_documents(p) == _lists_documents(consumer)]
    own = _of_the_same_store(consumer, server, listers)
    for placed in own:
        yield Guess(
            placed, 0.85, f"{placed.tool.name!r} lists files and folders, whose paths {slot.param!r} takes."
        )
    general = any("local_files" in field.roles(p).roles for p in own)
    if not general and _is_local(consumer):
        for placed in field.elsewhere(server, "local_files"):
            yield Guess(placed, 0.7, f"{placed.tool.slug!r} lists files, whose paths {slot.param!r} takes.")


def _lists_documents(placed: Placed) -> bool:
    return bool(placed.signature.noun) and placed.signature.noun[-1] in DOCUMENT_NOUNS


def _of_the_same_store(consumer: Placed, server: ServerView, listers: list[Placed]) -> list[Placed]:
    """Listers that speak of what the consumer is named after (a workspace, a bucket), where some do."""
    about = {
        word
        for word in singulars(consumer.signature.words)
        if word not in FILE_NOUNS and word not in VERBS and word not in SHELLS and server.named(word) > 1
    }
    near = [
        placed
        for placed in listers
        if about & {*singulars(split_words(f"{placed.tool.name} {placed.tool.description[:160]}"))}
    ]
    return near or listers


def _is_local(consumer: Placed) -> bool:
    """Whether a tool's path is one on this machine: nothing remote is named beside it."""
    return not any(slot.kind in ("identifier", "url") and slot.required for slot in consumer.slots)


def contents(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Getters of the object that is written, readers of text for a file, and web readers."""
    if consumer.signature.verb not in WRITES:
        return
    getters = list(_getters(slot, consumer, server))
    yield from getters
    if not any(s.kind == "path" and s.required for s in consumer.slots):
        return
    if (
        slot.kind == "content"
        and len(split_words(slot.param)) > 1
        and not set(split_words(slot.param)) & FILE_NOUNS
    ):
        return
    noun = consumer.signature.noun
    if not noun or noun[-1] not in FILE_NOUNS | DOCUMENT_NOUNS:
        return
    if not getters or (noun and noun[-1] in FILE_NOUNS):
        for placed in field.here(server, "text"):
            if placed is not consumer:
                yield Guess(
                    placed, 0.6, f"{placed.tool.name!r} reads text that {consumer.tool.name!r} writes."
                )
    remote = any(s.kind == "identifier" and s.required for s in consumer.slots)
    if slot.kind == "content" and slot.suffix in TEXT_PARAMETERS and not remote:
        for placed in [*field.here(server, "web_text"), *field.elsewhere(server, "web_text")]:
            why = f"{placed.tool.name!r} fetches text from the web that {consumer.tool.name!r} writes."
            yield Guess(placed, 0.6, why)


def _getters(slot: SlotSignature, consumer: Placed, server: ServerView) -> Iterable[Guess]:
    """The getter of a whole object supplies what its update takes; without one, its lister."""
    noun = consumer.signature.noun
    signature = consumer.signature
    if not noun or not (signature.verb_class == "change" or signature.verb in ("import", "upload")):
        return
    sure = 0.6 if signature.verb_class == "change" else 0.5
    one: list[Placed] = []
    many: list[Placed] = []
    for placed, offer in server.offers.get(noun[-1], ()):
        its_signature = placed.signature
        if placed is consumer or not its_signature.reads or offer.source != "name" or offer.noun != noun:
            continue
        mine, its = signature.space[:1], its_signature.space[:1]
        near = mine == its or not (mine and its)
        whole = its_signature.noun[-1] in (noun[-1], "content", "detail", "text")
        if near and whole and its_signature.verb_class != "find":
            (many if its_signature.verb_class == "many" else one).append(placed)
    for placed in one or many:
        what = " ".join(noun)
        yield Guess(
            placed, sure, f"{placed.tool.name!r} returns the {what} that {consumer.tool.name!r} changes."
        )


def structures(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """A structure is what a getter of its object, or of what it is named after, returns."""
    yield from named(slot, consumer, server)
    yield from contents(slot, consumer, server, field)
    if consumer.signature.verb_class not in ("change", "one") or not slot.nouns:
        return
    noun = slot.nouns[0]
    getters = [
        placed
        for placed, offer in server.offers.get(noun[-1], ())
        if placed is not consumer and offer.noun == noun and offer.source == "name"
        if placed.signature.reads and placed.signature.verb_class == "one" and placed.signature.noun == noun
    ]
    for placed in getters:
        yield Guess(
            placed, 0.5, f"{placed.tool.name!r} returns the {' '.join(noun)} that {slot.param!r} takes."
        )
    for candidate in () if getters else rank(slot, consumer, server):
        if candidate.placed.signature.reads and candidate.score >= KEEP and not candidate.synonym:
            what = " ".join(slot.nouns[0])
            why = f"{candidate.placed.tool.name!r} returns the {what} that {slot.param!r} takes."
            yield Guess(candidate.placed, 0.5, why)


def addresses(slot: SlotSignature, consumer: Placed, server: ServerView, field: Field) -> Iterable[Guess]:
    """Web searches and maps of sites supply addresses to what reads the web."""
    yield from named(slot, consumer, server)
    if field.roles(consumer).roles & {"web_text", "web_finder"}:
        for placed in [*field.here(server, "web_finder"), *field.elsewhere(server, "web_finder")]:
            if placed is not consumer:
                yield Guess(placed, 0.65, f"{placed.tool.name!r} finds addresses that {slot.param!r} takes.")
