"""The report as one self-contained HTML page: no script, font or picture from elsewhere."""

from headcount.report.content import ReportContent
from headcount.report.figures.timeline import Point
from headcount.report.html.page import render

__all__ = ["Point", "ReportContent", "render"]
