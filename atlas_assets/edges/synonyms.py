"""Words of the field that name the same thing on some servers; each pair is true in general.

A synonym is tried only where a server has no tool for the word itself: a server that has both an
issue and a ticket means two things by them.
"""

from collections import defaultdict

from atlas_assets.edges.words import singulars, split_words

SYNONYM_GROUPS: tuple[tuple[str, ...], ...] = (
    ("issue", "ticket", "work item", "task", "story", "bug"),
    ("task", "todo", "to do", "action item"),
    (
        "user",
        "member",
        "person",
        "people",
        "assignee",
        "owner",
        "author",
        "principal",
        "account",
        "profile",
        "reviewer",
        "reporter",
        "creator",
        "participant",
        "employee",
        "collaborator",
        "approver",
        "actor",
    ),
    ("repository", "repo", "project"),
    ("organization", "organisation", "org", "team", "workspace", "company"),
    ("team", "group"),
    ("workspace", "space", "site"),
    ("folder", "directory", "dir"),
    ("document", "doc", "page", "article"),
    ("page", "content"),
    ("file", "document", "attachment"),
    ("attachment", "file", "asset"),
    ("branch", "ref", "head"),
    ("commit", "revision", "sha", "changeset"),
    ("pull request", "pr", "pull", "merge request", "mr"),
    ("message", "mail", "email"),
    ("channel", "conversation", "chat", "room"),
    ("thread", "conversation", "message"),
    ("customer", "contact", "buyer"),
    ("contact", "person", "lead"),
    ("company", "organization", "account"),
    ("event", "meeting", "appointment"),
    ("calendar", "schedule"),
    ("database", "db", "data source"),
    ("table", "collection", "entity", "relation"),
    ("collection", "index", "dataset"),
    ("column", "field", "property", "attribute"),
    ("row", "record", "item", "entry"),
    ("record", "document", "object"),
    ("function", "lambda", "procedure"),
    ("machine", "instance", "vm", "virtual machine", "server", "host", "computer"),
    ("container", "docker"),
    ("job", "task", "run", "build"),
    ("run", "execution", "job"),
    ("workflow", "flow", "pipeline", "automation", "journey"),
    ("workflow", "journey", "automation"),
    ("environment", "env"),
    ("application", "app", "webapp", "service"),
    ("deployment", "release"),
    ("script", "worker"),
    ("product", "sku"),
    ("order", "purchase"),
    ("price", "plan"),
    ("image", "picture", "photo"),
    ("video", "clip"),
    ("song", "track"),
    ("tv", "show", "series"),
    ("label", "tag"),
    ("category", "tag"),
    ("state", "status"),
    ("status", "state"),
    ("comment", "note"),
    ("sprint", "cycle", "iteration"),
    ("parameter", "param", "argument", "variable"),
    ("configuration", "config", "setting"),
    ("subscription", "plan"),
    ("place", "location", "venue"),
    ("permission", "role"),
    ("device", "simulator", "emulator"),
    ("screen", "page"),
    ("element", "node"),
    ("tab", "page", "window"),
    ("warehouse", "bucket"),
    ("bucket", "container"),
    ("stock", "ticker", "symbol"),
    ("paper", "article", "publication"),
    ("model", "engine"),
    ("template", "layout"),
    ("version", "revision"),
    ("domain", "zone"),
    ("key", "token"),
    ("process", "session"),
    ("card", "issue"),
    ("list", "audience", "segment"),
)


def _table() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for group in SYNONYM_GROUPS:
        terms = [singulars(split_words(term)) for term in group]
        for term in terms:
            found[term].update(other for other in terms if other != term)
    return {term: tuple(sorted(others)) for term, others in found.items()}


_SYNONYMS = _table()


def synonyms(noun: tuple[str, ...], *, head: bool = True) -> tuple[tuple[str, ...], ...]:
    """The other words for a resource, or with `head` for its last word."""
    return _SYNONYMS.get(noun) or (_SYNONYMS.get(noun[-1:], ()) if head else ())
