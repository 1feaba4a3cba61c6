"""A figure on the page: its drawing, its texts, and the numbers behind it."""

from headcount.report.figures.figure_types import Figure
from headcount.report.figures.plot import plot_json
from headcount.report.html import table
from headcount.report.html.table import Column
from headcount.report.markup import Html, element, joined


def section(figure: Figure | None, *parts: Html | None) -> Html | None:
    """Make a section of a figure, with more blocks below it; nothing without a figure."""
    if figure is None:
        return None
    return table.section(figure.title, drawn(figure), *parts, style="chart")


def folded(figure: Figure | None, *parts: Html | None) -> Html | None:
    """Make a folded section of a figure; nothing without a figure."""
    if figure is None:
        return None
    return table.folded(figure.title, drawn(figure), *parts, style="chart")


def drawn(figure: Figure) -> Html:
    """Draw a figure in both widths, with its caption and the table behind it."""
    return joined(
        [
            element(
                "figure",
                figure.svg,
                figure.narrow,
                element("figcaption", figure.caption),
                id=figure.name,
                data_plot=plot_json(figure.plot) if figure.plot is not None else None,
            ),
            behind(figure),
        ]
    )


def behind(figure: Figure) -> Html | None:
    """The numbers behind a figure, folded."""
    if not figure.table.rows:
        return None
    columns = [
        Column(heading, text=not index) for index, heading in enumerate(figure.table.columns)
    ]
    rows = [table.row(columns, list(cells)) for cells in figure.table.rows]
    return element(
        "details",
        element("summary", "The numbers behind it"),
        table.table(columns, rows, f"The numbers behind: {figure.title}", "short"),
        class_="behind",
    )
