"""A comparison and a history as people see them: terminal, page and Markdown."""

import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, sync_playwright
from rich.console import Console
from runs_made import Server, make, refuse

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.comparison import Comparison, Reference
from headcount.analyse.compare.history import History, history
from headcount.analyse.compare.subject import side
from headcount.bundle import reader
from headcount.report.compare import markdown, page, terminal
from headcount.report.history import page as history_page
from headcount.report.history import terminal as history_terminal

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
EVIL = "<b>x</b>&|`*\x1b[31m"
PUBLISHED = Reference(
    label="ProLiant 800",
    source="Report of 1998, table 3",
    metric="throughput",
    unit="1/s",
    users=40,
    value=25.0,
    remark="other hardware",
)


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("shown")
    held = [(1000.0, 980.0, 1020.0), (1300.0, 1270.0, 1330.0)]
    sides = [
        side(name, [make(folder / str(place), (10, 20, 40), server, place, capacity=held[place],
                         begun_s=600 * place)])
        for place, (name, server) in enumerate((("old", Server(speed=0.7)), (EVIL, Server())))
    ]  # fmt: skip
    return compare(sides, [PUBLISHED])


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> History:
    folder = tmp_path_factory.mktemp("course")
    made = []
    for number in range(12):
        held = (800.0 if number >= 6 else 1000.0) + number
        bounds = (held, held * 0.98, held * 1.02)
        path = make(
            folder / f"{number}", (10,), seed=number, seconds=5, begun_s=86400 * number,
            capacity=bounds, program="<i>2</i>" if number >= 6 else "1",
        )  # fmt: skip
        made.append(reader.load(path))
    return history(made)


def printed(show, found, width: int = 80, encoding: str = "utf-8", **options: bool) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    show(found, Console(file=file, width=width), **options)
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_the_text_fits_the_console_and_begins_with_the_verdict(
    comparison: Comparison, course: History, width: int, encoding: str
) -> None:
    texts = [
        printed(terminal.show, comparison, width, encoding),
        printed(history_terminal.show, course, width, encoding),
    ]
    for text in texts:
        assert max(len(line) for line in text.splitlines()) <= width
        assert "\x1b" not in text
    assert " is better than old" in " ".join(texts[0].split())[:80]
    assert "Capacity changed once over 12 runs" in " ".join(texts[1].split())


def test_runs_that_completed_nothing_are_printed(tmp_path: Path) -> None:
    made = [
        refuse(make(tmp_path / f"{day}", (10,), seconds=3, begun_s=86400 * day), 10)
        for day in range(2)
    ]
    found = history([reader.load(path) for path in made])
    assert "from 0 to 0/s" in " ".join(printed(history_terminal.show, found).split())
    assert "Throughput at 10 users" in history_page.render(found, "2026-11-22")


def test_a_wide_console_has_the_interval_and_both_directions(comparison: Comparison) -> None:
    text = printed(terminal.show, comparison, 160)
    line = next(one for one in text.splitlines() if one.startswith("capacity"))
    assert "+29.6%" in line  # 1,270 over 980: the numbers that are shown
    assert "old 22.8% less" in line
    assert re.search(r"\+\d+\.\d% to \+\d+\.\d%", line)
    assert line.endswith("better             ") or line.strip().endswith("better")


def test_of_many_levels_the_largest_are_printed_and_the_rest_on_request(tmp_path: Path) -> None:
    sides = [
        side(name, [make(tmp_path / name, (5, 10, 15, 20, 25), seed=place, seconds=6)])
        for place, name in enumerate("AB")
    ]
    found = compare(sides)
    short = printed(terminal.show, found)
    assert "At 5 users" not in short
    assert "2 more levels: --all prints them." in short
    assert "At 5 users" in printed(terminal.show, found, everything=True)


class Reader(HTMLParser):
    """Elements, and text as a reader sees it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_data(self, data) -> None:
        self.text += data


def test_the_page_is_self_contained_and_escapes_names(comparison: Comparison) -> None:
    read = Reader(page.render(comparison, "2026-11-22"))
    assert "script" not in read.tags
    assert [link for link in read.links if link != "data:,"] == []
    assert "<b>x</b>&|`*" in read.text
    assert "\x1b" not in read.text
    for title in ("Throughput against users", "Response time against users", "CPU side by side"):
        assert title in read.text
    assert "limit p95<=500ms" in read.text
    assert "ProLiant 800" in read.text
    assert "other hardware" in read.text
    for one in comparison.differences:
        assert one.finding in read.text


def test_the_history_is_a_page_with_its_changes(course: History) -> None:
    read = Reader(history_page.render(course, "2026-11-22"))
    assert "script" not in read.tags
    assert "i" not in read.tags
    assert "Capacity changed once over 12 runs" in read.text
    assert "server <i>2</i>" in read.text
    assert "Every run" in read.text


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=CHROMIUM, args=FLAGS
        )
        yield context
        context.close()


@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_shows_the_pages_without_scrolling_sideways(
    chromium: BrowserContext, comparison: Comparison, course: History, tmp_path: Path, width: int
) -> None:
    texts = [page.render(comparison, "today"), history_page.render(course, "today")]
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.html"
        path.write_text(text, "utf-8")
        shown = chromium.new_page()
        asked: list[str] = []
        complaints: list[str] = []
        shown.on("request", lambda request, asked=asked: asked.append(request.url))
        shown.on("console", lambda message, to=complaints: to.append(message.text))
        shown.set_viewport_size({"width": width, "height": 900})
        shown.goto(path.as_uri())
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
        assert complaints == []
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        drawn = shown.evaluate(
            "() => [...document.querySelectorAll('svg')]"
            ".filter((svg) => svg.getBoundingClientRect().width > 0).length"
        )
        assert drawn == shown.locator("figure").count()
        shown.close()


def test_markdown_has_one_visible_table_and_escapes_names(comparison: Comparison) -> None:
    text = markdown.render(comparison)
    lines = text.splitlines()
    assert lines[0].startswith("**")
    assert "is better than old" in lines[0]
    before = text[: text.index("<details>")]
    assert sum(line.startswith("| ---") for line in before.splitlines()) == 1
    assert "<b>" not in text.replace("\\<b\\>", "")
    columns = [line.replace("\\|", "").count("|") for line in lines if line.startswith("|")]
    assert set(columns) == {8}
