"""The report in a real browser: nothing is loaded, nothing overflows, everything can be read."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page
from report_browser import Browser, Shown, fold, unfold
from report_cases import Case, cases, diagnosed, hostile
from report_factory import content

from headcount.report.html import script

EVERY_CASE = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
PAPER_PX = 695
"""Width of A4 at 96 pixels an inch, less the margins of the style sheet."""

LEAST_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of ordinary size."""

FAINT_TEXT = """
() => {
  const numbers = (css) => css.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const found = numbers(getComputedStyle(e).backgroundColor);
      if (found.length === 3 || found[3] > 0.99) return found;
    }
    throw new Error("nothing opaque is behind " + element.outerHTML);
  };
  const faint = [];
  let checked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const drawn = element.closest("svg");
    if (!walker.currentNode.data.trim() || (drawn && element.tagName !== "text")) continue;
    if (!element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const pair = [light(numbers(drawn ? style.fill : style.color)), light(behind(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    checked += 1;
    if (ratio < LEAST) faint.push([ratio, walker.currentNode.data]);
  }
  return { faint, checked };
}
""".replace("LEAST", str(LEAST_CONTRAST))

DRAWINGS = """
() => [...document.querySelectorAll("figure")].map((figure) =>
  [...figure.querySelectorAll("svg, .live")]
    .map((svg) => svg.getBoundingClientRect())
    .filter((box) => box.width > 0)
    .map((box) => [box.width, box.height]))
"""

TWO_FRAMES = """
() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
"""
SPILLED_LABELS = """
() => [...document.querySelectorAll("svg text")]
  .filter((text) => text.getClientRects().length)
  .filter((text) => {
    const [inner, outer] = [text, text.closest("section")].map((e) => e.getBoundingClientRect());
    return inner.left < outer.left || inner.right > outer.right;
  })
  .map((text) => text.textContent)
"""


WORDS_IN_SIGHT = """
() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (element.closest("svg, script") || !element.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width > 0 && box.top < innerHeight) seen.push(walker.currentNode.data);
  }
  return seen.join(" ").split(/\\s+/).filter((word) => /\\w/.test(word));
}
"""
MOST_WORDS = 60
MOST_SCREENS = 6
SCREEN_PX = 800


LONG = (
    "Move the other programs to another machine or give the server a larger CPU weight, then "
    "measure again. This capacity is what they left over."
)


def long_suggestion() -> Case:
    """A diagnosis whose suggestion is as long as any."""
    usual = diagnosed()
    found = usual.verdict.diagnosis
    assert found is not None
    advice = [found.advice[0].model_copy(update={"sentence": LONG})]
    verdict = {"diagnosis": found.model_copy(update={"advice": advice})}
    return Case("long", replace(usual, verdict=usual.verdict.model_copy(update=verdict)))


@pytest.mark.parametrize("name", ["search", "diagnosed", "long", "on one machine", "nothing broke"])
def test_the_first_screen_answers_and_the_page_is_short(browser: Browser, name: str) -> None:
    known = [*cases(), long_suggestion()]
    page = browser.show(next(case for case in known if case.name == name), 1280)
    page.set_viewport_size({"width": 1280, "height": SCREEN_PX})
    words = page.evaluate(WORDS_IN_SIGHT)
    assert "users" in words
    assert "confidence" in words or name == "nothing broke"
    assert len(words) <= MOST_WORDS, " ".join(words)
    assert page.evaluate("document.documentElement.scrollHeight") <= MOST_SCREENS * SCREEN_PX


def test_the_page_loads_nothing(shown: Shown) -> None:
    page, browser = shown.page, shown.browser
    page.wait_for_load_state("networkidle")
    assert [url for url in browser.requests if not url.startswith("data:")] == [page.url]
    assert browser.complaints == []


@pytest.mark.parametrize("width", [1280, 800, 400])
def test_the_page_fits_the_screen(shown: Shown, width: int) -> None:
    page = shown.page
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(TWO_FRAMES)  # charts are redrawn for another width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SPILLED_LABELS) == []
    answer = page.locator("#answer")
    assert answer.is_visible()
    assert answer.text_content()
    assert shown.browser.complaints == []


def test_on_a_usual_screen_the_table_of_levels_needs_no_scrolling(browser: Browser) -> None:
    page = browser.show(Case("usual", content()), 1280)
    unfold(page)
    needed = page.locator("table.levels").evaluate(
        "(table) => [table.parentElement.scrollWidth, table.parentElement.clientWidth]"
    )
    assert needed[0] <= needed[1]


def test_on_a_narrow_screen_the_users_column_stays_in_view(browser: Browser) -> None:
    page = browser.show(Case("usual", content()), 400)
    unfold(page)
    region = page.locator(".scroll:has(table.levels)")
    users = page.locator("table.levels tbody tr:not(.why) th").last
    for share in (0, 0.5, 1):
        region.evaluate(
            "(e, share) => { e.scrollLeft = share * (e.scrollWidth - e.clientWidth) }", share
        )
        seen, room = users.bounding_box(), region.bounding_box()
        assert seen is not None
        assert room is not None
        assert room["x"] - 1 <= seen["x"]
        assert seen["x"] + seen["width"] <= room["x"] + room["width"]


@pytest.mark.parametrize("width", [1280, 400])
def test_every_figure_shows_one_drawing_of_the_right_size(shown: Shown, width: int) -> None:
    page, report = shown.page, shown.case.content
    page.set_viewport_size({"width": width, "height": 900})
    figures = unfold(page).evaluate(DRAWINGS)
    fold(page)
    scored = any(level.score for level in report.levels)
    scored += report.verdict.diagnosis is not None
    whole = report.timeline and report.levels
    assert len(figures) >= (3 + scored if whole else 0)
    for drawings in figures:
        assert len(drawings) == 1
        assert drawings[0][0] > min(width, 1000) * 0.8
        assert drawings[0][1] > 150


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_all_text_has_enough_contrast(browser: Browser, scheme: str) -> None:
    page = browser.show(Case("usual", content()), 1280, scheme)
    unfold(page)
    found = page.evaluate(FAINT_TEXT)
    assert found["checked"] > 300
    assert found["faint"] == []


def test_dark_is_dark_and_paper_is_white(browser: Browser) -> None:
    def background(page: Page) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    usual = Case("usual", content())
    assert background(browser.show(usual, 1280, "dark")) == "rgb(15, 18, 22)"
    paper = browser.show(usual, PAPER_PX, "dark", "print")
    assert background(paper) == "rgb(255, 255, 255)"
    assert paper.evaluate(FAINT_TEXT)["faint"] == []


@EVERY_CASE
def test_on_paper_no_table_is_clipped_and_everything_is_open(browser: Browser, case: Case) -> None:
    page = browser.show(case, PAPER_PX, media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].map((e) => [e.scrollWidth, e.clientWidth])"
    )
    assert all(needed <= given for needed, given in wide)
    plan = page.locator("details pre").last.bounding_box()
    assert plan is not None
    assert plan["height"] > 10
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_nothing_hostile_runs(browser: Browser) -> None:
    page = browser.show(Case("hostile", hostile()), 1280)
    for text in page.locator("p, li, td, code").all():
        text.dispatch_event("mouseover")
    assert page.evaluate("window.pwned") is None
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert page.locator("script").all_text_contents() == [script.text()]


def test_the_content_policy_blocks_injected_scripts(browser: Browser) -> None:
    page = browser.show(Case("usual", content()), 1280)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'),"
        " { textContent: 'window.pwned = 1' }))"
    )
    assert page.evaluate("window.pwned") is None


def test_figures_show_under_the_pointer(browser: Browser) -> None:
    page = browser.show(Case("usual", content()), 1280)
    title = page.locator("svg.wide .at title").first
    assert (title.text_content() or "").startswith(
        "50 users, probe: passed\n9.81 scenarios/s, overload 0.14%\np50"
    )
