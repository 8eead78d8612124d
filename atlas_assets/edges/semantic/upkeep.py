"""Records looked after: what they hold, what no pass can use any more, and sharing them.

A bundle is one JSON file with many records. Reading one in is a union with what is there, so a team can
put together what each member paid for, in any order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from atlas_assets.catalog.tool import Json, JsonObject, Tool
from atlas_assets.edges.semantic.plan import FINGERPRINT_DIGITS
from atlas_assets.edges.semantic.records import FOLDER, Asked, Record, RecordStore, json_of, record_of
from atlas_assets.errors import StorageError
from atlas_assets.storage.root import DataRoot

BUNDLE = "mcp-atlas semantic records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What is kept of one consumer from one provider's model and prompt version."""

    consumer: str
    provider: str
    model: str
    prompt: str
    answers: int
    producers: int
    claims: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning takes away: answers by consumer, and files that cannot be read."""

    answers: Mapping[str, int]
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What a bundle brought: answers that are new, answers that were there, and entries that are none."""

    new: int
    known: int
    refused: int


def holdings(store: RecordStore) -> tuple[tuple[Holding, ...], tuple[str, ...]]:
    """All that is kept, sorted, and the names of files that cannot be read."""
    found: list[Holding] = []
    damaged: list[str] = []
    for name, record in store.all():
        if record is None:
            damaged.append(name)
            continue
        groups: dict[tuple[str, str, str], list[Asked]] = {}
        for asked in record.asked:
            groups.setdefault((asked.provider, asked.model, asked.prompt), []).append(asked)
        for (provider, model, prompt), group in sorted(groups.items()):
            found.append(
                Holding(
                    consumer=record.consumer,
                    provider=provider,
                    model=model,
                    prompt=prompt,
                    answers=sum(a.kind != "none" for a in group),
                    producers=len({slug for a in group if a.kind != "none" for slug in a.producers}),
                    claims=sum(len(a.claims) for a in group),
                    input_tokens=sum(a.input_tokens for a in group),
                    output_tokens=sum(a.output_tokens for a in group),
                )
            )
    return tuple(sorted(found, key=lambda h: (h.consumer, h.provider, h.model, h.prompt))), tuple(damaged)


def prune(
    store: RecordStore, tools: Sequence[Tool], *, prompt: str | None = None, dry_run: bool = False
) -> Pruned:
    """Take away what no pass over this catalog can use: consumers gone or changed, damaged files.

    With `prompt` also what another version of the prompt was answered. A server that is down keeps its
    tools in the catalog, and so its records.
    """
    prints = {t.slug: t.fingerprint[:FINGERPRINT_DIGITS] for t in tools if t.status != "removed"}
    removed: dict[str, int] = {}
    damaged: list[str] = []
    for name, record in list(store.all()):
        if record is None:
            damaged.append(name)
            if not dry_run:
                store.root.delete(f"{FOLDER}/{name}")
            continue
        kept = tuple(
            asked
            for asked in record.asked
            if asked.consumer_fingerprint == prints.get(record.consumer)
            and (prompt is None or asked.prompt == prompt)
        )
        if len(kept) < len(record.asked):
            removed[record.consumer] = len(record.asked) - len(kept)
            if not dry_run:
                store.replace(Record(record.consumer, kept))
    return Pruned(dict(sorted(removed.items())), tuple(damaged))


def export_records(store: RecordStore, file: Path) -> int:
    """Write all records into one bundle, atomically; returns how many. Raises StorageError."""
    records: list[Json] = [json_of(record) for _, record in store.all() if record is not None]
    bundle: JsonObject = {"bundle": BUNDLE, "records": records}
    DataRoot(str(file.absolute().parent)).write_json(file.name, bundle)
    return len(records)


def import_records(store: RecordStore, file: Path) -> Imported:
    """Join a bundle's records with those that are here. Raises StorageError where it is no bundle."""
    try:
        value = DataRoot(str(file.absolute().parent)).read_json(file.name)
    except OSError as error:
        raise StorageError(f"cannot read {str(file)!r} ({error.strerror}); name an exported file") from error
    except StorageError as error:
        raise StorageError(f"{str(file)!r} is damaged; export it again") from error
    records = value.get("records") if isinstance(value, dict) else None
    if not isinstance(records, list) or value.get("bundle") != BUNDLE:
        raise StorageError(f"{str(file)!r} holds no records; name a file that `atlas cache export` wrote")
    new = known = refused = 0
    for entry in records:
        record = record_of(entry)
        if record is None:
            refused += 1
            continue
        refused += len(entry["asked"]) - len(record.asked)
        before = {asked.id for asked in store.read(record.consumer).asked}
        store.join(record)
        known += sum(asked.id in before for asked in record.asked)
        new += sum(asked.id not in before for asked in record.asked)
    return Imported(new, known, refused)
