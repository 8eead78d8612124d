"""A table as two files of the same rows: `<path>.parquet` for programs, `<path>.json` for people.

The JSON is written first and the Parquet file last: whoever reads, reads Parquet, so a write that is
cut short leaves the old table in force. Where a Parquet file is damaged its JSON twin is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem
from pyarrow.fs import LocalFileSystem as ArrowLocalFileSystem

from atlas_assets.errors import StorageError
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


def write_table(root: DataRoot, path: str, table: pa.Table, form: TableFormat) -> None:
    """Write both files. Raises StorageError where they cannot be written; the old ones then stay."""
    table = form.cast(table)
    root.write_bytes(path + JSON, to_json_bytes(form.rows(table)))
    root.write_bytes(path + PARQUET, parquet_bytes(table))


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
    present = [name for name in names if name in stored]
    missing = tuple(name for name in names if name not in stored)
    problems: list[str] = []
    try:
        table = form.cast(_read_at_once(root, [f"{folder}/{name}{PARQUET}" for name in present], form))
    except (pa.ArrowException, OSError, StorageError):
        # one bad file fails the whole read: find it, and read the others
        tables = []
        for name in present:
            try:
                one, problem = _read(root, f"{folder}/{name}", form)
            except (StorageError, FileNotFoundError) as error:
                problems.append(str(error))
                continue
            tables.append(one)
            if problem:
                problems.append(problem)
        table = pa.concat_tables(tables) if tables else form.schema.empty_table()
    return ManyTables(table, tuple(present), missing, tuple(problems))


def _read_at_once(root: DataRoot, paths: Sequence[str], form: TableFormat) -> pa.Table:
    if not paths:
        return form.schema.empty_table()
    local = isinstance(root.fs, LocalFileSystem)
    filesystem = ArrowLocalFileSystem() if local else PyFileSystem(FSSpecHandler(root.fs))
    full = [root.full(path) for path in paths]
    # the declared schema spares a look into a file; rows come in the order of the names
    return ds.dataset(full, schema=form.schema, format="parquet", filesystem=filesystem).to_table()


def _read(root: DataRoot, path: str, form: TableFormat) -> tuple[pa.Table, str]:
    """The table, and what was amiss with its Parquet file ("" where nothing was)."""
    try:
        data = root.read_bytes(path + PARQUET)
        return form.cast(pq.read_table(pa.BufferReader(data))), ""
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, StorageError):
        try:
            table = form.from_json(root.read_json(path + JSON))
        except (FileNotFoundError, StorageError) as error:
            raise StorageError(
                f"{path + PARQUET!r} in the data folder is damaged, and so is its JSON; "
                "remove both and run again"
            ) from error
        return table, f"{path + PARQUET!r} in the data folder is damaged; read its JSON instead"
