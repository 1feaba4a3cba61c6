"""Tables and the other blocks that sections share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.markup import Html, element, joined

Cell = Html | str


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, and whether it holds text rather than figures."""

    heading: str
    text: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """A column of a table of levels, and the text of its cells."""

    column: Column
    cell: Callable[[LevelResult], Cell]


def table(columns: Sequence[Column], rows: Sequence[Html], label: str, style: str = "") -> Html:
    """Make a table of rows made by :func:`row`; if too wide, it scrolls on its own."""
    head = element(
        "thead",
        element(
            "tr",
            *(
                element("th", column.heading, scope="col", class_="t" if column.text else None)
                for column in columns
            ),
        ),
    )
    body = element("tbody", *rows)
    # Focusable, so that keys can scroll it.
    return element(
        "div",
        element("table", head, body, class_=style or None),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=label,
    )


def row(columns: Sequence[Column], cells: Sequence[Cell], style: str | None = None) -> Html:
    """Make one row; its first cell names it."""
    made = [
        element(
            "td" if index else "th",
            cell,
            class_="t" if column.text else None,
            scope=None if index else "row",
        )
        for index, (column, cell) in enumerate(zip(columns, cells, strict=True))
    ]
    return element("tr", *made, class_=style)


def section(title: str, *parts: Html | None, style: str | None = None) -> Html:
    """Make a section with its heading."""
    return element("section", element("h2", title), *parts, class_=style)


def folded(title: str, *parts: Html | None, style: str | None = None) -> Html:
    """Make a section that shows only its heading until it is opened; open on paper."""
    kept = " ".join(name for name in ("fold", style) if name)
    summary = element("summary", element("h2", title))
    return element("section", element("details", summary, *parts), class_=kept)


def pairs(items: Sequence[tuple[str, Cell]]) -> Html:
    """Make a list of names and their texts."""
    return element(
        "dl",
        joined(element("div", element("dt", name), element("dd", value)) for name, value in items),
    )


def more(summary: str, *parts: Html, opened: bool = False) -> Html:
    """Make a part that opens on a click, and is open on paper."""
    return element("details", element("summary", summary), *parts, open=opened)
