"""Edges that a person asserts: `edges.manual.json` in the data folder.

    {"edges": [{"from": "crm::find_contact", "to": "mail::send_mail", "consumes": "to",
                "reason": "the address of the contact"}]}

or just the list. `path`, `confidence` (1 by default) and `reason` may be left out. An entry that
cannot be read is reported, the others count.
"""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from atlas_assets.catalog.tool import split_slug
from atlas_assets.edges.edge import Edge
from atlas_assets.errors import CatalogError, StorageError
from atlas_assets.storage.root import DataRoot

MANUAL_FILE = "edges.manual.json"


@dataclass(frozen=True, slots=True)
class Manual:
    """The edges of the file, sorted, and one line for each entry that could not be read."""

    edges: tuple[Edge, ...]
    problems: tuple[str, ...]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore")

    producer: str = Field(alias="from")
    consumer: str = Field(alias="to")
    consumes: str = Field(min_length=1)
    path: str | None = None
    confidence: float = Field(default=1.0, ge=0, le=1)
    reason: str = ""


def read_manual(root: DataRoot) -> Manual:
    """The asserted edges; none where there is no file. Raises StorageError for a file that is no list."""
    try:
        data = root.read_json(MANUAL_FILE)
    except FileNotFoundError:
        return Manual((), ())
    except StorageError as error:
        if isinstance(error.__cause__, OSError):
            raise
        raise StorageError(f"{MANUAL_FILE} is not valid JSON; correct it or move it away") from error
    entries = data.get("edges") if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise StorageError(
            f'{MANUAL_FILE} has no list of edges; write {{"edges": [{{"from", "to", "consumes"}}]}}'
        )
    edges: dict[tuple[str, str, str, str], Edge] = {}
    problems: list[str] = []
    for number, raw in enumerate(entries, start=1):
        try:
            entry = _Entry.model_validate(raw)
            split_slug(entry.producer), split_slug(entry.consumer)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(p) for p in first["loc"]) or "entry"
            problems.append(f"{MANUAL_FILE}: entry {number}: {place}: {first['msg']}")
        except CatalogError as error:
            problems.append(f"{MANUAL_FILE}: entry {number}: {error}")
        else:
            edge = Edge(
                producer=entry.producer,
                consumer=entry.consumer,
                consumes=entry.consumes,
                path=entry.path or None,
                type="manual",
                layer="person",
                provider="person",
                confidence=entry.confidence,
                reason=entry.reason or "A person asserted this edge.",
            )
            edges.setdefault(edge.key, edge)
    return Manual(tuple(edges[key] for key in sorted(edges)), tuple(problems))
