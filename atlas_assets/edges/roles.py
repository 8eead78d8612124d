"""What a tool is for where no identifier joins it to another: file lister, web reader, schema lister.

Roles are read from verb, object and slots, never from a server's name.
"""

import re
from dataclasses import dataclass
from typing import Literal

from atlas_assets.edges.landscape import Placed
from atlas_assets.edges.phrases import Noun
from atlas_assets.edges.vocabulary import MODIFIERS
from atlas_assets.edges.words import split_words, word_set

Role = Literal["files", "local_files", "text", "web_text", "web_finder", "schema", "place", "now", "session"]

FILE_NOUNS = word_set("file directory folder path")
DOCUMENT_NOUNS = word_set(
    "document notebook image picture photo video audio presentation workbook spreadsheet pdf diagram scene "
    "recording drawing dataset"
)
TEXT_NOUNS = word_set("file content text document page note markdown")
SCHEMA_NOUNS = word_set("table schema column field database label dataset series")
PLACE_NOUNS = word_set("place location geocode coordinate address poi airport city")
WEB_WORDS = re.compile(r"\b(web|internet|website|url|urls|online|site|http|google|search engine)\b", re.I)
NOW_WORDS = word_set("current system now today my local")
SESSION_WORDS = word_set("session login token process")
_FILES = re.compile(r"\b(files?|director(y|ies)|folders?)\b", re.I)
_FINDS_URLS = re.compile(r"\b(discover|find|list|map)\w* (all )?(\w+ )?(urls|links)\b", re.I)
READING_VERBS = word_set("read get load view cat export")
_BINARY = re.compile(r"\b(image|audio|video|media|binary|base64|screenshot|pdf)\b", re.I)


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of one tool; `now` is the value that a tool without required parameters tells."""

    roles: frozenset[Role]
    now: Noun = ()


def roles_of(placed: Placed) -> Roles:
    """The roles that a tool's words and slots give it."""
    signature, tool = placed.signature, placed.tool
    found: set[Role] = set()
    kinds = {slot.kind for slot in placed.slots if slot.required}
    heads = {offer.noun[-1]: offer.weight for offer in reversed(signature.offers) if offer.source != "output"}
    strong = {
        offer.noun[-1]
        for offer in signature.offers
        if offer.weight >= 0.7 and offer.source != "output" and _is_plain(offer.noun)
    }
    plainly = {
        offer.noun[-1]
        for offer in signature.offers
        if offer.weight >= 0.85
        and offer.source != "output"
        and len(offer.noun) <= 3
        and _is_plain(offer.noun)
    }
    words = set(signature.noun) | set(signature.space)
    now: Noun = ()
    if signature.reads:
        documents = heads.keys() & DOCUMENT_NOUNS and signature.verb_class == "many" and takes_path(placed)
        lists = signature.verb_class in ("many", "find") or bool({"tree", "listing"} & set(signature.noun))
        if documents:
            found.add("files")
        listed = FILE_NOUNS | {"code"} if signature.verb_class == "find" else FILE_NOUNS
        if lists and listed & plainly:
            found.add("files")
            if not kinds & {"identifier", "url"}:
                found.add("local_files")
        if "path" in kinds and "files" not in found and _reads_text(placed, strong):
            found.add("text")
        maps = bool(_FINDS_URLS.search(tool.description[:300]))
        open_world = tool.hint("openWorldHint") is not False
        if "url" in kinds and open_world and signature.verb_class != "find" and "identifier" not in kinds:
            found.add("web_finder" if maps else "web_text")
        if (
            signature.verb_class in ("find", "many")
            and WEB_WORDS.search(tool.description[:200])
            and (
                strong & {"url", "link", "website", "news"}
                or (signature.verb_class == "find" and (kinds == {"search"} or "url" in kinds))
                or (signature.verb_class == "find" and strong & {"web", "result", "site", "page"})
            )
        ):
            found.add("web_finder")
        if strong & SCHEMA_NOUNS and signature.verb_class in ("many", "one"):
            found.add("schema")
        if (strong & PLACE_NOUNS and signature.verb_class in ("find", "many")) or signature.verb == "geocode":
            found.add("place")
        if not placed.required and signature.verb_class in ("one", "many") and words & NOW_WORDS:
            now = tuple(word for word in signature.noun if word not in NOW_WORDS)
            if now:
                found.add("now")
        if (
            not placed.required
            and set(tool.name.lower().replace("-", "_").split("_")) & NOW_WORDS
            and signature.noun
        ):
            now = tuple(word for word in signature.noun if word not in NOW_WORDS) or signature.noun
            found.add("now")
    if (
        signature.noun[-1:] == ("search",)
        and kinds <= {"path", "search", "text"}
        and "path" in kinds
        and _FILES.search(tool.description)
    ):
        found.update(("files", "local_files"))
    if signature.verb_class in ("login", "start", "make") and (
        signature.verb_class == "login"
        or set(signature.noun) & SESSION_WORDS
        or signature.verb_class == "start"
    ):
        found.add("session")
    if {"login", "signin"} & set(signature.noun):
        found.add("session")
    return Roles(frozenset(found), now)


def _is_plain(noun: Noun) -> bool:
    """A mail folder is no folder of files: what names a folder must not be another thing's."""
    return noun[-1] not in ("folder", "directory") or all(
        w in MODIFIERS or w in FILE_NOUNS for w in noun[:-1]
    )


def takes_path(placed: Placed) -> bool:
    """Whether a tool walks a tree of paths."""
    words = {word for p in placed.tool.top_parameters for word in split_words(p.name)}
    return bool(
        words & {"path", "directory", "folder", "dir"} or {"path", "tree"} & set(placed.signature.noun)
    )


def _reads_text(placed: Placed, strong: set[str]) -> bool:
    signature = placed.signature
    words = {*signature.noun, *signature.space}
    return (
        (signature.verb in READING_VERBS or "read" in words)
        and bool((strong | words) & TEXT_NOUNS)
        and "info" not in words
        and not _BINARY.search(placed.tool.description[:80])
    )
