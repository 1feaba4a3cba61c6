"""What the system under test costs, as whoever runs the test says."""

import re

from pydantic import Field

from headcount.errors import InputError
from headcount.plan.fields import Strict

_FORM = re.compile(r"(?P<amount>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?P<currency>[A-Za-z]{3})")


class Cost(Strict):
    """The price of the system under test."""

    amount: float = Field(gt=0, le=1e15)
    currency: str = Field(pattern=r"^[A-Z]{3}$", description="Three letters, such as USD")


def parse_cost(text: str) -> Cost:
    """Read `29581 USD` or `29,581.50 EUR`; raises InputError if it is neither."""
    match = _FORM.fullmatch(text.strip())
    amount = float(match["amount"].replace(",", "")) if match else 0.0
    if match is None or not 0 < amount <= 1e15:
        raise InputError(
            f'--cost is "{text}"; write an amount above 0 and a currency, such as "29581 USD"'
        )
    return Cost(amount=amount, currency=match["currency"].upper())
