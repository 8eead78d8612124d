import json

import pytest

from atlas_assets.catalog.recorded import load_recorded_files
from atlas_assets.edges.evaluate import read_gold, score
from atlas_assets.edges.infer import infer

pytestmark = pytest.mark.shared


def test_demo_servers_reach_their_figures(shared):
    gold = read_gold(shared / "gold" / "mcp_demo")
    found = infer(gold.tools)
    result = score(gold, found.edges)
    assert result.slot_hit >= 0.95
    assert result.precision >= 0.90
    visible = {(e.consumer, e.consumes) for e in found.edges if not e.hidden}
    required = {(t.slug, p.name) for t in gold.tools for p in t.required_parameters}
    assert len(required) == 18
    assert len(required - visible) <= 3
    assert ("fetch::fetch", "filesystem::write_file", "content") in {
        (e.producer, e.consumer, e.consumes) for e in found.edges if not e.hidden
    }


def test_every_recorded_catalog_is_inferred_without_an_error(shared):
    files = sorted((shared / "catalogs").glob("*.json"))
    tools = load_recorded_files(files).tools
    found = infer(tools)
    assert len(tools) == sum(len(json.loads(f.read_text(encoding="utf-8"))["tools"]) for f in files)
    slugs = {tool.slug for tool in tools}
    assert all(e.producer in slugs and e.consumer in slugs and e.producer != e.consumer for e in found.edges)
    assert all(0 <= e.confidence <= 1 and e.reason for e in found.edges)
