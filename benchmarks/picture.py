"""The README's picture: the exported viewer as a person sees it at 1440×900.

make picture
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parents[1]
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--force-color-profile=srgb"]


def take(page_file: Path, picture: Path, *, width: int = 1440, height: int = 900, state: str = "") -> None:
    """Open the page (with `state` as its URL's fragment), wait for its map, and save what is seen."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page.goto(page_file.as_uri() + state)
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(picture))
        browser.close()


if __name__ == "__main__":
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "site"
    take(site / "index.html", PROJECT / "docs" / "demo.png")
    print("docs/demo.png")
