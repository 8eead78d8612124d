"""The one IO manager: tables of an asset, and tables of its partitions, as Parquet and JSON.

An unpartitioned asset gives and takes `{table name: table}`. A partitioned one gives
`{partition key: table}` for any of the keys of its run, and is taken as one `ManyTables`, whether
there are 0, 1 or 5,000 keys: keys with no file are reported and never an error.
"""

from collections.abc import Mapping, Sequence

import dagster as dg
import pyarrow as pa

from atlas_assets.errors import StorageError
from atlas_assets.storage.layout import PARTITIONS, TABLES
from atlas_assets.storage.parquet_json import ManyTables, read_table, read_tables, write_table, write_tables
from atlas_assets.storage.partition_keys import encode_key, slug_of
from atlas_assets.storage.root import DataRoot
from atlas_assets.storage.tables import TableFormat

Tables = dict[str, pa.Table]


class TableIOManager(dg.IOManager):
    """Reads and writes below one data root, by default the environment's at the time of use."""

    def __init__(self, root: DataRoot | None = None) -> None:
        self._root = root

    @property
    def root(self) -> DataRoot:
        return self._root or DataRoot.from_environment()

    def handle_output(self, context: dg.OutputContext, obj: Tables) -> None:
        """Write the tables. Raises Failure with one line where one does not fit or cannot be written."""
        asset = context.asset_key.path[-1]
        keys = context.asset_partition_keys if context.has_asset_partitions else None
        try:
            if keys is None:
                self.write_asset(asset, obj)
            else:
                strangers = sorted(set(obj) - set(keys))
                if strangers:
                    raise StorageError(f"{asset!r} gave partition {strangers[0]!r}, which its run is not for")
                self.write_partitions(asset, obj)
        except StorageError as error:
            raise dg.Failure(str(error), allow_retries=False) from error

    def load_input(self, context: dg.InputContext) -> Tables | ManyTables:
        """Read the tables. Raises Failure with one line where an unpartitioned asset cannot be read."""
        asset = context.asset_key.path[-1]
        try:
            if asset not in PARTITIONS:
                return self.read_asset(asset)
            keys = context.asset_partition_keys if context.has_asset_partitions else ()
            many = self.read_partitions(asset, keys)
        except StorageError as error:
            raise dg.Failure(str(error), allow_retries=False) from error
        for problem in many.problems:
            context.log.warning(problem)
        if many.missing:
            context.log.warning(
                f"{len(many.missing)} of {len(keys)} partitions of {asset!r} were never "
                f"materialized and count as empty, {many.missing[0]!r} first"
            )
        return many

    def write_asset(self, asset: str, tables: Mapping[str, pa.Table]) -> None:
        """Write every table of an unpartitioned asset."""
        formats = _formats(asset)
        if set(tables) != set(formats):
            raise StorageError(f"{asset!r} has the tables {sorted(formats)}, and was given {sorted(tables)}")
        for name, form in formats.items():
            write_table(self.root, f"{asset}/{name}", tables[name], form)

    def read_asset(self, asset: str) -> Tables:
        """Every table of an unpartitioned asset. Raises StorageError where one is missing."""
        root = self.root
        try:
            return {name: read_table(root, f"{asset}/{name}", form) for name, form in _formats(asset).items()}
        except FileNotFoundError as error:
            raise StorageError(f"{asset!r} has no data yet; materialize it first") from error

    def write_partitions(self, asset: str, tables: Mapping[str, pa.Table]) -> None:
        """Write one table a partition key."""
        named = {encode_key(slug_of(key)): table for key, table in tables.items()}
        write_tables(self.root, asset, named, PARTITIONS[asset])

    def read_partitions(self, asset: str, keys: Sequence[str]) -> ManyTables:
        """The partitions `keys` in one read; `present` and `missing` are partition keys."""
        names = {encode_key(slug_of(key)): key for key in keys}
        many = read_tables(self.root, asset, list(names), PARTITIONS[asset])
        return ManyTables(
            many.table,
            tuple(names[name] for name in many.present),
            tuple(names[name] for name in many.missing),
            many.problems,
        )


def _formats(asset: str) -> dict[str, TableFormat]:
    if asset not in TABLES:
        raise StorageError(f"asset {asset!r} has no declared tables; add it to storage/layout.py")
    return TABLES[asset]
