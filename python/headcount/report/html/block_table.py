"""Tables of a document, as tables of the page."""

from headcount.report.document import blocks
from headcount.report.html.table import Cell, Column, row, table
from headcount.report.markup import Html, element, joined
from headcount.text import unbroken


def block_table(made: blocks.Table) -> Html:
    """A table of a document as HTML."""
    columns = [Column(one.heading, text=one.text) for one in made.columns]
    rows: list[Html] = []
    for one in made.rows:
        rows.append(row(columns, [_cell(cell) for cell in one.cells]))
        if one.why:
            why = element("td", element("div", one.why), colspan=str(len(columns)), class_="t")
            rows.append(element("tr", why, class_="why"))
    note = element("p", made.note, class_="note") if made.note else None
    return joined([table(columns, rows, made.caption), note])


def _cell(cell: blocks.Cell) -> Cell:
    text = unbroken(cell.text)
    if cell.mark is not None:
        return element("span", text, class_=f"outcome {cell.mark}")
    return joined([text, element("small", unbroken(cell.below)) if cell.below else None])
