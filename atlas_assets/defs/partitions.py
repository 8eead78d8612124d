"""The dynamic partitions of `semantic_edges`: one a consumer, in step with the catalog."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import dagster as dg

from atlas_assets.storage.partition_keys import partition_key

PARTITIONS_NAME = "consumer"

consumer_partitions = dg.DynamicPartitionsDefinition(name=PARTITIONS_NAME)


@dataclass(frozen=True)
class PartitionChange:
    """The partition keys that a catalog brought and ended, each sorted."""

    added: tuple[str, ...]
    retired: tuple[str, ...]


def sync_partitions(instance: dg.DagsterInstance, consumers: Iterable[str]) -> PartitionChange:
    """Make the partition keys those of `consumers` (slugs).

    A key that stays is not touched: Dagster keeps keys in the order of insertion, and a key that is
    deleted and added again moves to the end. The files and events of a retired key stay.
    """
    wanted = {partition_key(slug) for slug in consumers}
    known = set(instance.get_dynamic_partitions(PARTITIONS_NAME))
    added, retired = tuple(sorted(wanted - known)), tuple(sorted(known - wanted))
    if added:
        instance.add_dynamic_partitions(PARTITIONS_NAME, list(added))
    for key in retired:
        instance.delete_dynamic_partition(PARTITIONS_NAME, key)
    return PartitionChange(added, retired)


def range_tags(keys: Sequence[str]) -> dict[str, str]:
    """Run tags that ask for all of `keys` in one run; `keys` as read back from the instance."""
    return {
        "dagster/asset_partition_range_start": keys[0],
        "dagster/asset_partition_range_end": keys[-1],
    }
