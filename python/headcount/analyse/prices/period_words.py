"""How often an amount is paid, in words."""

AGAIN = {"once": "", "hour": " an hour", "month": " a month", "year": " a year"}
"""Suffixes of an amount that is paid repeatedly."""
AND = {"once": "", "hour": " and hour", "month": " and month", "year": " and year"}
"""Suffixes of what such an amount is divided by."""
