"""The answer in the terminal, for the end of a run and for showing an old one."""

from headcount.report.terminal.summary import summary

__all__ = ["summary"]
