"""Who fills a parameter: another tool, a person, or nobody.

A slot's kind is what sort of value it takes; its entity is the resource that the value names. Both
come from the parameter's name, then its description, then its consumer's own object. A name that is
no identifier by itself (`owner`, `table`, `policy_name`) is one where some tool of the server offers
that resource.
"""

from dataclasses import dataclass

from atlas_assets.catalog.tool import Parameter
from atlas_assets.edges.edge import SlotClass
from atlas_assets.edges.entities import (
    CREATING,
    Known,
    Verdict,
    bare_name,
    identifier,
    keyed,
    made_here,
    qualifier_of,
)
from atlas_assets.edges.kinds import (
    CONTENTS,
    CONTROLS,
    DATES,
    LANGUAGE,
    NUMBERS,
    OPENED,
    PATHS,
    POSITIONS,
    QUERIES,
    SAID_ID,
    SESSIONS,
    STATEMENTS,
    TEXTS,
    URLS,
    is_path,
    is_place,
)
from atlas_assets.edges.phrases import Noun, identified
from atlas_assets.edges.producers import Signature
from atlas_assets.edges.vocabulary import ID_SUFFIXES, KEY_SUFFIXES, READERS
from atlas_assets.edges.words import singular, singulars, split_words


@dataclass(frozen=True, slots=True)
class SlotSignature:
    """One parameter as the rules see it; `nouns` are the resources it may name, likeliest first."""

    param: str
    path: str | None
    required: bool
    kind: str
    slot_class: SlotClass
    nouns: tuple[Noun, ...]
    suffix: str
    reason: str
    text: str


def read_slot(parameter: Parameter, consumer: Signature, text: str, known: Known) -> SlotSignature:
    """Classify one parameter of `consumer`; `text` is its description, wherever the author wrote it."""
    name = parameter.name if parameter.path is None else parameter.path.rsplit(".", 1)[-1]
    words = split_words(name.replace("[]", ""))
    if parameter.path is not None and len(words) == 1 and words[0] in ID_SUFFIXES:
        words = (*_container(parameter), *words)
    kind, slot_class, found, suffix, reason = _classify(parameter, words, consumer, text, known)
    return SlotSignature(
        parameter.name, parameter.path, parameter.required, kind, slot_class, found, suffix, reason, text
    )


def _container(parameter: Parameter) -> tuple[str, ...]:
    """What a bare id inside a structure is the id of: `nodes[].id` is a node's."""
    steps = f"{parameter.name}.{parameter.path}".replace("[]", "").split(".")
    inner = [step for step in steps[:-1] if step]
    return singulars(split_words(inner[-1])) if inner else ()


def _classify(
    parameter: Parameter, words: tuple[str, ...], consumer: Signature, text: str, known: Known
) -> Verdict:
    if not words:
        return "text", "user", (), "", "its name says nothing"
    last = words[-1]
    kind = parameter.type
    if parameter.name in CONTROLS or ("_".join(words) in CONTROLS and not text):
        return "control", "none", (), "", f"{parameter.name!r} is a technical parameter"
    if "boolean" in kind and "string" not in kind:
        return "boolean", "user", (), "", "a switch that a person sets"
    if parameter.enum:
        return (
            "enum",
            "user",
            (),
            "",
            "a fixed choice: " + ", ".join(value.strip('"') for value in parameter.enum[:4]),
        )
    if "or" in words[1:]:
        cut = words.index("or", 1)
        ids = [word for word in words if word in ID_SUFFIXES]
        words = words[:cut]
        if ids and words[-1] not in ID_SUFFIXES:
            words = (*(words[:-1] if words[-1] in KEY_SUFFIXES and len(words) > 1 else words), ids[0])
        last = words[-1]
    if consumer.above and parameter.name in consumer.above and (over := consumer.above[parameter.name]):
        qualifier = qualifier_of(words)
        nouns = (qualifier, over) if qualifier and qualifier[-1] != over[-1] else (over,)
        return (
            "identifier",
            "produced",
            nouns,
            singular(last),
            f"it stands behind {' '.join(over)!r} in the path",
        )
    own_id = len(words) == 1 and last in ID_SUFFIXES and consumer.verb in CREATING
    if own_id and all(consumer.noun and noun[-1] == consumer.noun[-1] for noun in identified(text)):
        return "text", "user", (), "", f"it identifies what {consumer.tool.name!r} makes"
    if last in ID_SUFFIXES or words in (("pid",), ("tid",)):
        if len(words) > 1 and words[-2] in ("session", "handle"):
            return (
                "session",
                "produced",
                (singulars(words[:-1]),),
                singular(last),
                "a handle that another call opens",
            )
        return identifier(("process", "id") if words == ("pid",) else words, consumer, text, known)
    if "new" in words and len(words) > 1 and last not in PATHS:
        return "text", "user", (), "", "a new value that a person says"
    if is_place(text, kind, words):
        return "location", "produced", (("place",),), last, "coordinates, as a place finder returns them"
    if words == ("index",) and consumer.noun and "string" not in kind:
        return (
            "position",
            "produced",
            (consumer.noun,),
            "index",
            f"a position among {' '.join(consumer.noun)!r}",
        )
    if last in POSITIONS and len(words) > 1 and "array" not in kind:
        return (
            "position",
            "produced",
            (singulars(words[:-1]),),
            singular(last),
            f"a position: {' '.join(words)!r}",
        )
    if is_path(words, kind, text, consumer):
        return (
            "path",
            "produced",
            (qualifier_of(words),) if len(words) > 1 else (),
            last,
            "a path of a file or folder",
        )
    if last in URLS or parameter.format in ("uri", "url"):
        return (
            "url",
            "produced",
            (qualifier_of(words),) if len(words) > 1 else (),
            last,
            "an address on the web",
        )
    if last in ("timestamp", "ts") and (said := [noun for noun in identified(text) if known(noun)]):
        return (
            "identifier",
            "produced",
            tuple(said),
            "ts",
            f"the timestamp that names a {' '.join(said[0])!r}",
        )
    if parameter.format in ("date", "date-time") or last in DATES:
        return "date", "user", (), last, "a date or time that a person says"
    if last in SESSIONS and "api" not in words and (len(words) == 1 or words[-2] in OPENED):
        return "session", "produced", (singulars(words),), singular(last), "a handle that another call opens"
    if "email" in words or parameter.format == "email":
        return "email", "user", (), "email", "an e-mail address that a person says"
    if made_here(words, consumer):
        return "text", "user", (), "", f"it names what {consumer.tool.name!r} makes"
    if last in KEY_SUFFIXES or (last == "title" and len(words) > 1 and consumer.verb_class in READERS):
        verdict = keyed(words, consumer, text, known)
        if verdict:
            return verdict
    if last in STATEMENTS or (last in QUERIES and LANGUAGE.search(text[:200])):
        return "query", "user", (), last, "a query in a language, written for the purpose"
    if last in QUERIES:
        return "search", "user", (), last, "words to search for"
    bare = singulars(words)
    if not ({"number", "integer"} & set(kind.split("|"))) and not (len(words) == 1 and last in TEXTS):
        verdict = bare_name(bare, consumer, text, known, kind)
        if verdict:
            return verdict
    told = [noun for noun in identified(text) if known(noun) >= 0.8] if SAID_ID.search(text[:100]) else []
    if told and consumer.verb not in CREATING and "object" not in kind:
        what = " ".join(told[0])
        return (
            "identifier",
            "produced",
            tuple(told),
            "id",
            f"its description calls it the identifier of {what!r}",
        )
    if last in CONTENTS:
        return "content", "user", (), last, "content that a person or a reader supplies"
    if last in NUMBERS or {"number", "integer"} & set(kind.split("|")):
        return "number", "user", (), "", "a number that a person says"
    if last in TEXTS or "string" in kind:
        return "text", "user", (), "", "words that a person says"
    return "object", "user", (bare,), "", "a structure that is made for the call"


def is_identifier_shaped(parameter: Parameter) -> bool:
    """Whether an optional parameter's name alone says that it is an identifier."""
    name = parameter.name if parameter.path is None else parameter.path.rsplit(".", 1)[-1]
    words = split_words(name.replace("[]", ""))
    if "or" in words and not ID_SUFFIXES.isdisjoint(words):
        return True
    return bool(words) and (
        words[-1] in ID_SUFFIXES or (words[-1] in ("key", "slug") and len(words) > 1 and words[0] != "api")
    )
