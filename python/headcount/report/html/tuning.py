"""A tuning on the page: the claim, what changes, what was tried, and how to install it."""

from collections.abc import Iterator

from headcount.bundle.tuning import Tuning
from headcount.report.content import ReportContent
from headcount.report.document import tuning_tables as tables
from headcount.report.document.prose import sentence
from headcount.report.html.block_table import block_table
from headcount.report.html.table import folded, pairs, section
from headcount.report.markup import Html, element, joined
from headcount.report.tuning import (
    MEAN,
    TITLE,
    figure_text,
    findings,
    gain_text,
    headline,
    interval_text,
    noise_text,
    starts_text,
    state,
)
from headcount.text import count, unbroken

_BADGES = {"interrupted": "Interrupted", "failed": "Failed"}


def answer(content: ReportContent) -> Html | None:
    """What was found: the ratio with its interval, the figures, what binds and what changes."""
    found = content.tuning
    if found is None:
        return None
    number = headline(found)
    return element(
        "section",
        element("h2", TITLE),
        _badge(found),
        element("p", unbroken(number), class_="number") if number else None,
        element(
            "p", unbroken(found.sentence), class_="broke" if number else "sentence", id="answer"
        ),
        _interval(found),
        _tiles(found),
        element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", unbroken(text)))
                for name, text in _lines(found)
            ),
            class_="lines",
        ),
        class_="answer",
        aria_label="The answer",
    )


def changes(content: ReportContent) -> Html | None:
    """The changes with what each gains, and the files that install them."""
    found = content.tuning
    made = tables.changes(found) if found is not None else None
    if found is None or made is None:
        return None
    return section(made.caption, block_table(made), *_files(found))


def ladder(content: ReportContent) -> Html | None:
    """Both configurations at all loads; None if no load was played."""
    found = content.tuning
    parts = [] if found is None else [tables.ladder(found), tables.piloted(found)]
    return joined([section(one.caption, block_table(one)) for one in parts if one is not None])


def trials(content: ReportContent) -> Html | None:
    """Every race, the knobs left alone, and the noise."""
    found = content.tuning
    if found is None:
        return None
    tried, left = tables.races(found), tables.knobs(found)
    return joined(
        [
            section(tried.caption, block_table(tried)) if tried is not None else None,
            folded(left.caption, block_table(left)) if left is not None else None,
            folded("Noise", pairs([(name, unbroken(text)) for name, text in noise_text(found)])),
        ]
    )


def _badge(found: Tuning) -> Html | None:
    if found.ending in _BADGES:
        style = f"badge {found.ending}"
        return element("p", _BADGES[found.ending], class_=style)
    return None if found.changes else element("p", "No claim", class_="badge")


def _interval(found: Tuning) -> Html | None:
    if found.ratio is None:
        return None
    gain = gain_text(found, found.ratio)
    source = element("span", f" \N{MIDDLE DOT} {interval_text(found.ratio)}")
    return element("p", unbroken(sentence(gain)[:-1]), source, class_="interval")


def _tiles(found: Tuning) -> Html:
    figures = [("Before", found.before), ("After", found.after)]
    tiles = [
        *((name, figure_text(found, value), MEAN) for name, value in figures if value is not None),
        ("Users", count(found.users), "in the turns at the end"),
        ("Goal", found.goal, f"decided by: {found.measure}"),
        ("Server", found.server, found.target),
    ]
    return element(
        "div",
        *(
            element(
                "div",
                element("h3", name),
                element("p", unbroken(value), class_="value"),
                element("p", of),
            )
            for name, value, of in tiles
        ),
        class_="tiles",
    )


def _lines(found: Tuning) -> Iterator[tuple[str, str]]:
    yield from findings(found)
    if (starts := starts_text(found)) is not None:
        yield "Starts", starts
    yield "State", state(found)


def _files(found: Tuning) -> Iterator[Html]:
    for name, text in found.files.items():
        yield element("h3", name)
        yield element("pre", element("code", text), tabindex="0")
