"""Costs as items: in a plan, in a file, and every mistake in them."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_cases import plan, workload

from headcount.errors import InputError
from headcount.plan.cost import Cost, load_costs, parse_cost, stated_cost
from headcount.plan.plan import Plan, validate
from headcount.plan.resolve import Overrides, resolve

FILE = """
currency = "USD"
years = 3
priced_on = 2026-11-01
rates = { EUR = 1.08 }

[[items]]
name = "server"
kind = "hardware"
unit_price = "7,999.99"
discount = "12.5%"

[[items]]
name = "support"
kind = "maintenance"
unit_price = 74.90
currency = "EUR"
period = "month"
"""


def test_a_file_of_costs_is_read_and_a_plan_keeps_it_as_written(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    path.write_text(FILE, "utf-8")
    cost = stated_cost(None, path)
    assert cost is not None
    assert cost.items[0].unit_price == Decimal("7999.99")
    assert cost.items[0].discount == Decimal("0.125")
    assert cost.items[1].unit_price == Decimal("74.9")
    made = resolve(workload(), "lab:app", Overrides(users=2, cost=cost))
    assert made.cost == cost
    written = tomllib.loads(made.to_toml())
    assert written["cost"]["items"][1] == {
        "name": "support",
        "kind": "maintenance",
        "unit_price": 74.9,
        "currency": "EUR",
        "period": "month",
    }
    assert validate(Plan, written, "the plan") == made


def test_a_file_may_hold_the_table_of_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    path.write_text('[cost]\namount = 5\ncurrency = "EUR"\n', "utf-8")
    assert load_costs(path) == parse_cost("5 EUR")


def item(**changes: Any) -> dict[str, Any]:
    return {"name": "server", "unit_price": 5} | changes


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "give either an amount or items"),
        ({"amount": 5, "items": [item()]}, "give either an amount or items"),
        ({"items": [item(currency="EUR")]}, "items are in EUR; give the rate"),
        ({"amount": 5, "rates": {"USD": 2}}, "remove it"),
        ({"items": [item(), item(period="month")]}, "give years"),
        ({"items": [item(unit_price=0)]}, "every item is free"),
        ({"items": [item(unit_price="1,50")]}, 'such as 1234.50 or "1,234.50"'),
        ({"items": [item(unit_price=True)]}, "write a number"),
        ({"items": [item(unit_price=-1)]}, "greater than or equal to 0"),
        ({"items": [item(discount="120%")]}, "at most 100%"),
        ({"items": [item(discount=1)]}, "less than 1"),
        ({"items": [item(quantity=0)]}, "greater than 0"),
        ({"items": [item(period="week")]}, "'once', 'hour', 'month' or 'year'"),
        ({"items": [item(knd="hardware")]}, 'did you mean "kind"'),
        ({"amount": 0.1234567890123456}, "15 digits"),
        ({"amount": 5, "currency": "dollars"}, "pattern"),
    ],
)
def test_every_mistake_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match="the plan has a mistake") as raised:
        plan(cost={"currency": "USD"} | values)
    assert message in str(raised.value)
    assert "cost" in str(raised.value)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    with pytest.raises(InputError, match="cannot be read"):
        load_costs(path)
    for content, message in ((b"currency = ", "not valid TOML"), (b"\xff", "not valid TOML")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=message):
            load_costs(path)
    path.write_text('currency = "USD"\namont = 5\n', "utf-8")
    with pytest.raises(InputError, match='did you mean "amount"'):
        load_costs(path)
    with pytest.raises(InputError, match="exclude each other"):
        stated_cost("5 USD", path)
    assert stated_cost(None, None) is None


@given(st.integers(1, 10**15 - 1), st.integers(0, 6))
def test_fifteen_digits_come_back_from_a_plan_as_they_were(digits: int, places: int) -> None:
    amount = Decimal(digits).scaleb(-places)
    made = plan(cost=Cost(amount=amount, currency="USD").model_dump())
    again = validate(Plan, tomllib.loads(made.to_toml()), "the plan")
    assert again.cost is not None
    assert again.cost.amount == amount
