"""How often an amount is paid, and over how long, in words."""

from decimal import Decimal

from headcount.plan.money import plain

AGAIN = {"once": "", "hour": " an hour", "month": " a month", "year": " a year"}
"""Suffixes of an amount that is paid repeatedly."""
AND = {"once": "", "hour": " and hour", "month": " and month", "year": " and year"}
"""Suffixes of what such an amount is divided by."""


def years_text(years: Decimal) -> str:
    """A number of years: `1 year`, `2.5 years`."""
    return "1 year" if years == 1 else f"{plain(years)} years"
