"""Totals of items: worked out by hand, by fractions, and what must hold of all of them."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from price_bundle import capacity
from price_cases import BY_HAND, TOTAL, costs, quotation

from headcount.analyse.price import price
from headcount.analyse.prices.total import by_kind, lines, rate, total
from headcount.plan.cost import Cost, CostItem, parse_cost
from headcount.plan.money import decimals, each_text, money_text, quotient, rounded

PER_YEAR = {"hour": 8760, "month": 12, "year": 1}


def test_a_quotation_worked_out_by_hand() -> None:
    cost = quotation()
    assert [line.amount for line in lines(cost)] == [Decimal(amount) for amount in BY_HAND]
    assert total(cost) == TOTAL
    assert total(cost, shared=True) == 4000
    assert total(cost, shared=False) == TOTAL - 4000
    assert by_kind(lines(cost)) == {
        "hardware": Decimal("12849.54"),
        "software": Decimal("873.72"),
        "maintenance": Decimal("2696.40"),
        "energy": Decimal("1517.67"),
        "other": Decimal(4000),
    }
    assert rate(cost) is None  # energy by the hour makes no rented machine
    items = [*cost.items[:4], cost.items[4].model_copy(update={"kind": "rental"}), cost.items[5]]
    by_hour = rate(cost.model_copy(update={"items": items}))
    assert by_hour is not None
    assert by_hour.period == "hour"
    assert by_hour.amount == quotient(TOTAL, Decimal(26_280))


def by_fractions(cost: Cost, item: CostItem) -> Fraction:
    """The line without any rounding, in arithmetic of another kind."""
    worth = {"USD": Fraction(1), "EUR": Fraction("1.0837"), "JPY": Fraction("0.0066")}
    assert cost.years is not None
    times = PER_YEAR[item.period] * Fraction(cost.years) if item.period != "once" else Fraction(1)
    paid = Fraction(item.quantity) * Fraction(item.unit_price) * (1 - Fraction(item.discount))
    return paid * times * worth[item.currency or "USD"]


@given(costs)
def test_lines_are_rounded_half_up_to_the_cent_and_sums_are_exact(cost: Cost) -> None:
    found = lines(cost)
    for line, item in zip(found, cost.items, strict=True):
        assert line.amount is not None
        whole = by_fractions(cost, item)
        assert line.amount == Decimal(int(whole * 100 + Fraction(1, 2))) / 100
    amounts = [line.amount for line in found if line.amount is not None]
    assert total(cost) == sum(amounts) == sum(by_kind(found).values())
    parts = (total(cost, shared=True), total(cost, shared=False))
    assert None not in parts
    assert sum(part for part in parts if part is not None) == total(cost)


@given(costs, st.integers(0, 5), st.decimals("0.01", "1000", places=2))
def test_more_of_anything_never_costs_less(cost: Cost, at: int, more: Decimal) -> None:
    before = total(cost)
    assert before is not None
    at %= len(cost.items)
    item = cost.items[at]
    longer = cost.model_copy(update={"years": (cost.years or 0) + more})
    changes: list[dict[str, Any]] = [
        {"quantity": item.quantity + more},
        {"unit_price": item.unit_price + more},
        {"discount": item.discount / 2},
    ]
    changed = [longer]
    for change in changes:
        items = [*cost.items]
        items[at] = item.model_copy(update=change)
        changed.append(cost.model_copy(update={"items": items}))
    changed.append(cost.model_copy(update={"items": [*cost.items, item]}))
    for other in changed:
        after = total(other)
        assert after is not None
        assert after >= before


def test_rentals_have_a_rate_and_no_total_without_years() -> None:
    cost = parse_cost("0.34 USD/hour")
    assert total(cost) is None
    by_hour = rate(cost)
    assert by_hour is not None
    assert (by_hour.period, by_hour.amount) == ("hour", Decimal("0.34"))
    assert lines(cost)[0].amount is None
    with_years = cost.model_copy(update={"years": Decimal(3)})
    assert total(with_years) == Decimal("8935.20")
    again = rate(with_years)
    assert again is not None
    assert again.amount == Decimal("0.34")
    mixed = Cost.model_validate(
        {
            "currency": "EUR",
            "items": [
                {"name": "vm", "unit_price": "0.10", "period": "hour"},
                {"name": "backup", "unit_price": "73", "period": "month"},
            ],
        }
    )
    by_hour = rate(mixed)
    assert by_hour is not None
    assert by_hour.amount == Decimal("0.20")  # 73 x 12 / 8,760 is 0.10


def test_a_single_amount_is_the_total() -> None:
    cost = parse_cost("29,581 USD")
    assert total(cost) == total(cost, shared=False) == 29_581
    assert total(cost, shared=True) == 0
    assert lines(cost) == []
    assert rate(cost) is None


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("2.345", "USD", "2.35 USD"),
        ("-2.345", "USD", "-2.35 USD"),
        ("1234567.5", "JPY", "1,234,568 JPY"),
        ("0.0005", "KWD", "0.001 KWD"),
        ("29581", "EUR", "29,581.00 EUR"),
        ("1E+7", "USD", "10,000,000.00 USD"),
    ],
)
def test_rounding_is_half_up_to_the_currency_smallest_unit(
    amount: str, currency: str, text: str
) -> None:
    assert money_text(Decimal(amount), currency) == text
    assert -int(rounded(Decimal(amount), currency).as_tuple().exponent) == decimals(currency)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("13.4459", "13.45 USD"),
        ("0.0456789", "0.0457 USD"),
        ("0.00042", "0.000420 USD"),
        ("0.9996", "1.00 USD"),
        ("1234.567", "1,234.57 USD"),
        ("0", "0.00 USD"),
    ],
)
def test_prices_for_each_keep_three_digits_below_a_unit(amount: str, text: str) -> None:
    assert each_text(Decimal(amount), "USD") == text


@given(
    users=st.integers(1, 10_000), low=st.floats(0.5, 10_000), width=st.floats(0, 5), amount=costs
)
def test_the_price_per_user_lies_in_its_interval_wherever_the_number_lies(
    users: int, low: float, width: float, amount: Cost
) -> None:
    found = capacity(users=users, low=low, high=low * (1 + width), estimate=low)
    answer = price(amount, users, found, None)
    assert answer is not None
    for each in answer.each:
        assert each.interval is not None
        assert each.interval[0] <= each.value <= each.interval[1]
