"""The diagnosis: the bottleneck, its evidence over the levels, and what is ruled out."""

from collections.abc import Sequence

from headcount.bundle.diagnosis import Diagnosis, Figure, LevelScores, Limit
from headcount.report.chart import axis
from headcount.report.chart.dots import Outcome, dots
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear
from headcount.report.content import ReportContent
from headcount.report.diagnosis import CHARTED, NAMES, charted, confidence, ruled_out
from headcount.report.document.prose import sentence
from headcount.report.figures.levels import users_scale
from headcount.report.html.counters import in_unit
from headcount.report.html.table import Column, more, row, table
from headcount.report.html.table import section as make_section
from headcount.report.markup import Html, element, joined
from headcount.text import count, plural, share, significant, unbroken

TITLE = "Bottleneck"
ROW = 26.0
"""Height of one strip, in pixels."""
APART = 34.0
HALF = 0.5
"""Score from which something can be the limit."""
LEAST_LEVELS = 2
"""Fewest different numbers of users for a chart."""


def section(content: ReportContent) -> Html | None:
    """Show the diagnosis; nothing without one."""
    found = content.verdict.diagnosis
    if found is None:
        return None
    drawn = len({level.users for level in found.levels}) >= LEAST_LEVELS and charted(found)
    note = (
        "Evidence for each resource against users, from 0 to 1. From 0.5, the dashed line, a "
        "resource can be the limit. Hollow: not saturated. Crossed: invalid level."
    )
    return make_section(
        TITLE,
        element(
            "p",
            element("b", unbroken(found.sentence)),
            element("span", f" {sentence(confidence(found))}", class_="soft")
            if confidence(found)
            else None,
            class_="broke",
        ),
        element("p", element("b", "Experiments: "), unbroken(content.confirmation.sentence))
        if content.confirmation is not None
        else None,
        _threads(found),
        _after(found),
        _doubts(found),
        more("Evidence", evidence) if (evidence := _figures(found.figures)) else None,
        more("Evidence against users", figure(lambda room: _drawing(content, found, room), note))
        if drawn
        else None,
        _candidates(found),
        more("Ruled out", ruled_out_list) if (ruled_out_list := _ruled_out(found)) else None,
        style="chart",
    )


def _figures(figures: Sequence[Figure]) -> Html | None:
    """The figures that decided the diagnosis, each with its threshold."""
    if not figures:
        return None
    columns = [
        Column("Evidence", text=True),
        Column("Measured"),
        Column("Threshold"),
        Column("Users"),
    ]
    rows = [
        row(
            columns,
            [
                joined([unbroken(one.sentence), element("small", f"{one.side}: {one.counter}")]),
                _in_unit(one.value, one.unit),
                _in_unit(one.threshold, one.unit),
                count(one.users),
            ],
        )
        for one in figures
    ]
    return table(columns, rows, "Evidence")


def _in_unit(value: float | None, unit: str) -> str:
    return in_unit(value, unit)


def _after(found: Diagnosis) -> Html | None:
    """The next limit, lines of the server's own log, and what to do."""
    parts: list[Html] = []
    if found.next is not None:
        parts += [_titled("Next limit", found.next.sentence)]
    parts += [
        joined(
            [
                element("h3", "Server log"),
                *(element("pre", line.text) for line in found.log_lines),
            ]
        )
        if found.log_lines
        else joined([])
    ]
    if found.advice:
        pieces = (element("li", unbroken(one.sentence)) for one in found.advice)
        parts += [element("h3", "Suggestions"), element("ul", *pieces)]
    return joined(parts) if parts else None


def _threads(found: Diagnosis) -> Html | None:
    """What the server's threads wait for; nothing without stacks."""
    if found.waits is None:
        return None
    texts = [found.waits.sentence, *([found.waits.program] if found.waits.program else [])]
    return joined([element("h3", "Threads"), *(element("p", _sentence_of(one)) for one in texts)])


def _sentence_of(text: str) -> str:
    return unbroken(sentence(text))


def _titled(title: str, text: str) -> Html:
    return joined([element("h3", title), element("p", unbroken(sentence(text)))])


def _doubts(found: Diagnosis) -> Html | None:
    lines = [*found.doubts, *(one.sentence for one in found.not_observed)]
    if not lines:
        return None
    items = element("ul", *(element("li", unbroken(one)) for one in lines))
    return more(f"{plural('doubt', len(lines))} about the diagnosis", items)


def _candidates(found: Diagnosis) -> Html | None:
    """All candidates, the strongest first."""
    if not found.candidates:
        return None
    columns = [Column("Limit", text=True), Column("Score"), Column("Evidence", text=True)]
    rows = [
        row(
            columns,
            [
                joined([NAMES[one.limit], element("small", one.detail) if one.detail else None]),
                share(one.score),
                "; ".join(each.sentence for each in one.figures),
            ],
        )
        for one in found.candidates
    ]
    return more("All candidates", table(columns, rows, "All candidates"))


def _ruled_out(found: Diagnosis) -> Html | None:
    if not found.ruled_out:
        return None
    items = (element("li", unbroken(ruled_out(one))) for one in found.ruled_out)
    return element("ul", *items)


def _drawing(content: ReportContent, found: Diagnosis, room: Room) -> Html:
    left = room.left + (70 if room.hover else 36)
    right = room.width - room.right
    x = users_scale(content, left, right)
    panels: list[Panel] = []
    drawn: list[Html | None] = []
    named = {found.limit, *(one.limit for one in found.joint)}
    top = 14.0
    for limit in charted(found):
        panel = Panel(left, top, right, top + ROW, x, Linear(0, 1, top + ROW, top))
        style = "named" if limit in named else "users"
        panels.append(panel)
        drawn.append(_strip(found, panel, limit, style, last=_last(found, limit)))
        top += APART
    texts = [(level.users, _hover_text(level)) for level in found.levels]
    return drawing(
        room,
        panels[-1].bottom + 46,
        TITLE,
        _in_words(found),
        *drawn,
        axis.lower(panels[-1], count, room.x_ticks, "Users"),
        strips(panels, texts) if room.hover else None,
    )


def _strip(found: Diagnosis, panel: Panel, limit: Limit, style: str, *, last: float | None) -> Html:
    """The evidence for a limit against users, between its name and its score."""
    values = [(level.users, level.scores.get(limit)) for level in found.levels if level.valid]
    marked = [(level.users, level.scores.get(limit), _outcome(level)) for level in found.levels]
    middle = (panel.top + panel.bottom) / 2 + 4
    half = panel.y.at(HALF)
    return joined(
        [
            element(
                "path",
                d=f"M{panel.left:.1f} {panel.bottom:.1f}H{panel.right:.1f}",
                class_="grid",
            ),
            element(
                "path",
                d=f"M{panel.left:.1f} {half:.1f}H{panel.right:.1f}",
                class_="grid half",
            ),
            element("text", CHARTED[limit], x=panel.left - 8, y=middle, class_=f"tag end {style}"),
            through_levels(panel, values, style),
            dots(panel, marked, style),
            element("text", f"{last:.2f}", x=panel.right + 10, y=middle, class_=f"tag {style}")
            if last is not None
            else None,
        ]
    )


def _outcome(level: LevelScores) -> Outcome:
    if not level.valid:
        return "invalid"
    return "passed" if level.saturated else "failed"  # filled and hollow


def _last(found: Diagnosis, limit: Limit) -> float | None:
    return next((one.score for one in found.candidates if one.limit == limit), None)


def _hover_text(level: LevelScores) -> str:
    lines = [plural("user", level.users) + (", saturated" if level.saturated else "")]
    ranked = sorted(level.scores.items(), key=lambda item: -item[1])
    lines += [f"{NAMES[limit]}: {significant(score)}" for limit, score in ranked if score > 0]
    return "\n".join(lines)


def _in_words(found: Diagnosis) -> str:
    ranked = [f"{NAMES[one.limit]} {significant(one.score)}" for one in found.candidates[:3]]
    return f"{found.sentence} Evidence: {', '.join(ranked)}."
