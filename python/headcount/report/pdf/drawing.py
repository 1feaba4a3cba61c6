"""Drawings as complete SVG files, in the typeface of the page."""

import re

from headcount.report.document.blocks import Figure
from headcount.report.figures.standalone import FONT, standalone
from headcount.report.markup import Html

SIZES = "text,.tag,.name{font-size:14.5px}.title{font-size:15px}"
"""Larger than on a screen: a drawing of 880 pixels is 170 mm wide here, so these sizes print as
8 points. The typeface of reports is narrower than that of pages by the same factor."""

_POINT = re.compile(r'(?<=\d)h0(?=[M"])')
"""A mark: a zero-length line. PDF does not paint one with square caps (ISO 32000-1, 8.5.3.2), so it
gets an invisible length."""


def whole(figure: Figure, family: str) -> str:
    """Make a file of a drawing; `family` is the typeface of the page."""
    svg = standalone(Html(figure.svg), figure.caption)
    svg = _POINT.sub("h.01", svg)
    return svg.replace(FONT, family, 1).replace("</style>", f"{SIZES}</style>", 1)
