"""A tuning's page in a real browser: it obeys nothing, and fits every screen."""

import pytest
from report_browser import Browser, unfold
from report_cases import Case
from report_tuning import ALL, content_of, hostile
from test_browser import PAPER_PX


def test_nothing_hostile_of_a_tuning_runs(browser: Browser) -> None:
    page = unfold(browser.show(Case("hostile", content_of(hostile())), 1280))
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0
    assert browser.complaints == []
    assert [one for one in browser.requests if not one.startswith("file:")] == []


@pytest.mark.parametrize("width", [380, 1280])
@pytest.mark.parametrize("name", ALL)
def test_the_page_of_a_tuning_fits_the_screen(browser: Browser, name: str, width: int) -> None:
    page = unfold(browser.show(Case(name, content_of(ALL[name]())), width))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []


@pytest.mark.parametrize("name", ALL)
def test_on_paper_no_table_of_a_tuning_is_clipped(browser: Browser, name: str) -> None:
    page = browser.show(Case(name, content_of(ALL[name]())), PAPER_PX, media="print")
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].map((e) => [e.scrollWidth, e.clientWidth])"
    )
    assert all(needed <= given for needed, given in wide)
