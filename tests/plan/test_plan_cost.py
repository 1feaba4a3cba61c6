"""Prices per user and per mark: how they are stated and shown, and how intervals carry over."""

from decimal import Decimal

import pytest
from plan_cases import plan, workload

from headcount.analyse.price import price
from headcount.analyse.verdict import of_levels
from headcount.bundle.verdict import Capacity, Marks
from headcount.errors import InputError
from headcount.plan.cost import Cost, parse_cost
from headcount.plan.money import fine
from headcount.plan.resolve import Overrides, resolve
from headcount.report.answer_sentences import price_text, priced


def capacity(low: float | None, high: float | None) -> Capacity:
    return Capacity(
        users=2_200,
        estimate=2_300.0,
        low=low,
        high=high,
        at_least=high is None,
        official_passed=True,
        binding=None,
    )


def test_the_interval_of_the_capacity_is_carried_over() -> None:
    cost = Cost(amount=Decimal(29_581), currency="USD")
    found = price(cost, 2_200, capacity(2_000.0, 2_500.0), None)
    assert found is not None
    (each,) = found.each
    assert (each.of, each.figure) == ("user", 2_200)
    assert each.interval == (Decimal("11.8324"), Decimal("14.7905"))
    for unbounded in (capacity(2_000.0, None), capacity(0.0, 2_500.0), None):
        found = price(cost, 2_200, unbounded, None)
        assert found is not None
        assert found.each[0].interval is None


def test_marks_have_a_price_and_without_users_there_is_none() -> None:
    cost = Cost(amount=Decimal(29_581), currency="USD")
    marks = Marks(
        name="marks",
        count=["read"],
        per_minute=2_917,
        interval_per_minute=(2_900.0, 2_930.0),
        users=2_200,
    )
    found = price(cost, 2_200, None, marks)
    assert found is not None
    assert [each.of for each in found.each] == ["user", "marks"]
    assert fine(found.each[1].value, "USD") == Decimal("10.14")
    assert found.each[1].interval is not None
    assert [float(bound) for bound in found.each[1].interval] == pytest.approx(
        (10.096, 10.200), abs=0.001
    )
    nobody = price(cost, None, None, marks)
    assert nobody is not None
    assert nobody.each == []
    assert price(None, 2_200, None, None) is None


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("29581 USD", 29_581, "USD"),
        ("29,581.50 eur", 29_581.5, "EUR"),
        (" 1000000GBP ", 1_000_000, "GBP"),
    ],
)
def test_a_cost_is_read(text: str, amount: float, currency: str) -> None:
    assert parse_cost(text) == Cost(amount=Decimal(str(amount)), currency=currency)
    made = resolve(workload(), "lab:app", Overrides(users=2, cost=parse_cost(text)))
    assert made.cost == Cost(amount=Decimal(str(amount)), currency=currency)
    assert plan(cost={"amount": amount, "currency": currency}).cost == made.cost


@pytest.mark.parametrize(
    "text", ["", "29581", "USD", "0 USD", "-5 USD", "1,00 USD", "5 dollars", "5 USD/day"]
)
def test_invalid_costs_are_refused(text: str) -> None:
    with pytest.raises(InputError, match='such as "29581 USD"'):
        parse_cost(text)


def test_the_answer_says_the_price_and_that_it_was_stated() -> None:
    made = plan(cost={"amount": 29_581, "currency": "USD"})
    nothing = of_levels(made, [], 1.0, "unfinished")
    assert nothing.price is not None
    assert priced(nothing) == []
    found = price(made.cost, 2_200, capacity(2_000.0, 2_500.0), None)
    verdict = nothing.model_copy(update={"price": found})
    assert priced(verdict) == ["13.45 USD per user (95% interval 11.83 to 14.79)"]
    assert price_text(verdict) == "a system of 29,581.00 USD, as stated"
    assert priced(of_levels(plan(), [], 1.0, "unfinished")) == []


def test_a_capacity_of_at_least_makes_the_price_an_upper_bound() -> None:
    cost = Cost(amount=Decimal(29_581), currency="USD")
    marks = Marks(
        name="mark", count=["read"], per_minute=2_917, interval_per_minute=None, users=2_200
    )
    nothing = of_levels(plan(), [], 1.0, "unfinished")
    for high, first in ((None, "at most 13.45 USD per user"), (2_500.0, "13.45 USD per user (95%")):
        found = capacity(2_000.0, high)
        changes = {"capacity": found, "price": price(cost, 2_200, found, marks)}
        user, mark = priced(nothing.model_copy(update=changes))
        assert user.startswith(first)
        assert mark == "10.14 USD per mark"  # of a level that was measured, whatever the capacity
