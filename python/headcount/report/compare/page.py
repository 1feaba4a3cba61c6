"""A comparison as one HTML page that needs nothing from anywhere."""

from collections.abc import Sequence

from headcount import __version__
from headcount.analyse.compare.comparison import Comparison, Reference, Unlike
from headcount.analyse.compare.words import value
from headcount.report.compare import against, bars
from headcount.report.compare.cells import (
    Group,
    Row,
    finding_class,
    groups,
    subject_text,
    within_sentences,
    within_title,
)
from headcount.report.head import head
from headcount.report.html import table
from headcount.report.html.table import Column, row
from headcount.report.markup import Html, element, joined
from headcount.text import DASH, count, interval, plural, unbroken

_BADGES = {
    "better": ("passed", "better"),
    "worse": ("failed", "worse"),
    "not comparable": ("invalid", "not comparable"),
}


def render(found: Comparison, made_at: str) -> str:
    """The whole page. Pure: the same comparison gives the same page."""
    title = " against ".join(one.name for one in found.subjects[::-1])
    main = element(
        "main",
        header(title, [(one.name, subject_text(one)) for one in found.subjects], made_at),
        _answer(found),
        against.section(found, against.THROUGHPUT),
        against.section(found, against.RESPONSE),
        bars.section(found),
        *_tables(found),
        differences(found.unlike),
        _published(found.references),
        reading(_READING),
    )
    return document(title, main)


def document(title: str, main: Html) -> str:
    """The whole text of a page around its main part."""
    footer = f"Made by Headcount {__version__}. This file needs no other files."
    body = element("body", main, element("footer", footer))
    page = element(
        "html", head(f"Comparison: {title}", f"Headcount {__version__}"), body, lang="en"
    )
    return f"<!doctype html>\n{page}\n"


def header(title: str, subjects: Sequence[tuple[str, str]], made_at: str) -> Html:
    """The title, and who was compared: names and texts."""
    return element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} comparison", class_="brand"),
        element("h1", title),
        *(element("p", element("b", f"{name} "), text, class_="where") for name, text in subjects),
        element("p", f"Made {made_at}.", class_="where"),
    )


def _answer(found: Comparison) -> Html:
    equal = element("ul", *(element("li", unbroken(line)) for line in within_sentences(found)))
    return verdict(
        found.finding,
        found.sentence,
        found.doubts,
        _capacities(found),
        element("div", element("h3", within_title(found)), equal) if found.equalities else None,
    )


def verdict(finding: str, sentence: str, doubts: Sequence[str], *parts: Html | None) -> Html:
    """The answer, parts that belong to it, and what qualifies it."""
    kind, text = _BADGES.get(finding, ("", finding))
    lines = element("ul", *(element("li", unbroken(line)) for line in doubts))
    return element(
        "section",
        element("span", text, class_=f"badge {kind}".strip()),
        element("p", unbroken(sentence), class_="sentence", id="answer"),
        *parts,
        element("div", element("h3", "To know"), lines, class_="doubts") if doubts else None,
        class_="answer",
        aria_label="The answer",
    )


def _capacities(found: Comparison) -> Html | None:
    """The capacity of each subject, with its interval."""
    parts = []
    for one in found.subjects:
        if one.capacity is None:
            continue
        bounds = one.capacity.interval
        spread = f"95% interval {interval(*bounds)}" if bounds else ""
        parts.append(
            element(
                "div",
                element("h3", f"Capacity of {one.name}"),
                element("p", plural("user", one.capacity.value), class_="value"),
                element("p", spread),
            )
        )
    return element("div", *parts, class_="tiles") if parts else None


def _tables(found: Comparison) -> list[Html]:
    return [_table(group) for group in groups(found)]


def _table(group: Group) -> Html:
    columns = (
        Column("", text=True),
        Column(group.first),
        Column(group.second),
        Column(f"{group.second} against {group.first}"),
        Column("95% interval"),
        Column("The other way"),
        Column("Verdict", text=True),
    )
    title = f"{group.title}: {group.second} against {group.first}"
    return table.section(
        title, table.table(columns, [row(columns, _cells(one)) for one in group.rows], title)
    )


def _cells(one: Row) -> list[Html | str]:
    verdict = element("span", one.finding, class_=f"finding {finding_class(one.finding)}".strip())
    return [one.metric, one.a, one.b, one.there, one.interval, one.back, verdict]


def differences(differ: Sequence[Unlike]) -> Html | None:
    """What differs between the subjects besides what was compared; nothing if nothing does."""
    if not differ:
        return None
    lines = [element("li", one.sentence) for one in differ]
    return table.section("What differs", element("ul", *lines))


def _published(references: Sequence[Reference]) -> Html | None:
    """Published results beside what was measured: never compared by a test."""
    if not references:
        return None
    columns = (
        Column("Published", text=True),
        Column("Figure"),
        Column("Users"),
        Column("Source", text=True),
        Column("Why it is not compared", text=True),
    )
    rows = [
        row(
            columns,
            [
                one.label,
                value(one.value, one.unit),
                DASH if one.users is None else count(one.users),
                one.source,
                one.remark,
            ],
        )
        for one in references
    ]
    return table.section("Published results", table.table(columns, rows, "Published results"))


def reading(lines: Sequence[str]) -> Html:
    """How to read the page."""
    return table.section(
        "How to read this", joined(element("p", line, class_="note") for line in lines)
    )


_READING = (
    (
        "A percentage can be read in two directions: 22% less time is 1.28 times the speed. The "
        "column “The other way” shows the second."
    ),
    (
        "“Better” and “worse” mean that the whole 95% interval of the ratio lies on one side of "
        "no change. “No difference shown” does not mean that there is none: the interval shows "
        "how large it may be."
    ),
    (
        "Figures are compared only at numbers of users that all of them were measured at. Nothing "
        "is interpolated."
    ),
)
