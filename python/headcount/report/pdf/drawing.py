"""Drawings as whole SVG files, in the type of the page."""

from headcount.report.document.blocks import Figure


def whole(figure: Figure, family: str) -> str:
    """Make a file of a drawing; `family` is the typeface of the page."""
    return figure.svg.replace("sans-serif", family)
