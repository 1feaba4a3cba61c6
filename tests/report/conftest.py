"""The browser that shows reports: one for a file of tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright
from report_browser import CHROMIUM, FLAGS, Browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS
        )
        yield context
        context.close()


@pytest.fixture
def browser(chromium: BrowserContext, tmp_path: Path) -> Iterator[Browser]:
    made = Browser(chromium, tmp_path)
    yield made
    for page in chromium.pages:
        page.close()
