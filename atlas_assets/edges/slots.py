"""Who fills a parameter: another tool, a person, or nobody.

A slot's kind is what sort of value it takes; its entity is the resource that the value names. Both
come from the parameter's name, then its description, then its consumer's own object. A name that is
no identifier by itself (`owner`, `table`, `policy_name`) is one where some tool of the server offers
that resource.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from atlas_assets.catalog.tool import Parameter
from atlas_assets.edges.edge import SlotClass
from atlas_assets.edges.phrases import Noun, identified, identified_of, nouns
from atlas_assets.edges.producers import Signature
from atlas_assets.edges.synonyms import synonyms
from atlas_assets.edges.vocabulary import (
    ATTRIBUTES,
    DETERMINERS,
    ID_SUFFIXES,
    KEY_SUFFIXES,
    MODIFIERS,
    READERS,
)
from atlas_assets.edges.words import is_plural, singular, singulars, split_words, word_set

PATHS = word_set(
    "path paths file files filename filenames filepath filepaths directory dir folder directories dirs"
)
URLS = word_set("url urls uri uris link links href website webpage")
POSITIONS = word_set("index indices idx position positions pos row col column line offset cell")
DATES = word_set("date dates time datetime timestamp day month year since until at deadline when")
QUERIES = word_set(
    "query queries q search keyword keywords term terms pattern regex expression filter filters"
)
STATEMENTS = word_set("sql statement cql gql graphql promql jql soql kql cypher mql aql hql query_string")
CONTENTS = word_set("content contents body html markdown data text document payload source code file base64")
TEXTS = word_set(
    "title message description comment summary text prompt note notes label caption subject reason "
    "question instruction instructions topic content body name bio headline feedback answer reply "
    "intent explanation rationale thought display word words phrase region language locale lang color colour "
    "style tone format mode password secret value values reaction emoji rating score command script "
    "input purpose goal"
)
NUMBERS = word_set(
    "limit count size amount max min width height duration timeout quantity port page per_page depth "
    "length radius percent percentage price total seconds minutes hours days ms top k n zoom replicas "
    "threshold temperature steps step level interval budget weight age number opacity volume bpm "
    "tempo speed"
)
PLACES = word_set("latitude longitude lat lon lng latlng coordinates coordinate geo")
CONTROLS = word_set("ctx context dummy random_string random placeholder noop unused")
OPENED = word_set("session auth access login bearer user refresh connection")
SESSIONS = word_set("session sessionid token handle")

Known = Callable[[Noun], float]
"""How surely some reading tool of the consumer's server offers a resource, 0 where none does."""


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


_Verdict = tuple[str, SlotClass, tuple[Noun, ...], str, str]


def _classify(
    parameter: Parameter, words: tuple[str, ...], consumer: Signature, text: str, known: Known
) -> _Verdict:
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
        qualifier = _qualifier(words)
        nouns = (qualifier, over) if qualifier and qualifier[-1] != over[-1] else (over,)
        return (
            "identifier",
            "produced",
            nouns,
            singular(last),
            f"it stands behind {' '.join(over)!r} in the path",
        )
    if last in ID_SUFFIXES or words in (("pid",), ("tid",)):
        if len(words) > 1 and words[-2] in ("session", "handle"):
            return (
                "session",
                "produced",
                (singulars(words[:-1]),),
                singular(last),
                "a handle that another call opens",
            )
        return _identifier(("process", "id") if words == ("pid",) else words, consumer, text, known)
    if "new" in words and len(words) > 1 and last not in PATHS:
        return "text", "user", (), "", "a new value that a person says"
    if _is_place(text, kind, words):
        return "location", "produced", (("place",),), last, "coordinates, as a place finder returns them"
    if words == ("index",) and consumer.noun:
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
    if _is_path(words, kind, text, consumer):
        return (
            "path",
            "produced",
            (_qualifier(words),) if len(words) > 1 else (),
            last,
            "a path of a file or folder",
        )
    if last in URLS or parameter.format in ("uri", "url"):
        return (
            "url",
            "produced",
            (_qualifier(words),) if len(words) > 1 else (),
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
    if _made_here(words, consumer):
        return "text", "user", (), "", f"it names what {consumer.tool.name!r} makes"
    if last in KEY_SUFFIXES or (last == "title" and len(words) > 1 and consumer.verb_class in READERS):
        verdict = _keyed(words, consumer, text, known)
        if verdict:
            return verdict
    if last in STATEMENTS or (last in QUERIES and _LANGUAGE.search(text[:200])):
        return "query", "user", (), last, "a query in a language, written for the purpose"
    if last in QUERIES:
        return "search", "user", (), last, "words to search for"
    bare = singulars(words)
    if not ({"number", "integer"} & set(kind.split("|"))) and not (len(words) == 1 and last in TEXTS):
        verdict = _bare(bare, consumer, text, known, kind)
        if verdict:
            return verdict
    told = [noun for noun in identified(text) if known(noun) >= 0.8] if _SAID_ID.search(text[:100]) else []
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


_SAID_ID = re.compile(r"\b(ids?|identifiers?|uuids?|slugs?|arns?)\b", re.I)
_LANGUAGE = re.compile(r"\b[a-z]*ql\b|\bcypher\b|\bselector expression", re.I)
_SAID_PATH = re.compile(
    r"^\W*(?:(?:the|a|an|full|absolute|relative|local|source|destination|file|folder|directory|list|array|of|new)\s+)*(?:file\s*|folder\s*|directory\s*)?paths?\b",
    re.I,
)
_SAID_PLACE = re.compile(r"\b(longitude|latitude|lat(?:itude)?\s*[,/]\s*l(?:on|ng)|coordinates)\b", re.I)
_FILE_WORDS = word_set(
    "file path name full local input output source target image directory folder base old new to from of"
)
_ENDS_OF_MOVE = word_set("source destination src dst dest target from to")


def _is_path(words: tuple[str, ...], kind: str, text: str, consumer: Signature) -> bool:
    last = words[-1]
    if "object" in kind or {"number", "integer"} & set(kind.split("|")):
        return False
    if last in PATHS:
        return True
    if last in ("name", "names") and set(words) <= _FILE_WORDS and "file" in words:
        return True
    if (
        words[-1] in _ENDS_OF_MOVE
        and consumer.noun
        and consumer.noun[-1] in ("file", "directory", "folder", "path")
    ):
        return True
    return last not in CONTENTS and bool(_SAID_PATH.match(text))


def _is_place(text: str, kind: str, words: tuple[str, ...]) -> bool:
    if PLACES & set(words):
        return True
    return bool(_SAID_PLACE.search(text[:160])) and (
        "array" in kind or "object" in kind or "number" in kind or "position" in words
    )


def _qualifier(words: tuple[str, ...]) -> Noun:
    return singulars(words[:-1])


def _identifier(words: tuple[str, ...], consumer: Signature, text: str, known: Known) -> _Verdict:
    suffix = singular(words[-1])
    own = _qualifier(words)
    while own and own[-1] in ID_SUFFIXES and len(own) > 1:
        own = own[:-1]
    said = identified(text)
    candidates: list[Noun] = []
    bare = tuple(word for word in own if word not in MODIFIERS)
    if own and bare:
        candidates.append(own)
        if bare != own:
            candidates.append(bare)
        candidates.extend(noun for noun in said if noun[-1] == bare[-1])
        told = [noun for noun in identified_of(text) if known(noun)]
        if bare[-1] in VAGUE:
            candidates = [*told, *candidates]
        elif not known(own) and not known(bare):
            candidates.extend(told)
    else:
        candidates.extend([*said, own] if own and "parent" in own else [own, *said])
        candidates.extend(_own_nouns(consumer))
        candidates = [noun for noun in candidates if not (len(noun) == 1 and noun[0] in DETERMINERS)]
    candidates = [noun for noun in dict.fromkeys(candidates) if noun]
    what = " ".join(candidates[0]) if candidates else ""
    return (
        "identifier",
        "produced",
        tuple(candidates),
        suffix,
        f"an identifier of {what!r}" if what else "an identifier",
    )


def _own_nouns(consumer: Signature) -> list[Noun]:
    """What a bare `id` may name: the consumer's object, or what holds it.

    The holder comes first for a lister, and where another parameter names the object itself.
    """
    noun = consumer.noun
    inner = [noun] if noun else []
    holders = [noun[:-1]] if len(noun) > 1 else []
    if consumer.space:
        holders.append(singulars(consumer.space))
    qualified = noun and any(
        len(words := singulars(split_words(p.name))) > 1
        and words[-1] in ID_SUFFIXES
        and words[:-1][-1] == noun[-1]
        for p in consumer.tool.required_parameters
    )
    if consumer.verb_class == "change" and not qualified and noun and noun[-1] not in ATTRIBUTES:
        return inner
    return holders + inner if qualified or consumer.verb_class == "many" else inner + holders


CREATING = word_set("create new make register provision draft define rename init")


def _made_here(words: tuple[str, ...], consumer: Signature) -> bool:
    """Whether the parameter names the thing that the consumer makes (`name` of `create_group`)."""
    if consumer.verb == "rename" and any("new" in split_words(p.name) for p in consumer.tool.top_parameters):
        return False
    if consumer.verb not in CREATING:
        return False
    if words[-1] not in KEY_SUFFIXES and not (consumer.noun and singulars(words) == consumer.noun):
        return False
    qualifier = singulars(words[:-1]) if words[-1] in KEY_SUFFIXES else singulars(words)
    if not qualifier or "new" in words:
        return True
    return (
        bool(consumer.noun)
        and qualifier[-1] == consumer.noun[-1]
        and words[-1] in ("name", "slug", "key", "title")
    ) or (singulars(words) == consumer.noun)


def _keyed(words: tuple[str, ...], consumer: Signature, text: str, known: Known) -> _Verdict | None:
    suffix = singular(words[-1])
    qualifier = _qualifier(words)
    if "new" in words:
        return None
    if qualifier and not all(w in MODIFIERS for w in qualifier):
        said = [
            noun
            for noun in identified(text)
            if noun[-1] == qualifier[-1] or all(w in MODIFIERS for w in qualifier)
        ]
        options = [qualifier, tuple(w for w in qualifier if w not in MODIFIERS), *said]
    elif suffix in ("name", "key", "slug", "number", "username", "login", "code", "hash", "sha", "ref", "ts"):
        if consumer.verb in CREATING | {"add", "set"} or (
            consumer.noun and consumer.noun[-1] in ("name", "title")
        ):
            return None
        options = [*identified(text), *_own_nouns(consumer)]
    else:
        return None
    found = [noun for noun in dict.fromkeys(options) if noun and known(noun)]
    if not found and qualifier:
        found = [other for noun in options for other in synonyms(noun) if known(other) >= 0.75][:2]
    if not found:
        return None
    return (
        "identifier",
        "produced",
        tuple(found),
        suffix,
        f"the {suffix} of {' '.join(found[0])!r}, which a tool returns",
    )


VAGUE = word_set("object item ref reference resource entity thing target subject")


def _bare(noun: Noun, consumer: Signature, text: str, known: Known, kind: str) -> _Verdict | None:
    """A name without a suffix that is a resource of the server (`repo`, `account`, `issues`)."""
    if "object" in kind or noun[-1] in (
        "field",
        "property",
        "value",
        "attribute",
        "setting",
        "option",
        "data",
    ):
        return None
    options = [noun, tuple(w for w in noun if w not in MODIFIERS)]
    found = [what for what in dict.fromkeys(options) if what and known(what) >= 0.8]
    if not found and text and all(w in MODIFIERS or w in VAGUE for w in noun):
        found = [
            what for part in re.split(r"[(;:]", text[:160]) for what in nouns(part) if known(what) >= 0.8
        ][:3]
    if not found and text:
        said = set(singulars(split_words(text[:200])))
        found = [
            other
            for what in options
            for other in synonyms(what)
            if other[-1] in said and other[-1] not in what and known(other) >= 0.8
        ][:2]
    if not found:
        return None
    return (
        "identifier",
        "produced",
        tuple(found),
        "",
        f"{' '.join(found[0])!r} is a resource that a tool returns",
    )


def is_identifier_shaped(parameter: Parameter) -> bool:
    """Whether an optional parameter's name alone says that it is an identifier."""
    name = parameter.name if parameter.path is None else parameter.path.rsplit(".", 1)[-1]
    words = split_words(name.replace("[]", ""))
    if "or" in words and not ID_SUFFIXES.isdisjoint(words):
        return True
    return bool(words) and (
        words[-1] in ID_SUFFIXES or (words[-1] in ("key", "slug") and len(words) > 1 and words[0] != "api")
    )


def plural_parameter(name: str) -> bool:
    """Whether a parameter takes several values."""
    words = split_words(name)
    return bool(words) and is_plural(words[-1])
