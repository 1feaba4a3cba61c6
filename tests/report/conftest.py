"""The browser that shows reports, one for a file of tests, and each report in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright
from report_browser import CHROMIUM, FLAGS, Browser, Shown
from report_cases import cases


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
    made.close()


@pytest.fixture(scope="module", params=cases(), ids=lambda case: case.name)
def shown(
    request: pytest.FixtureRequest,
    chromium: BrowserContext,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Shown]:
    """Each report, folded: opened once, because a page costs a browser two seconds of CPU."""
    made = Browser(chromium, tmp_path_factory.mktemp("shown"))
    yield Shown(request.param, made.show(request.param, 1280), made)
    made.close()
