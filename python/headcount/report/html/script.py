"""The script of pages with interactive charts: uPlot, with its licence, and what draws with it."""

from functools import cache
from importlib.resources import files

LIBRARY = "uPlot.iife.min.js"
"""uPlot 1.6.32 (MIT), as packaged: 51 KB, the smallest library that draws two axes and zooms."""


@cache
def text() -> str:
    """The contents of a page's script element."""
    folder = files("headcount.report.html")
    vendor = folder.joinpath("vendor")
    licence = vendor.joinpath("uPlot.LICENSE").read_text("utf-8").strip()
    library = vendor.joinpath(LIBRARY).read_text("utf-8").strip()
    lines = folder.joinpath("charts.js").read_text("utf-8").splitlines()
    own = "\n".join(line.strip() for line in lines if not line.lstrip().startswith("//"))
    return f"\n/*! uPlot: {licence} */\n{library}\n{own}\n"


@cache
def style() -> str:
    """The style that the library's own elements need."""
    vendor = files("headcount.report.html").joinpath("vendor")
    return vendor.joinpath("uPlot.min.css").read_text("utf-8").strip()
