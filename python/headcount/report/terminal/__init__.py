"""The answer on the terminal, at the end of a run and for `headcount show`."""

from headcount.report.terminal.diagnosis import failures
from headcount.report.terminal.diagnosis import whole as diagnosis
from headcount.report.terminal.summary import summary

__all__ = ["diagnosis", "failures", "summary"]
