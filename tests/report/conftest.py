"""The browser in which pages are tested."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason='playwright is not installed: pip install -e ".[test,browser]"'
    )
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: apt install chromium")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"], headless=True)
        yield running
        running.close()
