"""A cost with a line of every kind, and strategies that make others."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from headcount.plan.cost import Cost

QUOTATION: dict[str, Any] = {
    "currency": "USD",
    "years": 3,
    "rates": {"EUR": "1.08"},
    "priced_on": "2026-11-01",
    "items": [
        {"name": "server", "kind": "hardware", "unit_price": "7,999.99", "discount": "12.5%"},
        {"name": "disk", "kind": "hardware", "quantity": 9, "unit_price": "649.95"},
        {"name": "licence", "kind": "software", "unit_price": 809, "currency": "EUR"},
        {"name": "support", "kind": "maintenance", "unit_price": "74.90", "period": "month"},
        {
            "name": "power",
            "kind": "energy",
            "quantity": "0.42",
            "unit_price": "0.1375",
            "period": "hour",
        },
        {"name": "tape robot", "unit_price": 4000, "shared": True},
    ],
}
"""Worked out by hand: 6,999.99 (7,999.99 x 0.875 = 6,999.99125), 5,849.55, 873.72, 2,696.40
(36 x 74.90), 1,517.67 (0.42 x 0.1375 x 26,280 = 1,517.67), 4,000.00."""
BY_HAND = ["6999.99", "5849.55", "873.72", "2696.40", "1517.67", "4000.00"]
TOTAL = Decimal("21937.33")


def quotation(**changes: Any) -> Cost:
    return Cost.model_validate(QUOTATION | changes)


prices = st.decimals("0.01", "99999.99", places=2)
items = st.fixed_dictionaries(
    {
        "name": st.just("thing"),
        "quantity": st.decimals("0.1", "500", places=1),
        "unit_price": prices,
        "period": st.sampled_from(["once", "hour", "month", "year"]),
        "discount": st.decimals("0", "0.99", places=4),
        "currency": st.sampled_from(["USD", "EUR", "JPY"]),
        "kind": st.sampled_from(["hardware", "software", "other"]),
        "shared": st.booleans(),
    }
)
costs = st.builds(
    lambda items, years: Cost.model_validate(
        {
            "currency": "USD",
            "items": items,
            "years": years,
            "rates": {"EUR": "1.0837", "JPY": "0.0066"},
        }
    ),
    st.lists(items, min_size=1, max_size=6),
    st.integers(1, 7),
)
