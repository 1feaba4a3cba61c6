"""The report as one self-contained HTML page: no script, no font, no picture from elsewhere."""

from headcount.report.content import Point, ReportContent
from headcount.report.html.page import render

__all__ = ["Point", "ReportContent", "render"]
