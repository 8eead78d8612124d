"""The exported viewer: a folder that opens by double-click and from any static host.

    index.html atlas.js atlas.css   the built page, as `npm run build` made it
    graph.json                      the graph, for programs
    graph.js                        the same, for the page: from `file://` Chromium refuses `fetch`

or one HTML file with all of it inside.

The graph is third-party text; inside a script `<`, U+2028 and U+2029 are written as escapes.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from atlas_assets import __version__
from atlas_assets.errors import ConfigError, StorageError
from atlas_assets.graph.contract import GRAPH_FILE, Graph
from atlas_assets.storage.root import DataRoot, to_json_bytes

BUILT_VIEWER = Path(__file__).resolve().parents[2] / "viewer" / "dist"
PAGE_FILES = ("index.html", "atlas.css", "atlas.js")


Meta = dict[str, str]


def site_meta(root: DataRoot, environ: Mapping[str, str]) -> Meta:
    """What the page says beside the graph, which holds no clock: `version`, `scanned`, `dagster`.

    `scanned` is the day (UTC) that the catalog was last written, left out where there is none.
    `dagster` is `ATLAS_DAGSTER_URL`, where the page's links to partitions lead. Raises ConfigError
    where that is no http address.
    """
    meta = {"version": __version__}
    if when := root.modified("tool_catalog/tools.parquet"):
        meta["scanned"] = f"{when.day} {when:%b %Y}"
    address = environ.get("ATLAS_DAGSTER_URL", "").strip()
    if address:
        if not re.fullmatch(r"https?://[^\s@?#]+", address):
            raise ConfigError(
                "ATLAS_DAGSTER_URL is no plain http address; write one as http://127.0.0.1:3000"
            )
        meta["dagster"] = address
    return meta


def export_site(graph: Graph, folder: Path, built: Path = BUILT_VIEWER, meta: Meta | None = None) -> Path:
    """Write the viewer with this graph into `folder`; the path of its page.

    Each file is written atomically and the page last, so that an open viewer never sees half.
    Raises StorageError where the viewer is not built or the folder cannot be written.
    """
    site = DataRoot(str(folder.absolute()))
    site.write_bytes(GRAPH_FILE, to_json_bytes(graph))
    site.write_bytes("graph.js", graph_script(graph, meta))
    for name in reversed(PAGE_FILES):
        site.write_bytes(name, read_built(name, built))
    return folder / "index.html"


def export_single_file(
    graph: Graph, file: Path, built: Path = BUILT_VIEWER, meta: Meta | None = None
) -> Path:
    """Write the viewer with this graph as one HTML file that needs nothing beside it.

    The page's own policy allows its script by hash; the graph is a data block, which nothing runs.
    """
    before, mark, after = read_built("single.html", built).partition(b"__ATLAS_GRAPH__")
    if not mark:
        raise StorageError("the built viewer has no place for a graph; run `make clean viewer`")
    data = script_json({**graph, "meta": meta} if meta else graph).encode("utf-8", errors="backslashreplace")
    DataRoot(str(file.absolute().parent)).write_bytes(file.name, before + data + after)
    return file


def graph_script(graph: Graph, meta: Meta | None = None) -> bytes:
    """The graph as a classic script: `globalThis.MCP_ATLAS_GRAPH`, and `MCP_ATLAS_META` from `meta`."""
    script = f"globalThis.MCP_ATLAS_GRAPH = {script_json(graph)};\n"
    if meta:
        script += f"globalThis.MCP_ATLAS_META = {script_json(meta)};\n"
    return script.encode("utf-8", errors="backslashreplace")


def script_json(value: object) -> str:
    """JSON that is safe inside a script element and a script file: no `<`, no line separators."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read_built(name: str, built: Path = BUILT_VIEWER) -> bytes:
    """One file of the built viewer. Raises StorageError where it is not built."""
    try:
        return (built / name).read_bytes()
    except OSError as error:
        raise StorageError(f"the viewer is not built ({name} is missing); run `make viewer` first") from error
