"""The page of `headcount price`: complete, inert but for its chart, and it obeys no text."""

from decimal import Decimal

import pytest
from report_cases import HOSTILE
from report_page import Page

from headcount.analyse.prices.consolidation import Administration
from headcount.analyse.prices.fleet import Need
from headcount.analyse.prices.measured import stated
from headcount.analyse.prices.price_report import Priced, PriceReport
from headcount.analyse.prices.pricing import Merger, report
from headcount.plan.cost import parse_cost
from headcount.report.prices import page


def two_systems(name: str = "large") -> list[Priced]:
    small = stated("small", 1000, parse_cost("10000 USD"))
    return [small, stated(name, 10_000, parse_cost("60000 USD"))]


def read(made: PriceReport) -> Page:
    return Page(page.render(made, "2026-11-22 06:00 UTC"))


def test_the_page_has_the_answer_the_curve_and_the_tables() -> None:
    made = report(two_systems(), Need(users=8000, headroom=Decimal("0.1")))
    shown = read(made)
    text = " ".join(shown.texts).replace("\N{NO-BREAK SPACE}", " ")
    assert "holds 8,000 users is large: 1 system, 60,000.00 USD" in text
    assert shown.headings == [
        "Cost for this many users",
        "Price",
        "For 8,000 users",
        "Cheaper of small and large",
        "How to read this",
    ]
    assert shown.row("large *")[1:] == ["9,000", "1", "60,000.00", "7.50"]
    assert ("data-plot" in dict(shown.attributes)) == ("script" in shown.tags)


def test_the_curve_counts_whole_systems() -> None:
    figure = page.curve(report(two_systems(), Need(users=3000)))
    assert figure is not None
    assert "small 30,000 USD" in figure.alt
    assert "large 60,000 USD" in figure.alt
    assert page.curve(report([stated("free", 10, None)])) is None


def test_the_curve_of_servers_by_the_hour_has_their_cents() -> None:
    small = stated("small", 100, parse_cost("0.34 USD/hour"))
    large = stated("large", 350, parse_cost("0.9 USD/hour"))
    figure = page.curve(report([small, large], Need(users=1000)))
    assert figure is not None
    assert figure.alt == "For 1,000 users: small 3.40 USD an hour, large 2.70 USD an hour."
    assert ["350", "1.36", "0.900"] in figure.table.rows


def test_without_a_price_there_is_no_curve_and_no_script() -> None:
    administration = Administration(Decimal(20), Decimal(100_000))
    merger = Merger(2000, administration, 2)
    shown = read(report([stated("cluster", 10_000, None)], Need(users=500_000), merger))
    assert "script" not in shown.tags
    assert "9,500,000.00 USD" in " ".join(shown.texts)


@pytest.mark.parametrize("need", [None, Need(users=100)])
def test_names_are_shown_and_not_obeyed(need: Need | None) -> None:
    made = report(two_systems(HOSTILE), need)
    text = page.render(made, "now")
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") <= 1
    assert HOSTILE[:20] in " ".join(read(made).texts)
