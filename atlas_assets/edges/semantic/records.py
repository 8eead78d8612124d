"""What was asked and answered, kept so that nothing is paid for twice: one JSON file a consumer.

A record holds answers. Each says what it was about: the consumer at its fingerprint, the producers each
at its fingerprint, by which provider, model and prompt version; and what came of it, as claimed. Claims
are checked anew whenever they are read, so a record outlives a change of the rules. An answer is named by
a hash of its question: joining two records is a union, so several writers lose nothing, and a team can
put its records together. No key, header or address is ever in one.
"""

import hashlib
import json
import os
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, cast

from atlas_assets.catalog.tool import Json, JsonObject
from atlas_assets.edges.semantic.reply import Check, Claim, Reply, reply_of
from atlas_assets.errors import StorageError
from atlas_assets.storage.partition_keys import encode_key
from atlas_assets.storage.root import DataRoot

try:
    import fcntl
except ImportError:  # pragma: no cover - no such module on Windows
    fcntl = None  # type: ignore[assignment]

FOLDER = "cache/semantic"
FORMAT = 1
LOCKS = 64
"""Consumers share this many locks, so that several can be written at once."""

AnswerKind = Literal["full", "more", "none"]
"""A first question, one about producers that are new since, or none where the ranker saw no candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and its answer. `producers` maps a slug to its fingerprint when it was asked about."""

    kind: AnswerKind
    provider: str
    model: str
    prompt: str
    consumer_fingerprint: str
    producers: Mapping[str, str] = field(default_factory=dict)
    ranker: str = ""
    claims: tuple[Claim, ...] = ()
    checks: tuple[Check, ...] = ()
    input_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    output_tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def reply(self) -> Reply:
        return Reply(self.claims, self.checks)

    @property
    def id(self) -> str:
        """A hash of what was asked (24 hex digits); the same question has the same id."""
        asked = [
            self.kind,
            self.provider,
            self.model,
            self.prompt,
            self.consumer_fingerprint,
            self.ranker,
            sorted(self.producers.items()),
        ]
        return hashlib.sha256(json.dumps(asked, separators=(",", ":")).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Record:
    """All that was asked about one consumer, sorted by id."""

    consumer: str
    asked: tuple[Asked, ...] = ()

    def joined(self, more: Iterable[Asked]) -> "Record":
        """This record and `more`; of one question asked twice, the answer here stays."""
        by_id = {a.id: a for a in more}
        if not self.asked and len(by_id) == 1:
            return Record(self.consumer, tuple(by_id.values()))
        by_id |= {a.id: a for a in self.asked}
        return Record(self.consumer, tuple(by_id[i] for i in sorted(by_id)))


def record_path(consumer: str) -> str:
    """Where the record of a consumer is, below the data root."""
    return f"{FOLDER}/{encode_key(consumer)}.json"


class RecordStore:
    """The records below a data root. Writing joins with what is there, under a lock on a local disk."""

    def __init__(self, root: DataRoot) -> None:
        self.root = root
        self._threads = [threading.Lock() for _ in range(LOCKS)]

    def read(self, consumer: str) -> Record:
        """The record of a consumer, empty where there is none.

        A damaged file counts as none: it holds only what can be asked again, and is replaced then.
        """
        try:
            value = self.root.read_json(record_path(consumer))
        except (FileNotFoundError, StorageError):
            return Record(consumer)
        record = record_of(value)
        return record if record is not None and record.consumer == consumer else Record(consumer)

    def add(self, consumer: str, asked: Asked) -> Record:
        """Keep one answer; returns the whole record. Raises StorageError."""
        return self.join(Record(consumer, (asked,)))

    def join(self, record: Record) -> Record:
        """Join a record with what is stored of its consumer, and write it if that adds anything."""
        with self._lock(record.consumer):
            stored = self.read(record.consumer)
            joined = stored.joined(record.asked)
            if joined != stored:
                self._write(joined)
        return joined

    def replace(self, record: Record) -> None:
        """Write a record as it is; one without answers is deleted."""
        with self._lock(record.consumer):
            if record.asked:
                self._write(record)
            else:
                self.root.delete(record_path(record.consumer))

    def _write(self, record: Record) -> None:
        # a thousand of these come in a few seconds, and what a power cut takes can be asked again
        self.root.write_bytes(record_path(record.consumer), record_bytes(record), durable=False)

    def all(self) -> Iterator[tuple[str, Record | None]]:
        """File name and record of every file, sorted; None where a file cannot be read."""
        for name in self.root.names(FOLDER, ".json"):
            try:
                yield name, record_of(self.root.read_json(f"{FOLDER}/{name}"))
            except (FileNotFoundError, StorageError):
                yield name, None

    @contextmanager
    def _lock(self, consumer: str) -> Iterator[None]:
        """Alone with a consumer's file, among this machine's threads and processes."""
        number = zlib.crc32(consumer.encode("utf-8", "surrogatepass")) % LOCKS
        with self._threads[number]:
            folder = self.root.local
            if folder is None or fcntl is None:
                yield
                return
            place = folder / FOLDER
            try:
                place.mkdir(parents=True, exist_ok=True)
                handle = os.open(place / f".lock{number}", os.O_CREAT | os.O_RDWR, 0o644)
            except OSError as error:
                raise StorageError(
                    f"cannot write in {FOLDER!r} of the data folder ({error.strerror}); "
                    "set ATLAS_DATA to a folder that can be written"
                ) from error
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                yield
            finally:
                os.close(handle)


def record_bytes(record: Record) -> bytes:
    """A record as a JSON file for people, an edge a line: the same bytes for the same record."""
    value = json_of(record)
    # the C encoder does not indent, and the one that does takes twenty times as long
    answers = [_lines(cast(JsonObject, asked)) for asked in cast(list[Json], value["asked"])]
    head = f'{{\n"consumer": {_plain(value["consumer"])},\n"format": {_plain(value["format"])},\n"asked": [\n'
    text = head + ",\n".join(answers) + "\n]\n}\n"
    return text.encode("utf-8", errors="backslashreplace")


def _lines(value: JsonObject) -> str:
    parts: list[str] = []
    for key in sorted(value):
        entry = value[key]
        if isinstance(entry, list) and entry:
            inside = ",\n  ".join(_plain(item) for item in entry)
            parts.append(f" {_plain(key)}: [\n  {inside}\n ]")
        elif isinstance(entry, dict) and len(entry) > 4:
            inside = json.dumps(entry, ensure_ascii=False, sort_keys=True, separators=(",\n  ", ": "))
            parts.append(f" {_plain(key)}: {{\n  {inside[1:-1]}\n }}")
        else:
            parts.append(f" {_plain(key)}: {_plain(entry)}")
    return "{\n" + ",\n".join(parts) + "\n}"


def _plain(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def json_of(record: Record) -> JsonObject:
    """A record as JSON for people: lists sorted, absent things left out."""
    return {
        "format": FORMAT,
        "consumer": record.consumer,
        "asked": [asked_json(a) for a in record.asked],
    }


def record_of(value: object) -> Record | None:
    """A record read from JSON; None where it is no record. A single damaged answer is left out."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return None
    consumer, asked = value.get("consumer"), value.get("asked")
    if not isinstance(consumer, str) or not isinstance(asked, list):
        return None
    read = (asked_of(a) for a in asked)
    return Record(consumer).joined(a for a in read if a is not None)


def asked_json(asked: Asked) -> JsonObject:
    """One answer as JSON."""
    value: JsonObject = {
        "kind": asked.kind,
        "provider": asked.provider,
        "model": asked.model,
        "prompt": asked.prompt,
        "consumer_fingerprint": asked.consumer_fingerprint,
        "producers": dict(asked.producers),
    }
    if asked.ranker:
        value["ranker"] = asked.ranker
    if asked.kind != "none":
        value["edges"] = [
            {
                "from": c.producer,
                "consumes": c.consumes,
                "path": c.path,
                "confidence": c.confidence,
                "produces": c.produces,
                "reason": c.reason,
            }
            for c in asked.claims
        ]
        value["checked"] = [
            {
                "from": c.producer,
                "consumes": c.consumes,
                "verdict": "doubt" if c.doubted else "confirm",
                "reason": c.reason,
            }
            for c in asked.checks
        ]
        value["tokens"] = {
            "input": asked.input_tokens,
            "cached": asked.cached_tokens,
            "written": asked.written_tokens,
            "output": asked.output_tokens,
        }
    if asked.notes:
        value["notes"] = list(asked.notes)
    return value


def asked_of(value: object) -> Asked | None:
    """One answer read from JSON, None where it is none."""
    if not isinstance(value, dict):
        return None
    texts = {k: value.get(k) for k in ("kind", "provider", "model", "prompt", "consumer_fingerprint")}
    producers = value.get("producers")
    if not all(isinstance(t, str) for t in texts.values()) or not isinstance(producers, dict):
        return None
    if texts["kind"] not in ("full", "more", "none"):
        return None
    reply = reply_of(cast(Json, value))
    if reply is None and texts["kind"] != "none":
        return None
    tokens = value.get("tokens")
    counts = tokens if isinstance(tokens, dict) else {}
    notes = value.get("notes")
    return Asked(
        kind=cast(AnswerKind, texts["kind"]),
        provider=cast(str, texts["provider"]),
        model=cast(str, texts["model"]),
        prompt=cast(str, texts["prompt"]),
        consumer_fingerprint=cast(str, texts["consumer_fingerprint"]),
        producers={str(k): str(v) for k, v in producers.items()},
        ranker=value["ranker"] if isinstance(value.get("ranker"), str) else "",
        claims=reply.claims if reply else (),
        checks=reply.checks if reply else (),
        input_tokens=_count(counts.get("input")),
        cached_tokens=_count(counts.get("cached")),
        written_tokens=_count(counts.get("written")),
        output_tokens=_count(counts.get("output")),
        notes=tuple(str(n) for n in notes) if isinstance(notes, list) else (),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
