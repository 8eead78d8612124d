"""The one root that all data is read from and written to, on any fsspec file system.

`ATLAS_DATA` (a folder or a URL such as `s3://bucket/atlas`), else `$DAGSTER_HOME/data`, else
`./data`. Paths below the root are relative, with `/`. A write is atomic: on a local disk a
temporary file beside the target, synced and renamed; object stores put whole objects.
"""

import json
import os
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import fsspec
from fsspec.implementations.local import LocalFileSystem

from atlas_assets.errors import StorageError


def to_json_bytes(value: object) -> bytes:
    """Readable JSON that is the same for the same value: sorted keys, UTF-8, a final newline."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False)
    # a lone surrogate in a server's text is no UTF-8: it is written as its escape
    return (text + "\n").encode("utf-8", errors="backslashreplace")


class DataRoot:
    """A folder on any fsspec file system, with atomic writes."""

    def __init__(self, location: str, **options: Any) -> None:
        try:
            fs, path = fsspec.core.url_to_fs(location, **options)
        except (ValueError, ImportError, OSError) as error:
            raise StorageError(
                f"cannot open the data folder {_public(location)!r} ({type(error).__name__}); "
                "set ATLAS_DATA to a folder or to a URL whose fsspec driver is installed"
            ) from error
        self.fs: fsspec.AbstractFileSystem = fs
        self.path: str = path.rstrip("/")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> "DataRoot":
        env = os.environ if environ is None else environ
        if env.get("ATLAS_DATA"):
            return cls(env["ATLAS_DATA"])
        home = env.get("DAGSTER_HOME")
        return cls(str(Path(home) / "data") if home else str(Path("data").absolute()))

    @property
    def local(self) -> Path | None:
        """The folder on this machine's disk, None on another file system."""
        return Path(self.path) if isinstance(self.fs, LocalFileSystem) else None

    def full(self, path: str) -> str:
        return f"{self.path}/{path}"

    def exists(self, path: str) -> bool:
        return bool(self.fs.exists(self.full(path)))

    def names(self, folder: str, suffix: str = "") -> list[str]:
        """Names of the files right inside `folder`, sorted; empty where there is no such folder."""
        try:
            found = self.fs.ls(self.full(folder), detail=True, refresh=True)
        except FileNotFoundError:
            return []
        names = (entry["name"].rstrip("/").rsplit("/", 1)[-1] for entry in found if entry["type"] == "file")
        return sorted(n for n in names if n.endswith(suffix) and not n.startswith("."))

    def modified(self, path: str) -> datetime | None:
        """When a file was last written (UTC); None where there is none or the file system does not say."""
        try:
            when = self.fs.modified(self.full(path))
        except (FileNotFoundError, NotImplementedError):
            return None
        return when.astimezone(UTC) if isinstance(when, datetime) else None

    def read_bytes(self, path: str) -> bytes:
        """Raises FileNotFoundError where there is no such file, StorageError where it cannot be read."""
        try:
            return cast(bytes, self.fs.cat_file(self.full(path)))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageError(
                f"cannot read {path!r} in the data folder: {error.strerror or type(error).__name__}; "
                "give back the right to read it, or move it away"
            ) from error

    def read_many(self, paths: Mapping[str, str]) -> dict[str, bytes]:
        """Key to content of the files of `paths` (key to path), side by side where that helps.

        Files that are not there are left out; one that cannot be read counts as empty.
        """
        full = {key: self.full(path) for key, path in paths.items()}
        if isinstance(self.fs, LocalFileSystem):
            found: dict[str, object] = {path: _read_local(path) for path in full.values()}
        else:
            found = dict(self.fs.cat(list(full.values()), on_error="return")) if full else {}
        return {
            key: data if isinstance(data, bytes) else b""
            for key, path in full.items()
            if not isinstance(data := found.get(path), FileNotFoundError)
        }

    def read_json(self, path: str) -> Any:
        """Raises FileNotFoundError, and StorageError where the file cannot be read or is no JSON."""
        data = self.read_bytes(path)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise StorageError(
                f"{path!r} in the data folder is damaged JSON; remove it and run again"
            ) from error

    def write_bytes(self, path: str, data: bytes, *, durable: bool = True) -> None:
        """Write atomically; the old content stays until the new is whole.

        Without `durable` the disk is not waited for: a killed process still loses nothing, a power cut
        may.
        """
        target = self.full(path)
        folder, _, name = target.rpartition("/")
        try:
            if not isinstance(self.fs, LocalFileSystem):
                self.fs.makedirs(folder, exist_ok=True)
                self.fs.pipe_file(target, data)
                return
            os.makedirs(folder, exist_ok=True)
            temporary = f"{folder}/.{name[:80]}.{uuid.uuid4().hex}.tmp"
            try:
                with open(temporary, "xb") as file:
                    file.write(data)
                    if durable:
                        file.flush()
                        os.fsync(file.fileno())
                os.replace(temporary, target)
            finally:
                if os.path.exists(temporary):
                    os.unlink(temporary)
        except OSError as error:
            raise StorageError(
                f"cannot write {path!r} in the data folder: {error.strerror or type(error).__name__}; "
                "free space or set ATLAS_DATA to a folder that can be written"
            ) from error

    def write_json(self, path: str, value: object) -> None:
        self.write_bytes(path, to_json_bytes(value))

    def delete(self, path: str) -> None:
        """Delete a file; one that is not there is no error."""
        if self.exists(path):
            self.fs.rm_file(self.full(path))


def _public(location: str) -> str:
    """`location` without userinfo and query, which may be secrets."""
    scheme, separator, rest = location.partition("://")
    if not separator:
        return location
    return f"{scheme}://{rest.split('?', 1)[0].rsplit('@', 1)[-1]}"


def _read_local(path: str) -> bytes | OSError:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        return error
