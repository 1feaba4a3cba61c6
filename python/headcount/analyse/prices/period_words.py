"""How often an amount is paid, in words."""

AGAIN = {"once": "", "hour": " an hour", "month": " a month", "year": " a year"}
"""Behind an amount that is paid again and again."""
AND = {"once": "", "hour": " and hour", "month": " and month", "year": " and year"}
"""Behind what such an amount is divided by."""
