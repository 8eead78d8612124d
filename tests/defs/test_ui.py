"""The Dagster UI as a person uses it, in headless Chromium."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.defs.dagster_dev import CHROMIUM, DagsterDev, dagster_dev
from tests.defs.project import Project
from tests.semantic.model_server import model_server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

SCREENSHOTS = os.environ.get("ATLAS_SCREENSHOTS")

PATIENCE = 180
"""Seconds to wait for what the daemon does in its own time."""

STATE = """query($key: AssetKeyInput!) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
  assetMaterializations(limit: 1) { runId }
  partitionStats { numMaterialized numFailed numMaterializing } } } }"""


@contextmanager
def chromium_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**CHROMIUM)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        yield page
        browser.close()


def wait_until(page: Page, dev: DagsterDev, asset: str, partitions: tuple[int, int] | None = None) -> None:
    """Wait for `asset` to be materialized, or for its (materialized, failed) partitions to be those."""
    deadline = time.monotonic() + PATIENCE
    while True:
        node = dev.ask(STATE, key={"path": [asset]})["assetNodeOrError"]
        stats = node["partitionStats"]
        if partitions is None and node["assetMaterializations"]:
            return
        if partitions and stats["numMaterializing"] == 0:
            seen = (stats["numMaterialized"], stats["numFailed"])
            if seen == partitions:
                return
        assert time.monotonic() < deadline, (node, dev.log[-20:])
        page.wait_for_timeout(250)


def materialize(page: Page, dev: DagsterDev, asset: str, label: str = "Materialize") -> None:
    page.goto(f"{dev.url}/assets/{asset}")
    # before the definition is loaded the button has another label, and does nothing
    expect(page.get_by_text("mcp_atlas").first).to_be_visible()
    page.get_by_role("button", name=label).first.click()


def keep_screenshot(page: Page, name: str) -> None:
    """Where `ATLAS_SCREENSHOTS` names a folder, keep what the page shows, for a person to look at."""
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png")


def test_a_person_materializes_catalog_partitions_and_graph_and_sees_the_failed_consumer(
    project: Project,
) -> None:
    with (
        model_server(faults={"files::read_file": ["400"] * 100}) as model,
        dagster_dev(
            project.home, {"LLM_PROVIDER": "openai", "LLM_MODEL": "test-model", **model.environ("openai")}
        ) as dev,
        # the last, for Playwright leaves an event loop running in this thread
        chromium_page() as page,
    ):
        materialize(page, dev, "tool_catalog")
        wait_until(page, dev, "tool_catalog")
        keep_screenshot(page, "tool_catalog")

        materialize(page, dev, "heuristic_edges")
        wait_until(page, dev, "heuristic_edges")

        materialize(page, dev, "semantic_edges", "Materialize…")
        page.get_by_role("button", name="All", exact=True).click()
        page.get_by_role("button", name="Launch backfill").click()
        wait_until(page, dev, "semantic_edges", (4, 1))
        page.goto(f"{dev.url}/assets/semantic_edges?view=partitions")
        expect(page.get_by_text("Failed (1)")).to_be_visible()
        expect(page.get_by_text("Materialized (4)")).to_be_visible()
        page.get_by_text("tracker::get_issue", exact=True).first.click()
        expect(page.get_by_text("test-model").first).to_be_visible()
        keep_screenshot(page, "partition")
        page.get_by_text("files::read_file", exact=True).first.click()
        expect(page.get_by_text("no answer").or_(page.get_by_text("failed")).first).to_be_visible()
        keep_screenshot(page, "failed_partition")

        materialize(page, dev, "merged_graph")
        wait_until(page, dev, "merged_graph")
        page.goto(f"{dev.url}/assets/merged_graph?view=events")
        expect(page.get_by_text("user supplied", exact=True).first).to_be_visible()
        keep_screenshot(page, "merged_graph")

        page.goto(f"{dev.url}/asset-groups")
        expect(page.get_by_role("button", name="Materialize all")).to_be_visible()
        keep_screenshot(page, "asset_graph")
    assert project.graph()["stats"]["tools"] == 6
