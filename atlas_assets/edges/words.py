"""Words: how a name of any style falls into words, and a word into its singular.

Names come as snake, kebab, camel, Pascal, dotted and mixed, with runs of capitals (`getHTTPLog`,
`userIDs`). Singulars come from the inflection library, with tables for what it gets wrong. (The
inflect library is no better on tools' words, and importing it takes longer than all else here.)
"""

import re
from collections.abc import Iterable
from functools import lru_cache

import inflection


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set: word lists read best as prose."""
    return frozenset(text.split())


_WORD = re.compile(
    r"[A-Z]{2,}s(?![a-z])"  # IDs, URLs
    r"|[A-Z]+(?=[A-Z][a-z])"  # HTTP before Server
    r"|[A-Z]?[a-z]+[0-9]*"
    r"|[A-Z]+[0-9]*"
    r"|[0-9]+"
    r"|[^\W\d_]+",  # words of other scripts
)

_CAMEL_NAMES = re.compile(
    r"OAuth|AddOn|PlugIn|LogIn|SignIn|SignUp|CheckIn|CheckOut|OptIn|OptOut|GraphQL|MySQL|NoSQL|PostgreSQL|JavaScript|TypeScript|WebSocket|iOS|macOS|IPv[46]"
)

_GLUED = re.compile(
    r"(user|account|chat|channel|message|file|folder|document|group|team|project|task|item|order|page|"
    r"session|job|run|issue|ticket|board|card|list|video|image|node|process|log)(name|names|key)"
)
_GLUED_ID = re.compile(r"([a-z]{2,})(uuids?|guids?|ids?)")
_NO_ID = word_set(
    "acid acids aid aids amid android androids arachnid asteroid asteroids avid avoid avoids bid bids braid "
    "candid covid cuboid david druid dividend fluid fluids gid grid grids guid guids horrid humid hybrid "
    "hybrids invalid kid kids lid lids lipid liquid liquids lucid maid mermaid mid morbid orchid overpaid "
    "ovoid paid paranoid pid pids plaid plasmid placid prepaid pyramid pyramids rabid raid raids rapid "
    "rigid sid sids skid slid solid solids sortid squid steroid steroids stupid suicid tepid thyroid tid "
    "torrid trapezoid uid uids unpaid uuid uuids valid vapid vivid void voids repaid aphid centroid "
    "centroids medoid sigmoid reddit iid euclid madrid"
)

_SAME = word_set(
    "access address alias analysis analytics aws basis bus business canvas class compass consensus "
    "corpus cross css data diagnosis dns gas glass goods gps grass https kubernetes lens loss mass "
    "media news os pass plus postgres postgis previous press process progress redis rss sales series "
    "sms stats statistics success synopsis sys tennis this thus tls tos various versus vps windows "
    "works is has was does as us its yes always less across js ts ios s3 metadata"
)
_F_PLURALS = word_set(
    "halves shelves wolves knives lives wives thieves selves loaves calves elves scarves hooves"
)
_IRREGULAR = {
    "logs": "log",
    "children": "child",
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "indices": "index",
    "indexes": "index",
    "vertices": "vertex",
    "matrices": "matrix",
    "appendices": "appendix",
    "criteria": "criterion",
    "schemata": "schema",
    "schemas": "schema",
    "databases": "database",
    "bases": "base",
    "aliases": "alias",
    "statuses": "status",
    "caches": "cache",
    "leaves": "leave",
    "movies": "movie",
    "cookies": "cookie",
    "analyses": "analysis",
    "axes": "axis",
    "canvases": "canvas",
    "releases": "release",
    "focuses": "focus",
    "biases": "bias",
    "ties": "tie",
    "purchases": "purchase",
    "licenses": "license",
    "responses": "response",
    "phases": "phase",
    "cases": "case",
    "courses": "course",
    "expenses": "expense",
    "houses": "house",
    "warehouses": "warehouse",
    "uses": "use",
    "repo": "repository",
    "repos": "repository",
    "org": "organization",
    "orgs": "organization",
    "organisation": "organization",
    "organisations": "organization",
    "env": "environment",
    "envs": "environment",
    "db": "database",
    "dbs": "database",
    "doc": "document",
    "docs": "document",
    "dir": "directory",
    "dirs": "directory",
    "app": "application",
    "apps": "application",
    "config": "configuration",
    "configs": "configuration",
    "param": "parameter",
    "params": "parameter",
    "msg": "message",
    "msgs": "message",
    "img": "image",
    "ns": "namespace",
    "desc": "description",
    "dept": "department",
    "prs": "pr",
    "vms": "vm",
    "kvs": "kv",
    "vpcs": "vpc",
    "pdfs": "pdf",
    "gifs": "gif",
    "ids": "id",
    "uuids": "uuid",
    "urls": "url",
    "uris": "uri",
    "arns": "arn",
}


def split_words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: `getPullRequestIDs` gives get, pull, request, ids."""
    return _split(name)


@lru_cache(maxsize=200_000)
def _split(name: str) -> tuple[str, ...]:
    words: list[str] = []
    name = _CAMEL_NAMES.sub(lambda found: found.group().capitalize(), name)
    for found in _WORD.findall(name):
        word = found.lower()
        glued = _GLUED.fullmatch(word) or (_GLUED_ID.fullmatch(word) if word not in _NO_ID else None)
        words.extend(glued.groups() if glued else (word,))
    return tuple(words)


@lru_cache(maxsize=200_000)
def singular(word: str) -> str:
    """The singular of a lower-case word; a word that is none, or already singular, stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word in _SAME or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ves") and word not in _F_PLURALS:
        return word[:-1]
    return inflection.singularize(word)


def singulars(words: Iterable[str]) -> tuple[str, ...]:
    """Each word's singular."""
    return _singulars(tuple(words))


@lru_cache(maxsize=200_000)
def _singulars(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(singular(word) for word in words)


def is_plural(word: str) -> bool:
    """Whether a word names several of a thing."""
    return singular(word) != word
