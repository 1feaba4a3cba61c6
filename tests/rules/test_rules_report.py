"""The report of a log in a real browser, and the verb that makes it."""

from collections.abc import Iterator
from pathlib import Path

import perfmon_logs
import pytest
from perfmon_logs import BUSY_DISK, SHORT_OF_MEMORY
from playwright.sync_api import BrowserContext, sync_playwright
from typer.testing import CliRunner

from command_line import app
from headcount.report.chart.clock import Clock

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    troubled = {**SHORT_OF_MEMORY, **BUSY_DISK}
    log = perfmon_logs.write(folder / "<b>log.csv", troubled, (0.3, 0.8))
    path = folder / "report.html"
    given = ["diagnose", str(log), "--memory", "128MiB", "--cpus", "1", "-o", str(path)]
    ran = CliRunner().invoke(app, given)
    assert ran.exit_code == 0, ran.output
    assert "Memory limits this machine" in ran.output
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path="/usr/bin/chromium", args=FLAGS
        )
        yield context
        context.close()


@pytest.mark.parametrize("width", [1280, 400])
def test_it_loads_nothing_fits_the_screen_and_charts_every_finding(
    chromium: BrowserContext, report: Path, width: int
) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(report.as_uri())
    assert [url for url in asked if not url.startswith("data:")] == [page.url]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "Memory limits this machine" in (page.locator("#answer").text_content() or "")
    figures = page.locator("figure")
    assert figures.count() >= 5
    assert page.locator("svg:visible").count() == figures.count()
    assert page.locator("svg:visible .limit").count() >= figures.count()
    assert page.locator("svg:visible rect.measured").count() >= figures.count()
    for label in page.locator("svg").all():
        assert label.get_attribute("aria-label")
    assert page.locator("b").count() == 0
    page.close()


def test_what_the_verb_refuses(tmp_path: Path, report: Path) -> None:
    runner = CliRunner()
    for given, says in (
        ([], "Usage"),
        (["--json"], "nothing to diagnose"),
        ([str(tmp_path), "--cpus", "2"], "are for logs of counters"),
        ([str(report)], "not a known log of counters"),
    ):
        ran = runner.invoke(app, ["diagnose", *given])
        assert says in f"{ran.output}{ran.exception}", given


def test_the_verb_explains() -> None:
    ran = CliRunner().invoke(app, ["diagnose", "--explain", "M-02"])
    assert ran.exit_code == 0
    assert "More than 10 pages per second" in ran.output


@pytest.mark.parametrize(
    ("length_s", "first", "step_s"),
    [
        (120, "00:01:00", 15),
        (3600, "00:05", 300),
        (86_400, "1 Jan 00:00", 21_600),
        (6e5, "2 Jan", 86_400),
    ],
)
def test_the_clock_has_round_ticks(length_s, first, step_s) -> None:
    clock = Clock(58.0 if length_s < 86_400 else 0.0, 58.0 + length_s, 0, 100)
    ticks = clock.ticks(12)
    assert 2 <= len(ticks) <= 13
    assert all(tick % step_s == 0 for tick in ticks)
    assert first in [clock.written(tick) for tick in ticks[:2]]
