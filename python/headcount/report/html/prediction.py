"""What more of each resource would hold."""

from headcount.report import prediction
from headcount.report.content import ReportContent
from headcount.report.html.table import Column, more, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.text import unbroken


def section(content: ReportContent) -> Html | None:
    """Show what the model predicts, and why it refuses; nothing without predictions."""
    predictions = content.predictions
    if not predictions:
        return None
    rows = prediction.rows(predictions)
    return make_section(
        prediction.TITLE,
        element("p", unbroken(prediction.introduction(predictions)), class_="soft")
        if rows
        else None,
        _table(rows) if rows else None,
        *(element("p", unbroken(refusal)) for refusal in prediction.refusals(predictions)),
        _unknowable(prediction.unknowable(predictions)),
    )


def _table(rows: list[prediction.PredictionRow]) -> Html:
    first, *figures, last = prediction.HEADINGS
    columns = [Column(first, text=True), *map(Column, figures), Column(last, text=True)]
    return table(columns, [row(columns, one.cells()) for one in rows], prediction.TITLE)


def _unknowable(texts: list[str]) -> Html | None:
    if not texts:
        return None
    items = (element("li", unbroken(one)) for one in texts)
    return more(prediction.UNKNOWABLE, element("ul", *items))
