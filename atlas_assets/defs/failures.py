"""Errors that a person can put right, as Dagster shows them: one line, no traceback of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from atlas_assets.errors import AtlasError


@contextmanager
def one_line_failures() -> Iterator[None]:
    """Turn an AtlasError into a Failure that says the same line and is not tried again."""
    try:
        yield
    except AtlasError as error:
        raise dg.Failure(" ".join(str(error).split()), allow_retries=False) from None
