"""The answer in the terminal, for the end of a run and for showing an old one."""

from headcount.report.terminal.diagnosis import failures
from headcount.report.terminal.diagnosis import whole as diagnosis
from headcount.report.terminal.summary import summary

__all__ = ["diagnosis", "failures", "summary"]
