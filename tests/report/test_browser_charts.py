"""Charts in a real browser: values are read off by pointer and keys, and nothing overlaps."""

import subprocess
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from pathlib import Path

import pytest
from chart_reading import pixels
from playwright.sync_api import Locator, Page
from report_browser import Browser, unfold
from report_cases import Case, hostile, large_figures, many_levels, saturated, wide_times
from report_factory import content, level

from headcount.analyse.heat import Column, Heat
from headcount.analyse.published.series import series
from headcount.analyse.spectrum import Spectrum
from headcount.bundle.price import Price
from headcount.report import palette
from headcount.report.content import ReportContent
from headcount.report.figures.spectrum import Drawn

OVERLAPS = """
() => [...document.querySelectorAll("figure svg")]
  .filter((svg) => svg.getBoundingClientRect().width)
  .flatMap((svg) => {
    const boxes = [...svg.querySelectorAll("text")]
      .filter((text) => text.textContent.trim())
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    const hit = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
      a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return boxes.flatMap((one, i) => boxes.slice(i + 1)
      .filter((other) => hit(one.box, other.box)).map((other) => [one.text, other.text]));
  })
"""
"""Pairs of labels whose boxes overlap by more than a pixel across and three upright, which letters
do not fill."""


def usual() -> ReportContent:
    """A report with a spectrum and a heat map, too."""
    points = tuple((1 - 10 ** (-at / 8), 5.0 * 1.2**at) for at in range(33))
    spectra = [
        Drawn(f"{users} users, passed", users, Spectrum(10_000, points)) for users in (50, 918)
    ]
    shares = (0.0, 0.6, 0.3, 0.09, 0.01)
    columns = tuple(
        Column(float(at), at + 1.0, 40 * at, 1 + at // 10, 100, 12.0, 60.0, 95.0, shares)
        for at in range(30)
    )
    heat = Heat((1.0, 3.0, 10.0, 30.0, 100.0, 300.0), columns)
    return replace(content(), spectra=spectra, heat=heat, narrow_heat=heat)


def beside_published() -> ReportContent:
    """A priced run beside what others published."""
    made = content()
    price = Price(amount=Decimal(29581), currency="USD", each=[])
    verdict = made.verdict.model_copy(update={"price": price})
    return replace(made, verdict=verdict, published=series(workload="home-folders"))


TRIES = 200
"""Looks at what follows another width, 50 ms apart: a busy machine draws late."""


def chart(page: Page, name: str) -> Locator:
    return page.locator(f"#{name} .live")


def values(found: Locator) -> list[str]:
    return found.locator(".legend b").all_text_contents()


def test_a_wide_screen_shows_charts_and_paper_the_drawings(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    names = ["throughput", "response", "utilisation", "transfer", "spectrum", "timeline"]
    for name in names:
        assert chart(page, name).is_visible()
        assert not page.locator(f"#{name} svg").first.is_visible()
        assert chart(page, name).locator("canvas").count() in (1, 2, 4)
    assert page.locator("#heat svg.wide").is_visible()
    page.emulate_media(media="print")
    for name in names:
        assert not chart(page, name).is_visible()
        assert page.locator(f"#{name} svg.wide").is_visible()
    assert not page.locator("details.behind").first.is_visible()
    assert browser.complaints == []


def test_a_narrow_screen_shows_drawings(browser: Browser) -> None:
    page = browser.show(Case("usual", usual()), 400)
    assert not chart(page, "throughput").is_visible()
    assert page.locator("#throughput svg.narrow").is_visible()
    assert browser.complaints == []


def test_the_pointer_reads_the_nearest_level_s_figures(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    found = chart(page, "throughput")
    assert values(found) == ["", "", "", ""]
    found.scroll_into_view_if_needed()
    box = found.locator(".u-over").first.bounding_box()
    assert box is not None
    most = 1200 * 1.04
    page.mouse.move(box["x"] + box["width"] * 405 / most, box["y"] + 60)
    at = next(one for one in content().levels if one.users == 400)
    due, rate, cpu, overload = values(found)
    assert float(rate) == pytest.approx(at.achieved_per_s, rel=0.005)
    assert float(cpu.rstrip("%")) / 100 == pytest.approx(
        at.counters["sut"]["system.cpu.utilization"].mean, rel=0.005
    )
    assert float(overload.rstrip("%")) / 100 == pytest.approx(at.total.overload, abs=5e-4)
    assert due
    assert found.locator(".at").text_content() == "at 400 users"
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 300)
    assert values(found) == ["", "", "", ""]


def test_keys_read_zoom_and_show_all_again(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    found = chart(page, "response")
    found.focus()
    page.keyboard.press("End")
    last = max(content().levels, key=lambda one: one.users)
    assert last.total.response is not None
    legend = dict(zip(("p99", "p95", "p50"), values(found), strict=True))
    assert float(legend["p95"].split()[0]) == pytest.approx(
        last.total.response.p95_ms / 1000, rel=0.005
    )
    assert found.locator(".at").text_content() == "at 1,200 users"
    page.keyboard.press("ArrowLeft")
    assert found.locator(".at").text_content() == "at 1,000 users"
    assert "at 1,000 users" in (found.locator(".spoken").text_content() or "")
    assert not found.locator(".whole").is_visible()
    page.keyboard.press("+")
    assert found.locator(".whole").is_visible()
    page.keyboard.press("Escape")
    assert not found.locator(".whole").is_visible()
    assert browser.complaints == []


def test_dragging_zooms_all_panels_and_a_button_shows_all(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    found = chart(page, "timeline")
    found.scroll_into_view_if_needed()
    before = found.screenshot()
    box = found.locator(".u-over").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 22, steps=4)
    page.mouse.up()
    button = found.locator(".whole")
    assert button.is_visible()
    assert found.screenshot() != before
    button.click()
    assert not button.is_visible()
    assert browser.complaints == []


def test_charts_follow_the_colour_scheme_and_the_width(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    light = chart(page, "throughput").screenshot()
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(50)
    assert chart(page, "throughput").screenshot() != light
    page.set_viewport_size({"width": 820, "height": 900})
    # The page's policy forbids what wait_for_function does.
    width = "document.querySelector('#throughput canvas').getBoundingClientRect().width"
    for _ in range(TRIES):
        if page.evaluate(width) < 760:
            break
        page.wait_for_timeout(50)
    assert page.evaluate(width) < 760
    assert page.evaluate("document.documentElement.scrollWidth") <= 820
    assert browser.complaints == []


@pytest.mark.parametrize(
    "case",
    [
        Case("usual", usual()),
        Case("sixty levels", many_levels()),
        Case("times of seven decades", wide_times()),
        Case("large figures", large_figures()),
        Case("saturated", saturated()),
        Case("published", beside_published()),
    ],
    ids=lambda case: case.name,
)
@pytest.mark.parametrize("width", [1280, 400])
def test_no_label_of_a_drawing_lies_on_another(browser: Browser, case: Case, width: int) -> None:
    page = browser.show(case, width, media="print" if width > 700 else "screen")
    if width > 700:
        page.set_viewport_size({"width": 695, "height": 900})
    assert page.locator("figure svg").count() >= 6
    assert page.evaluate(OVERLAPS) == []


def test_hostile_names_are_shown_in_charts_and_not_obeyed(browser: Browser) -> None:
    page = browser.show(Case("hostile", hostile()), 1280)
    found = chart(page, "response")
    found.focus()
    page.keyboard.press("End")
    assert page.evaluate("window.pwned") is None
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert browser.complaints == []


def test_charts_are_named_for_screen_readers(browser: Browser) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    for found in page.locator("figure .live").all():
        label = found.get_attribute("aria-label") or ""
        assert "Arrow keys read values" in label
        assert len(label) > 100
        assert found.get_attribute("tabindex") == "0"
    summaries = page.locator("details.behind summary")
    assert summaries.count() == 7
    summaries.first.press("Enter")
    rows = page.locator("details.behind").first.locator("tbody tr")
    assert rows.count() == len(content().levels)
    assert rows.first.is_visible()


def test_levels_of_equal_users_are_all_drawn(browser: Browser) -> None:
    made = replace(usual(), levels=[level(index, 300) for index in (1, 2, 3)] + [level(4, 900)])
    page = browser.show(Case("equal", made), 1280)
    for one, other in combinations(["throughput", "response"], 2):
        assert chart(page, one).is_visible()
        assert chart(page, other).is_visible()
    found = chart(page, "throughput")
    found.focus()
    places = []
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        places.append(found.locator(".at").text_content())
    assert places == ["at 300 users"] * 3 + ["at 900 users"]
    assert browser.complaints == []


def test_marks_of_both_axes_are_on_paper(browser: Browser, tmp_path: Path) -> None:
    page = unfold(browser.show(Case("usual", usual()), 1280), ".fold > details")
    (tmp_path / "page.pdf").write_bytes(page.pdf(prefer_css_page_size=True))
    names = [str(tmp_path / "page.pdf"), str(tmp_path / "page")]
    subprocess.run(["pdftoppm", "-r", "96", "-f", "1", "-l", "3", *names], check=True)
    seen: Counter[str] = Counter()
    for path in tmp_path.glob("page-*.ppm"):
        seen += pixels(path)
    marks = len(content().levels)
    for name in ("throughput", "cpu", "overload"):
        # The inside of a mark is at least five pixels square; lines are mostly blended.
        assert seen[palette.drawn("print")[name]] > 25 * marks, name
