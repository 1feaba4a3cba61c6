"""Amounts of money: exact, rounded where it is shown and nowhere else.

Amounts are decimal numbers, never binary ones, so that a tenth is a tenth. Rounding is half up,
away from zero, as on invoices, and to the smallest unit of the currency (a cent, a yen). Lines of a
price are rounded; totals are sums of rounded lines, so that a printed table adds up.
"""

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from headcount.fields.mistakes import as_mistake
from headcount.fields.units import share

CONTEXT = Context(prec=100)
"""Digits in which prices are multiplied: enough for the longest product of a line, so that nothing
is rounded before the line is."""

MOST_DIGITS = 15
"""Most digits of a stated amount: what a JSON number carries exactly (IEEE 754 doubles)."""

MINOR = {
    **dict.fromkeys(
        (
            *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW"),
            *("PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"),
        ),
        0,
    ),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}
"""Decimals of currencies that have no cents, or mils (ISO 4217, minor units); all others have 2."""

FEWEST_DIGITS = 3
"""Significant digits of unit prices if the cent is too coarse for that."""


_WRITTEN = re.compile(r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?")
"""With or without commas between thousands: `1,50` is neither, and likely a mistake."""


def number(value: Decimal) -> int | float:
    """A decimal number for TOML and JSON: whole if it is; 15 digits come back as they were."""
    return int(value) if value == value.to_integral_value() else float(value)


def _exact(value: Any) -> Any:
    """A stated value as a number: `12,345.60` in text is one too; a boolean is not."""
    if isinstance(value, bool):
        raise ValueError(f"it is {str(value).lower()}; write a number, such as 1234.50")  # noqa: TRY004 - pydantic's own
    if isinstance(value, str):
        if not _WRITTEN.fullmatch(value.strip()):
            raise ValueError(f'it is "{value}"; write a number, such as 1234.50 or "1,234.50"')
        return value.strip().replace(",", "")
    return value


def _discount(value: Any) -> Any:
    if not isinstance(value, str):
        return _exact(value)
    with as_mistake():
        return parse_share(value, "it")


def parse_share(text: str, option: str) -> Decimal:
    """Read `20%`, `-5%` or `0.2` of an option, exactly; raises InputError with how to write it."""
    plain = text.strip()
    sign = -1 if plain.startswith("-") else 1
    share(plain.lstrip("-"), option)
    number_text = plain.lstrip("-").rstrip("%")
    return sign * Decimal(number_text) / (100 if plain.endswith("%") else 1)


_PLAIN = PlainSerializer(number, return_type=int | float)
_SCHEMA = WithJsonSchema({"type": "number"}, mode="serialization")

Exact = Annotated[Decimal, BeforeValidator(_exact), _PLAIN, _SCHEMA]
"""A decimal number, in JSON and TOML a plain one."""
Stated = Annotated[Exact, Field(ge=0, max_digits=MOST_DIGITS)]
"""A number that a person states, with up to 15 digits."""
Discount = Annotated[
    Decimal,
    BeforeValidator(_discount),
    _PLAIN,
    _SCHEMA,
    Field(ge=0, lt=1, max_digits=MOST_DIGITS),
]
"""A share of a price, written `10%` or 0.1."""
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


def decimals(currency: str) -> int:
    """How many decimals amounts in a currency have."""
    return MINOR.get(currency, 2)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """An amount to the smallest unit of its currency, halves away from zero."""
    unit = Decimal((0, (1,), -decimals(currency)))
    return amount.quantize(unit, ROUND_HALF_UP, CONTEXT)


def product(*factors: Decimal) -> Decimal:
    """A product without any rounding."""
    with localcontext(CONTEXT):
        result = Decimal(1)
        for factor in factors:
            result *= factor
        return result


def quotient(amount: Decimal, figure: Decimal) -> Decimal:
    """An amount divided by a figure other than 0, in 100 digits."""
    return CONTEXT.divide(amount, figure)


def floor(value: Decimal) -> int:
    """The largest whole number not above a value."""
    return int(value.to_integral_value(ROUND_FLOOR))


def ceiling(value: Decimal) -> int:
    """The smallest whole number not below a value."""
    return int(value.to_integral_value(ROUND_CEILING))


def exact(value: float) -> Decimal:
    """A measured figure as the decimal number in its printed form."""
    return Decimal(repr(value))


def plain(value: Decimal) -> str:
    """A number without needless zeros, with commas between thousands: `3`, `26,280`, `0.42`."""
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money_text(amount: Decimal, currency: str) -> str:
    """An amount to the cent, for people: `29,581.00 USD`."""
    return f"{rounded(amount, currency):,f} {currency}"


def stated_text(amount: Decimal, currency: str) -> str:
    """An amount as it was stated, with at least its cents: `0.1375 USD`."""
    digits = max(decimals(currency), -int(amount.normalize(CONTEXT).as_tuple().exponent))
    return f"{amount:,.{digits}f} {currency}"


def each_text(amount: Decimal, currency: str) -> str:
    """A unit price, for people: to the cent, or to three digits if that is finer.

    A price of a tenth of a cent per request would otherwise round to nothing.
    """
    return f"{fine(amount, currency):,f} {currency}"


def fine(amount: Decimal, currency: str) -> Decimal:
    """An amount rounded as `each_text` shows it."""
    to_the_cent = rounded(amount, currency)
    if amount == to_the_cent:
        return to_the_cent
    for _ in range(2):  # 0.9996 becomes 1.00, which needs one digit less
        digits = max(decimals(currency), FEWEST_DIGITS - 1 - amount.adjusted())
        amount = amount.quantize(Decimal((0, (1,), -digits)), ROUND_HALF_UP, CONTEXT)
    return amount
