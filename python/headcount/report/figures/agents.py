"""The agents against each other: what their users did, and how full they were, level by level.

Users are alike on all agents. So a line that leaves the others in the upper panel is a slow agent,
and the lower panel shows whether its CPU is the reason.
"""

from collections.abc import Callable, Sequence
from statistics import median

from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.agents import Fleet
from headcount.report.chart import axis
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.line import medians, through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import percent_tick
from headcount.report.figures.agent_lines import (
    MOST_LINES,
    At,
    Line,
    Values,
    at_levels,
    lines_of,
    numbers_of,
    over,
)
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.levels import users_scale
from headcount.report.figures.lines import LEGEND_PX, shorten
from headcount.report.figures.plot import Axis, Plot, Rule, Series
from headcount.report.markup import Html, element, joined, number
from headcount.text import count, plural, share

TITLE = "Agents against each other"
DONE, USED = "Scenarios per user, of the mean of all", "CPU of the busiest worker"
UPPER_PX, LOWER_PX, GAP_PX = 190.0, 130.0, 56.0
"""Heights of the panels, and the room between them for the title of the lower one."""


def figure(run: Run, played: Sequence[Fleet]) -> Figure | None:
    """Draw it; None with one process or agent, or a single number of users."""
    found = at_levels(run.levels)
    if len({one.level.users for one in found}) < 2:
        return None
    lines = lines_of(run.levels, played, found)
    alt = _in_words(found)
    return Figure(
        name="agents",
        title=TITLE,
        alt=alt,
        caption=_caption(alt, found),
        svg=_drawing(run, found, lines, WIDE, alt),
        narrow=_drawing(run, found, lines, NARROW, alt),
        table=_table(found),
        plot=_plot(found, lines),
    )


def _drawing(run: Run, found: Sequence[At], lines: Sequence[Line], room: Room, alt: str) -> Html:
    right = room.width - 18.0
    x = users_scale(run, room.left, right)
    top = 24 + LEGEND_PX * len(lines) + 34
    middle = top + UPPER_PX
    lower = middle + GAP_PX
    done = [value for one in found for value in one.done.values()]
    upper_panel = Panel(room.left, top, right, middle, x, from_zero([1.0, *done], middle, top))
    lower_panel = Panel(
        room.left, lower, right, lower + LOWER_PX, x, Linear(0, 1, lower + LOWER_PX, lower)
    )
    left = room.left - 52
    return drawing(
        room,
        lower_panel.bottom + 46,
        TITLE,
        alt,
        *(_key(line, left, 12 + index * LEGEND_PX, right) for index, line in enumerate(lines)),
        element("text", DONE, x=left, y=top - 16, class_="title"),
        axis.upright(upper_panel, percent_tick),
        _rule(upper_panel, 1.0),
        *(_line(upper_panel, line, found, lambda at: at.done) for line in lines),
        element("text", USED, x=left, y=lower - 16, class_="title"),
        axis.upright(lower_panel, percent_tick, 5),
        _rule(lower_panel, BUSY_SHARE),
        *(_line(lower_panel, line, found, lambda at: at.used) for line in lines),
        axis.lower(lower_panel, count, room.x_ticks, "Users"),
    )


def _key(line: Line, x: float, y: float, right: float) -> Html:
    text = shorten(line.name, right - x - 26)
    colour = line.style.split(" ", 1)[0]
    return joined(
        [
            axis.key(x, y, line.style, square=line.square, marked=line.marked),
            element("text", text, x=x + 26, y=y + 4, class_=f"tag {colour}"),
        ]
    )


def _rule(panel: Panel, value: float) -> Html:
    y = number(panel.y.at(value))
    return element("path", d=f"M{number(panel.left)} {y}H{number(panel.right)}", class_="full")


def _line(panel: Panel, line: Line, found: Sequence[At], values: Callable[[At], Values]) -> Html:
    known = [(one.level, line.of(values(one))) for one in found]
    through = through_levels(panel, [(level.users, value) for level, value in known], line.style)
    colour = line.style.split(" ", 1)[0]
    marks = [(level.users, value, level.outcome) for level, value in known]
    marked = dots(panel, marks, colour, square=line.square) if line.marked else None
    return joined([through, marked])


def _in_words(found: Sequence[At]) -> str:
    """The slowest and the busiest agent, at the largest number of users."""
    last = found[-1]
    slowest = min(last.done, key=lambda one: last.done[one])
    number, users = plural("agent", len(numbers_of(found))), plural("user", last.level.users)
    text = (
        f"{number}. At {users} a user of agent {slowest} did {share(last.done[slowest])} of what "
        "users did on average, the least of all"
    )
    if not last.used:
        return f"{text}."
    busiest = max(last.used, key=lambda one: last.used[one])
    return f"{text}; the busiest worker was agent {busiest}'s, at {share(last.used[busiest])}."


def _caption(alt: str, found: Sequence[At]) -> str:
    signs = {
        "passed": "\N{BLACK CIRCLE} passed",
        "failed": "\N{WHITE CIRCLE} failed",
        "invalid": "\N{MULTIPLICATION SIGN} invalid",
    }
    outcomes = {one.level.outcome for one in found}
    named = ", ".join(text for outcome, text in signs.items() if outcome in outcomes)
    return (
        f"{alt} Users are alike, so all agents should be near 100%; one below is slow, or its way "
        f"to the server is. From {share(BUSY_SHARE)} of a core on, users wait for the agent. Each "
        f"mark is one level: {named}. Lines run through invalid levels, too: those are "
        "what a full agent spoils."
    )


def _table(found: Sequence[At]) -> Table:
    """A row for each agent of each level; with many agents, one per level with the extremes."""
    if len(numbers_of(found)) > MOST_LINES:
        return _extremes(found)
    made = [
        (
            count(one.level.users),
            one.level.outcome,
            str(number),
            share(one.done[number]),
            share(one.used.get(number)),
        )
        for one in found
        for number in sorted(one.done)
    ]
    return Table(("Users", "Outcome", "Agent", "Per user", "Busiest worker"), made)


def _extremes(found: Sequence[At]) -> Table:
    per_user = ("Per user: least", "Middle", "Most")
    busiest = ("Busiest worker: least", "Middle", "Most")
    made = [
        (
            count(one.level.users),
            one.level.outcome,
            count(len(one.done)),
            *(share(over(pick)(one.done)) for pick in (min, median, max)),
            *(share(over(pick)(one.used)) for pick in (min, median, max)),
        )
        for one in found
    ]
    return Table(("Users", "Outcome", "Agents", *per_user, *busiest), made)


def _plot(found: Sequence[At], lines: Sequence[Line]) -> Plot:
    below = Plot(
        x=Axis("Users", "count"),
        left=Axis(USED, "share", most=1.0),
        series=_series(found, lines, lambda at: at.used),
        rules=[Rule("full", "users", BUSY_SHARE)],
        height=150,
    )
    return Plot(
        x=Axis("Users", "count"),
        left=Axis(DONE, "share"),
        series=_series(found, lines, lambda at: at.done),
        rules=[Rule("", "users", 1.0)],
        height=240,
        below=[below],
    )


def _series(
    found: Sequence[At], lines: Sequence[Line], values: Callable[[At], Values]
) -> list[Series]:
    made = []
    for line in lines:
        known = [
            (float(one.level.users), value, one.level.outcome[0])
            for one in found
            if (value := line.of(values(one))) is not None
        ]
        points = [(users, value) for users, value, _ in known]
        colour = line.style.split(" ", 1)[0]
        if not line.marked:
            made.append(Series(line.name, colour, medians(points), dash=True))
            continue
        outcomes = "".join(outcome for _, _, outcome in known)
        made += [
            Series(f"{line.name} (line)", colour, medians(points)),
            Series(line.name, colour, points, draw="marks", outcomes=outcomes, square=line.square),
        ]
    return made
