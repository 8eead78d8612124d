"""All partitions of an asset in one file, so that 5,000 small ones load in one read.

A Parquet file costs a millisecond to open, however small; its bytes are read in a fraction of that.
So the rows of all partitions are kept together in `cache/partitions/<folder>.arrow`, with the SHA-256
of the file each came from. Only what still has that hash is taken; a file that someone else wrote is
read itself. Nothing depends on the cache: without it every file is read.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from atlas_assets.errors import StorageError
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import TableFormat

_FILE, _HASHES = "__file", b"atlas.hashes"


@dataclass(frozen=True)
class Partitions:
    """The rows of many files, `__file` naming each row's, and the hash of each file."""

    table: pa.Table
    hashes: Mapping[str, str] = field(default_factory=dict)

    def joined(self, form: TableFormat, parts: Mapping[str, tuple[str, pa.Table]]) -> "Partitions":
        """These with `parts` (name to hash and rows) added or put in their place."""
        names = [name for name, (_, rows) in parts.items() for _ in range(rows.num_rows)]
        rows = pa.concat_tables([form.schema.empty_table(), *(rows for _, rows in parts.values())])
        marked = rows.append_column(pa.field(_FILE, pa.string()), pa.array(names, pa.string()))
        return Partitions(
            pa.concat_tables([self._without(parts), marked]),
            {**self.hashes, **{name: text for name, (text, _) in parts.items()}},
        )

    def only(self, hashes: Mapping[str, str]) -> "Partitions":
        """Those whose file still has the hash that `hashes` gives."""
        stale = {name for name, text in self.hashes.items() if hashes.get(name) != text}
        kept = {name: text for name, text in self.hashes.items() if name not in stale}
        return Partitions(self._without(stale), kept)

    def rows(self, names: list[str], form: TableFormat) -> pa.Table:
        """The rows of all, in the order of their files in `names`."""
        return form.cast(_sorted(self.table, pc.index_in(self.table[_FILE], pa.array(names, pa.string()))))

    def _without(self, names: Mapping[str, object] | set[str]) -> pa.Table:
        if not names:
            return self.table
        return self.table.filter(pc.invert(pc.is_in(self.table[_FILE], pa.array(sorted(names), pa.string()))))


def digest(data: bytes) -> str:
    """The hash of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def recall(root: DataRoot, folder: str, form: TableFormat) -> Partitions:
    """What is kept of `folder`; nothing where there is no cache, or it is damaged or of another version."""
    schema = form.schema.append(pa.field(_FILE, pa.string()))
    try:
        stored = pa.ipc.open_file(pa.BufferReader(root.read_bytes(_path(folder)))).read_all()
        hashes = json.loads((stored.schema.metadata or {})[_HASHES])
        return Partitions(stored.replace_schema_metadata(None).cast(schema), dict(hashes))
    except (FileNotFoundError, KeyError, TypeError, ValueError, OSError, pa.ArrowException):
        return Partitions(schema.empty_table())


def keep(root: DataRoot, folder: str, partitions: Partitions) -> None:
    """Write the cache; one that cannot be written is left as it was."""
    table = _sorted(partitions.table, partitions.table[_FILE]).combine_chunks()
    text = json.dumps(dict(partitions.hashes), sort_keys=True)
    table = table.replace_schema_metadata({_HASHES: text.encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    try:
        root.write_bytes(_path(folder), bytes(sink.getvalue()))
    except StorageError:
        return


def _path(folder: str) -> str:
    return f"cache/partitions/{folder}.arrow"


def _sorted(table: pa.Table, by: pa.ChunkedArray) -> pa.Table:
    """Rows sorted by `by`, equal ones in their order."""
    keys = pa.table({"by": by, "row": pa.array(range(table.num_rows), pa.int64())})
    return table.take(pc.sort_indices(keys, [("by", "ascending"), ("row", "ascending")]))
