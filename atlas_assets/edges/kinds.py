"""The words that tell what sort of value a parameter takes."""

import re

from atlas_assets.edges.producers import Signature
from atlas_assets.edges.words import word_set

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
SAID_ID = re.compile(r"\b(ids?|identifiers?|uuids?|slugs?|arns?)\b", re.I)
LANGUAGE = re.compile(r"\b[a-z]*ql\b|\bcypher\b|\bselector expression", re.I)
_SAID_PATH = re.compile(
    r"^\W*(?:(?:the|a|an|full|absolute|relative|local|source|destination|file|folder|directory|list|array|of|new)\s+)*(?:file\s*|folder\s*|directory\s*)?paths?\b",
    re.I,
)
_SAID_PLACE = re.compile(r"\b(longitude|latitude|lat(?:itude)?\s*[,/]\s*l(?:on|ng)|coordinates)\b", re.I)
_FILE_WORDS = word_set(
    "file path name full local input output source target image directory folder base old new to from of"
)
_ENDS_OF_MOVE = word_set("source destination src dst dest target from to")


def is_path(words: tuple[str, ...], kind: str, text: str, consumer: Signature) -> bool:
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


def is_place(text: str, kind: str, words: tuple[str, ...]) -> bool:
    if PLACES & set(words):
        return True
    return bool(_SAID_PLACE.search(text[:160])) and (
        "array" in kind or "object" in kind or "number" in kind or "position" in words
    )
