"""The exported viewer."""

import json
import os
import re

import pytest

from atlas_assets import __version__
from atlas_assets.errors import ConfigError, StorageError
from atlas_assets.graph.site import export_single_file, export_site, graph_script, site_meta
from atlas_assets.storage.root import DataRoot

GRAPH = {"nodes": [{"id": "a::b", "description": "</script><!-- \u2028 \ud800 <img>"}]}


@pytest.fixture
def built(tmp_path):
    folder = tmp_path / "dist"
    folder.mkdir()
    for name in ("index.html", "atlas.js", "atlas.css"):
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def test_the_folder_carries_the_page_and_the_graph_twice(built, tmp_path):
    page = export_site(GRAPH, tmp_path / "out", built)
    assert page.read_text(encoding="utf-8") == "index.html"
    names = sorted(p.name for p in page.parent.iterdir())
    assert names == ["atlas.css", "atlas.js", "graph.js", "graph.json", "index.html"]


def test_the_script_cannot_be_left_and_holds_the_same_graph():
    script = graph_script({"d": "</script><!-- \u2028 é"}).decode()
    assert "<" not in script
    assert "\u2028" not in script
    value = re.fullmatch(r"globalThis\.MCP_ATLAS_GRAPH = (.*);\n", script).group(1)
    assert json.loads(value) == {"d": "</script><!-- \u2028 é"}


def test_an_unbuilt_viewer_says_what_to_run(tmp_path):
    with pytest.raises(StorageError, match="make viewer"):
        export_site(GRAPH, tmp_path / "out", tmp_path / "nowhere")


def test_the_single_file_holds_the_graph_as_data_that_cannot_leave_its_block(built, tmp_path):
    (built / "single.html").write_text('<script type="x" id="g">__ATLAS_GRAPH__</script>!', encoding="utf-8")
    text = export_single_file(GRAPH, tmp_path / "map.html", built).read_text(encoding="utf-8")
    data = re.fullmatch(r'<script type="x" id="g">([^<]*)</script>!', text).group(1)
    assert json.loads(data) == GRAPH


def test_the_page_says_its_version_the_scan_s_day_and_where_dagster_is(tmp_path):
    root = DataRoot(str(tmp_path))
    assert site_meta(root, {}) == {"version": __version__}
    root.write_bytes("tool_catalog/tools.parquet", b"")
    os.utime(tmp_path / "tool_catalog" / "tools.parquet", (1_700_000_000, 1_700_000_000))
    meta = site_meta(root, {"ATLAS_DAGSTER_URL": "http://127.0.0.1:3000"})
    assert meta == {"version": __version__, "scanned": "14 Nov 2023", "dagster": "http://127.0.0.1:3000"}
    assert b'globalThis.MCP_ATLAS_META = {"dagster"' in graph_script(GRAPH, meta)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "http://user:pw@host", "ftp://host.example"])
def test_a_dagster_address_that_is_no_plain_http_address_is_refused_and_not_repeated(tmp_path, address):
    with pytest.raises(ConfigError, match="ATLAS_DAGSTER_URL") as raised:
        site_meta(DataRoot(str(tmp_path)), {"ATLAS_DAGSTER_URL": address})
    assert address not in str(raised.value)
