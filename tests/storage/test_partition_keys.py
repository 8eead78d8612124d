"""Partition keys survive any slug."""

import re

import pytest
from dagster._core.definitions.partitions.utils.base import INVALID_PARTITION_SUBSTRINGS
from hypothesis import example, given
from hypothesis import strategies as st

from atlas_assets.errors import StorageError
from atlas_assets.storage.partition_keys import MAX_NAME, decode_key, encode_key, partition_key, slug_of

SLUGS = st.text(st.characters(exclude_categories=()), min_size=1, max_size=400)


@given(SLUGS)
@example("filesystem::read_file")
@example("x::")
@example("a/b::../up")
@example("a:b::c")
@example("a:::b")
@example("a.b::c~00")
@example("nul\0::x")
@example("~~")
def test_a_file_name_is_safe_short_and_read_back(slug: str) -> None:
    name = encode_key(slug)
    assert re.fullmatch(r"[a-z0-9._~-]+", name)
    assert len(name) <= MAX_NAME
    assert decode_key(name, [slug + "x", slug]) == slug


@given(SLUGS, SLUGS)
@example("Read::x", "read::x")
@example("a::b", "a.b")
@example("a" * 400, "a" * 399 + "b")
def test_two_slugs_never_share_a_file_or_a_partition(one: str, other: str) -> None:
    if one != other:
        # compared without case, as some file systems do
        assert encode_key(one).casefold() != encode_key(other).casefold()
        assert partition_key(one) != partition_key(other)


@given(SLUGS)
@example("s::read...file")
@example("s::a....b")
@example("s::tab\there")
@example("s::\u202egnp")
@example("s::~2e")
def test_a_partition_key_is_one_dagster_takes_and_is_read_back(slug: str) -> None:
    key = partition_key(slug)
    assert key.isprintable()
    assert not any(bad in key for bad in INVALID_PARTITION_SUBSTRINGS)
    assert slug_of(key) == slug


def test_an_ordinary_slug_reads_as_itself() -> None:
    assert partition_key("filesystem::read_file") == "filesystem::read_file"
    assert encode_key("filesystem::read_file") == "filesystem.read_file"


@pytest.mark.parametrize("name", ["", "Upper", "a/b", "~zz", "~ff", "a~", "spa ce", "long~~0123"])
def test_a_name_that_encodes_nothing_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(StorageError, match="remove the file"):
        decode_key(name, ["a::b"])


@pytest.mark.parametrize("key", ["", "~zz", "a...b", "a~", "~61"])
def test_a_key_that_is_no_partition_is_refused(key: str) -> None:
    with pytest.raises(StorageError, match="is no partition key"):
        slug_of(key)
