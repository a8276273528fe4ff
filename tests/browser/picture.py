"""Draws the pictures in the documentation: `python tests/browser/picture.py docs/pictures`."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import tempfile
from pathlib import Path

from page_house import house_settings, run
from page_scene import scene
from playwright.sync_api import sync_playwright

SIZE = {"width": 1360, "height": 860}
SETTLED_MS = 4_000
QUALITY = 84


def draw(url: str, folder: Path) -> None:
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for scheme in ("dark", "light"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)  # type: ignore[arg-type]  # both are schemes
            page.goto(url)
            page.wait_for_selector("[data-state=live]")
            page.wait_for_selector("#layers li")
            page.wait_for_selector("#thresholds li")
            page.wait_for_timeout(SETTLED_MS)
            page.screenshot(path=folder / f"page-{scheme}.jpg", quality=QUALITY)
            page.locator(".below").screenshot(path=folder / f"page-{scheme}-learned.jpg", quality=QUALITY)
        browser.close()


def main(folder: Path) -> None:
    ours, theirs = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "tree").mkdir()
        house = multiprocessing.get_context("spawn").Process(target=run, args=(home, 0, False, theirs))
        house.start()
        try:
            url = ours.recv()["url"]
            with scene(url, house_settings(home), home / "tree"):
                draw(url, folder)
        finally:
            house.kill()
            house.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
