"""A table as two files of the same rows: `<path>.parquet` for programs, `<path>.json` for people.

The JSON is written first and the Parquet file last: whoever reads, reads Parquet, so a write that is
cut short leaves the old table in force. Where a Parquet file is damaged its JSON twin is read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from atlas_assets.errors import StorageError
from atlas_assets.storage.partition_cache import digest, keep, recall
from atlas_assets.storage.root import DataRoot, to_json_bytes
from atlas_assets.storage.tables import TableFormat

PARQUET = ".parquet"
JSON = ".json"


@dataclass(frozen=True)
class ManyTables:
    """Many stored tables as one: the rows, the names found, those missing, and what was amiss."""

    table: pa.Table
    present: tuple[str, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]


def write_table(root: DataRoot, path: str, table: pa.Table, form: TableFormat) -> bytes:
    """Write both files; the bytes of the Parquet one.

    Raises StorageError where they cannot be written; the old ones then stay.
    """
    table = form.cast(table)
    root.write_bytes(path + JSON, to_json_bytes(form.rows(table)))
    data = parquet_bytes(table)
    root.write_bytes(path + PARQUET, data)
    return data


def parquet_bytes(table: pa.Table) -> bytes:
    """The Parquet file of a table: the same table, the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def read_table(root: DataRoot, path: str, form: TableFormat) -> pa.Table:
    """The table at `path`, from its JSON where the Parquet file is damaged.

    Raises FileNotFoundError where there is none, StorageError where neither file can be read.
    """
    return _read(root, path, form)[0]


def has_table(root: DataRoot, path: str) -> bool:
    """Whether a table was ever written at `path`."""
    return root.exists(path + PARQUET)


def read_tables(root: DataRoot, folder: str, names: Sequence[str], form: TableFormat) -> ManyTables:
    """The tables `names` of `folder`, in one read.

    Names with no file are reported, not an error; a damaged one is read from its JSON twin, and
    reported; where that is damaged too its rows are left out, and that is reported.
    """
    stored = {name.removesuffix(PARQUET) for name in root.names(folder, PARQUET)}
    data = root.read_many({name: f"{folder}/{name}{PARQUET}" for name in names if name in stored})
    hashes = {name: digest(content) for name, content in data.items()}
    known = recall(root, folder, form).only(hashes)
    fresh: dict[str, tuple[str, pa.Table]] = {}
    doubtful: dict[str, tuple[str, pa.Table]] = {}
    problems: list[str] = []
    for name in data:
        if name in known.hashes:
            continue
        try:
            table, problem = _parse(root, f"{folder}/{name}", form, data[name])
        except StorageError as error:
            problems.append(str(error))
            continue
        if problem:
            problems.append(problem)
        (doubtful if problem else fresh)[name] = (hashes[name], table)
    if fresh:
        known = known.joined(form, fresh)
        keep(root, folder, known)
    return ManyTables(
        known.joined(form, doubtful).rows(list(data), form),
        tuple(data),
        tuple(name for name in names if name not in data),
        tuple(problems),
    )


def write_tables(root: DataRoot, folder: str, tables: Mapping[str, pa.Table], form: TableFormat) -> None:
    """Write many tables of one folder, and remember them for the next read of all."""
    written: dict[str, tuple[str, pa.Table]] = {}
    for name, table in tables.items():
        written[name] = (digest(write_table(root, f"{folder}/{name}", table, form)), form.cast(table))
    if written:
        keep(root, folder, recall(root, folder, form).joined(form, written))


def _read(root: DataRoot, path: str, form: TableFormat) -> tuple[pa.Table, str]:
    """The table, and what was amiss with its Parquet file ("" where nothing was)."""
    try:
        data = root.read_bytes(path + PARQUET)
    except StorageError:
        data = b""  # what cannot be read is as good as damaged
    return _parse(root, path, form, data)


def _parse(root: DataRoot, path: str, form: TableFormat, data: bytes) -> tuple[pa.Table, str]:
    """The same, from the bytes of the Parquet file."""
    try:
        return form.cast(pq.read_table(pa.BufferReader(data))), ""
    except (pa.ArrowException, OSError, StorageError):
        try:
            table = form.from_json(root.read_json(path + JSON))
        except (FileNotFoundError, StorageError) as error:
            raise StorageError(
                f"{path + PARQUET!r} in the data folder is damaged, and so is its JSON; "
                "remove both and run again"
            ) from error
        return table, f"{path + PARQUET!r} in the data folder is damaged; read its JSON instead"
