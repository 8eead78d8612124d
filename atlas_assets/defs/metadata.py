"""What a person sees on an asset's page.

The webserver renders markdown with images, and takes mutations by GET: an image URL in a tool's
description would be fetched when a person looks at it. So third-party text appears as the cells of
a table, which is never rendered, or in a code span made by `code`.
"""

import base64
import os
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

import dagster as dg

from atlas_assets.catalog.visible import visible
from atlas_assets.storage.tables import TableFormat

Metadata = dict[str, int | float | str | dg.MetadataValue]

OWNERS = ["team:mcp-atlas"]
TAGS = {"product": "mcp-atlas"}

ROWS_SHOWN = 200
"""Rows of a table in an event: each is written to the event log."""

VIEWER_URL = "http://127.0.0.1:8765/"
"""Where `atlas serve` is; `ATLAS_VIEWER_URL` names another place."""

_TYPES = {"string": "string", "bool": "bool", "int64": "int", "double": "float"}


def column_schema(form: TableFormat) -> dg.TableSchema:
    """The columns of a stored table with their meaning."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(name, _TYPES.get(str(type_), str(type_)), description=text)
            for name, type_, text in form.columns
        ]
    )


def definition_metadata(form: TableFormat) -> dict[str, dg.TableSchema]:
    """The metadata of an asset whose main table is `form`."""
    return {"dagster/column_schema": column_schema(form)}


def code(text: str, limit: int = 120) -> str:
    """`text` as a markdown code span, in a table too: nothing in it is rendered."""
    shown = visible(text, limit).replace("`", "ˋ").replace("|", "¦").strip()
    return f"`{shown}`" if shown else ""


def table(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], limit: int = 300
) -> dg.TableMetadataValue:
    """A table of texts and numbers; longer texts are cut, further rows counted in a last row."""
    listed = list(rows)
    records = [
        dg.TableRecord({name: _cell(row.get(name), limit) for name in columns}) for row in listed[:ROWS_SHOWN]
    ]
    if len(listed) > ROWS_SHOWN:
        rest = f"… and {len(listed) - ROWS_SHOWN} more"
        records.append(dg.TableRecord({name: rest if name == columns[0] else "" for name in columns}))
    return dg.MetadataValue.table(
        records, schema=dg.TableSchema(columns=[dg.TableColumn(name, "string") for name in columns])
    )


def viewer_link(slug: str | None = None, environ: Mapping[str, str] | None = None) -> dg.UrlMetadataValue:
    """The viewer, with a tool selected where one is given."""
    env = os.environ if environ is None else environ
    base = env.get("ATLAS_VIEWER_URL", "").strip() or VIEWER_URL
    if not base.startswith(("http://", "https://")):
        base = VIEWER_URL
    return dg.MetadataValue.url(f"{base}#level=place&tool={quote(slug, safe='')}" if slug else base)


def picture(svg: str) -> dg.MarkdownMetadataValue:
    """An SVG drawing of ours inside the page itself: no address that a browser would ask."""
    data = base64.b64encode(svg.encode("utf-8", "backslashreplace")).decode("ascii")
    return dg.MetadataValue.md(f"![map](data:image/svg+xml;base64,{data})")


def _cell(value: object, limit: int) -> str | int | float | bool:
    if isinstance(value, bool | int | float):
        return value
    return "" if value is None else visible(str(value), limit)
