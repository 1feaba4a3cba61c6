"""Temporary."""
from headcount.report.text import count, duration, share, significant, span  # noqa
