"""A slug as a Dagster partition key, and as a file name.

Slugs are other people's text: `a/b`, `../up`, `x::` and 500 characters of anything. Two codings, both
reversible:

- `partition_key` is the slug itself wherever Dagster and a person's eye can take it. Dagster refuses
  control characters and `...` (it separates the ends of a range); invisible and bidirectional
  characters would deceive a reader. Those are written as `~` and hex.
- `encode_key` is a file name of `a-z 0-9 - _ . ~`, never longer than `MAX_NAME`, so that it is safe
  on any file system and in any URL, on those that fold case too. `::` becomes `.`; any other
  character becomes `~` and its UTF-8 bytes in hex. A slug too long for that keeps its beginning and
  gets its SHA-256; `decode_key` then needs the slugs to choose from.
"""

import hashlib
import re
from collections.abc import Iterable

from atlas_assets.errors import StorageError

MAX_NAME = 180
"""Characters of a file name without its ending; file systems allow 255 with it."""

_DIGEST = "~~"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPE = re.compile(r"((?:~[0-9a-f]{2})+)")


def encode_key(slug: str) -> str:
    """The file name, without ending, of `slug`'s partition."""
    name = "".join(_encode_character(c) for c in slug.replace("::", "\0")).replace("~00", ".")
    if "\0" in slug or not slug or len(name) > MAX_NAME:
        # NUL stands for the separator above, so a slug that holds one is named by its digest
        digest = hashlib.sha256(slug.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{name[: MAX_NAME - len(digest) - 2]}{_DIGEST}{digest}"
    return name


def decode_key(name: str, slugs: Iterable[str] = ()) -> str:
    """The slug that `encode_key` made `name` of.

    `slugs` are those to choose from where `name` is shortened. Raises StorageError where `name` is
    no encoded slug, or a shortened one that none of `slugs` gives.
    """
    if _DIGEST in name:
        for slug in slugs:
            if encode_key(slug) == name:
                return slug
    else:
        try:
            slug = _unescape(name.replace(".", "~00")).replace("\0", "::")
        except ValueError:
            slug = ""
        if slug and encode_key(slug) == name:
            return slug
    raise StorageError(f"{name!r} in the data folder is no partition of a known tool; remove the file")


def partition_key(slug: str) -> str:
    """The Dagster partition key of `slug`: the slug itself, but for what Dagster or a reader cannot take."""
    shown = "".join(c if c.isprintable() and c != "~" else _escape(c) for c in slug)
    return shown.replace("...", "~2e~2e~2e")


def slug_of(key: str) -> str:
    """The slug of a Dagster partition key. Raises StorageError where `key` is none."""
    try:
        slug = _unescape(key)
    except ValueError:
        slug = ""
    if not slug or partition_key(slug) != key:
        raise StorageError(f"{key!r} is no partition key; choose one that the catalog offers")
    return slug


def _encode_character(character: str) -> str:
    return character if character in _PLAIN else _escape(character)


def _escape(character: str) -> str:
    return "".join(f"~{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def _unescape(text: str) -> str:
    parts = _ESCAPE.split(text)
    return "".join(
        bytes.fromhex(part.replace("~", "")).decode("utf-8", "surrogatepass") if index % 2 else part
        for index, part in enumerate(parts)
    )
