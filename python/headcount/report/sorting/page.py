"""The sort experiment as one HTML page that needs nothing from anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount import __version__
from headcount.report.head import head
from headcount.report.html import table
from headcount.report.html.table import Column, row
from headcount.report.markup import Html, element, joined
from headcount.report.sorting import chart, sort_sentences
from headcount.report.sorting.figures import seconds, size, time_interval
from headcount.sort.experiment import Measured, Subject
from headcount.sort.setting_figures import Cliff, Figures
from headcount.text import DASH, count, unbroken

_COLUMNS = (
    Column("Memory"),
    Column("Sort size"),
    Column("Time"),
    Column("95% interval"),
    Column("On disk"),
    Column("Temporary"),
    Column("Runs"),
    Column("Passes"),
    Column("Memory used"),
    Column("CPU"),
    Column("Beside the fastest", text=True),
)


@dataclass(frozen=True, slots=True)
class SortContent:
    """What the page shows.

    Attributes:
        subject: What was sorted.
        measured: The results.
        figures: Those of each setting.
        cliffs: The time saved by fitting into memory.
        made_at: When the page was made, in words.

    """

    subject: Subject
    measured: Measured
    figures: Sequence[Figures]
    cliffs: Sequence[Cliff]
    made_at: str


def render(content: SortContent) -> str:
    """The whole page. Pure: the same content gives the same page."""
    title = f"Sorting {size(content.subject.data_bytes)}: time against memory"
    main = element("main", _header(content, title), _answer(content), *_body(content))
    footer = f"Made by Headcount {__version__}. This file needs no other files."
    body = element("body", main, element("footer", footer))
    return f"<!doctype html>\n{element('html', head(title), body, lang='en')}\n"


def _header(content: SortContent, title: str) -> Html:
    return element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} sort experiment", class_="brand"),
        element("h1", title),
        element("p", f"{content.made_at}. {sort_sentences.data(content.subject)}.", class_="where"),
    )


def _answer(content: SortContent) -> Html:
    over = [
        element("p", unbroken(sort_sentences.cliff(one)), class_="broke") for one in content.cliffs
    ]
    return element(
        "section",
        element(
            "p", unbroken(sort_sentences.best(content.figures)), class_="sentence", id="answer"
        ),
        *over,
        element("p", unbroken(sort_sentences.memory(content.subject)), class_="interval"),
        class_="answer",
        aria_label="The answer",
    )


def _body(content: SortContent) -> list[Html]:
    caveats = sort_sentences.caveats(content.subject, content.measured)
    return [
        chart.section(content.subject, content.figures),
        table.section(
            "Every setting",
            table.table(_COLUMNS, [_row(one) for one in content.figures], "Every setting"),
            element(
                "p",
                "Time: to the last write. On disk: until everything is on the disk. Both are "
                "geometric means. Differences within the noise are not ranked.",
                class_="note",
            ),
        ),
        table.section("To know", joined(element("p", unbroken(line)) for line in caveats)),
    ]


def _row(one: Figures) -> Html:
    limit = one.setting.memory_bytes
    first = one.trials[0].sorted
    cells = [
        "the machine's" if limit is None else size(limit),
        size(one.setting.sortsize_bytes),
        seconds(one.exit_s.value),
        time_interval(one.exit_s) or DASH,
        seconds(one.durable_s.value),
        size(one.temporary_bytes) if one.temporary_bytes else "none",
        count(first.budget.runs),
        count(first.passes),
        size(one.used_bytes),
        seconds(first.cpu_s),
        one.standing,
    ]
    return row(_COLUMNS, cells)
