"""A figure as an SVG file that contains its colours, for the PDF and other programs."""

from headcount.report import palette
from headcount.report.markup import Html, element, joined

FONT = "Liberation Sans, Arial, Helvetica, DejaVu Sans, sans-serif"
"""The first three have the same widths; the fourth is on most machines, and wider."""


def standalone(svg: Html, title: str, scheme: palette.Scheme = "print", font: str = FONT) -> str:
    """Make a complete SVG file of a drawing: with its own style, without tooltips.

    Args:
        svg: A drawing of :class:`~headcount.report.figures.figure_types.Figure`.
        title: The title in the file.
        scheme: Which of the page's three sets of colours it gets.
        font: Families to set text in, the wanted one first.

    """
    start, rest = svg.split(">", 1)
    head = joined([element("title", title), element("style", Html(style(scheme)))])
    return f'{start} xmlns="http://www.w3.org/2000/svg" font-family="{font}">{head}{rest}\n'


def style(scheme: palette.Scheme) -> str:
    """The rules of the page's style sheet that drawings need, without variables.

    Programs that draw SVG seldom know those; browsers show the same either way.
    """
    ink = palette.page(scheme)
    rules = [
        f"text{{fill:{ink['soft']};font-size:12.5px}}",
        ".mid{text-anchor:middle}.end{text-anchor:end}",
        ".name{font-size:13px}",
        f".title{{fill:{ink['ink']};font-weight:600;font-size:13.5px}}",
        ".tag{font-weight:600;font-size:13px}",
        f"path{{fill:none}}.grid{{stroke:{ink['grid']}}}.axis{{stroke:{ink['soft']}}}",
        ".line{stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}",
        ".dot{stroke-width:9;stroke-linecap:round}",
        f".hole{{stroke:{ink['card']};stroke-width:4.6;stroke-linecap:round}}",
        ".square{stroke-linecap:butt;stroke-width:8}.hole.square{stroke-width:4}",
        f".cross{{stroke:{ink['soft']};stroke-width:1.8}}",
        ".whisker{stroke-width:1.4;opacity:.6}",
        f".line.offered{{stroke:{ink['soft']};stroke-width:1.5;stroke-dasharray:5 5}}",
        ".line.limit{stroke-width:1.6;stroke-dasharray:7 4}.line.capacity{stroke-width:1.6}",
        ".line.p50{stroke-dasharray:1 5}.line.p99{stroke-dasharray:8 5}",
        ".area{opacity:.18}.area.outer{opacity:.09}.band{opacity:.14}",
        ".line.dashed{stroke-dasharray:7 5}.line.over{stroke-width:1.6}.small{font-size:11px}",
        f".full{{stroke:{ink['soft']};stroke-width:1.2}}",
        ".dot.ceiling{stroke-width:13}.hole.ceiling{stroke-width:8}",
        ".line.rule{stroke-width:1.6;opacity:.75}",
        f".frame{{font-size:11px;fill:{ink['ink']}}}",
        ".flame0{fill-opacity:.12}.flame1{fill-opacity:.2}",
        ".flame2{fill-opacity:.34}.flame3{fill-opacity:.5}",
        ".at{display:none}",
        f".band{{fill:{palette.drawn(scheme)['capacity']}}}",
        f".measured{{fill:{ink['accent']};opacity:.07}}",
        *palette.rules(scheme),
        f".bar.outlined{{fill:none;stroke:{ink['soft']};stroke-width:1.5;stroke-dasharray:5 4}}",
    ]
    return "".join(rules)
