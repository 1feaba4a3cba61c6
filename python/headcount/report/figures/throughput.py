"""Throughput and CPU against users on two axes: the chart of every capacity report.

Two scales in one chart mislead where their lines cross, so both begin at zero, the share goes to
100%, they share one grid, and each axis has the colour and the mark of its line. What is late,
slow or failed is in a separate panel below.
"""

from collections.abc import Sequence
from dataclasses import replace

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.band import capacity_band, saturation_rule
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.hover import strips
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, even, from_zero, shared
from headcount.report.chart.tick import percent_tick, rate_tick
from headcount.report.figures import against_users
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.levels import is_behind, level_text, marks, users_scale, valid
from headcount.report.figures.plot import Axis, Plot, Series
from headcount.report.markup import Html, element, joined
from headcount.report.resources import CPU
from headcount.report.selection import by_users, counter_mean
from headcount.text import count, plural, share, significant

INTERVALS = 5
"""Intervals of both axes: on the right, 20% each."""
LEAST_OVERLOAD = 0.1
"""The least upper end of the overload scale: on a finer one, chance in single scenarios would look
like a rise."""
RATE, USED, LATE = "Scenarios per second", "CPU of the server", "Overload: late, slow or failed"


def figure(run: Run) -> Figure | None:
    """Draw it; None without levels."""
    if not run.levels:
        return None
    title = _title(run)
    alt = _in_words(run)
    return Figure(
        name="throughput",
        title=title,
        alt=alt,
        caption=_caption(run),
        svg=_drawing(run, WIDE, title, alt),
        narrow=_drawing(run, NARROW, title, alt),
        table=_table(run),
        plot=_plot(run),
    )


def cpu_of(level: LevelResult) -> float | None:
    """The mean CPU of the system under test in a level, from 0 to 1; None if not sampled."""
    return counter_mean(level, CPU)


def _sampled(run: Run) -> bool:
    return any(cpu_of(level) is not None for level in run.levels)


def _overloaded(run: Run) -> bool:
    return any(level.total.overload is not None for level in run.levels)


def _title(run: Run) -> str:
    drawn = ["Throughput", *(["CPU"] if _sampled(run) else [])]
    drawn += ["overload"] if _overloaded(run) else []
    return (
        f"{' and '.join([', '.join(drawn[:-1]), drawn[-1]] if drawn[1:] else drawn)} against users"
    )


def _caption(run: Run) -> str:
    axes = (
        " Left axis: scenarios per second (round marks); right axis: CPU (square marks). Where the "
        "two lines cross means nothing."
    )
    return marks(run.levels) + (axes if _sampled(run) else "")


def _drawing(run: Run, room: Room, title: str, alt: str) -> Html:
    levels = run.levels
    right = room.width - room.right
    x = users_scale(run, room.left, right)
    top = 64.0
    bottom = top + (260.0 if room.hover else 200.0)
    rates = [level.achieved_per_s for level in levels]
    offered = [level.offered_per_s for level in valid(levels)]
    scale = shared([*rates, *offered], INTERVALS, bottom, top)
    left_panel = Panel(room.left, top, right, bottom, x, scale)
    panels = [left_panel]
    parts: list[Html | None] = [
        axis.upright(
            left_panel,
            rate_tick,
            style="throughput" if _sampled(run) else "",
            at=even(scale, INTERVALS),
        )
    ]
    lines = [_rates(run, left_panel)]
    if _sampled(run):
        used = Linear(0, 1, bottom, top)
        right_panel = Panel(room.left, top, right, bottom, x, used)
        parts.append(axis.upright_right(right_panel, percent_tick, even(used, INTERVALS), "cpu"))
        lines.insert(0, _cpu(run, right_panel))
    if _overloaded(run):
        panels.append(_below(run, room, bottom))
        parts.append(axis.upright(panels[-1], percent_tick, 2))
        lines.append(_overload(run, panels[-1]))
    verdict = run.verdict
    parts += [
        capacity_band(panels, verdict.capacity if verdict else None, short=not room.hover),
        saturation_rule(panels, verdict.plateaus if verdict else ()),
        *lines,
        axis.lower(panels[-1], count, room.x_ticks, "Users"),
        strips(panels, [(level.users, level_text(level)) for level in levels])
        if room.hover
        else None,
    ]
    return drawing(room, panels[-1].bottom + 46, title, alt, *parts)


def _below(run: Run, room: Room, above: float) -> Panel:
    """The panel of the overload."""
    start = above + 50
    end = start + (90 if room.hover else 76)
    right = room.width - room.right
    values = [level.total.overload for level in run.levels]
    scale = from_zero([LEAST_OVERLOAD, *values], end, start, most=1)
    return Panel(room.left, start, right, end, users_scale(run, room.left, right), scale)


def _rates(run: Run, panel: Panel) -> Html:
    levels = valid(run.levels)
    offered = [(level.users, level.offered_per_s) for level in levels]
    due = through_levels(panel, offered, "offered") if any(map(is_behind, levels)) else None
    name = RATE + (" (dashed: fell due)" if due and panel.right > 700 else "")
    return joined(
        [
            axis.key(panel.left - 52, 12, "throughput"),
            element("text", name, x=panel.left - 28, y=16, class_="title throughput"),
            due,
            through_levels(
                panel, [(level.users, level.achieved_per_s) for level in levels], "throughput"
            ),
            dots(
                panel,
                [(level.users, level.achieved_per_s, level.outcome) for level in run.levels],
                "throughput",
            ),
        ]
    )


def _cpu(run: Run, panel: Panel) -> Html:
    x = panel.right + 44
    return joined(
        [
            element("text", USED, x=x - 24, y=16, class_="title cpu end"),
            axis.key(x - 18, 12, "cpu", square=True),
            through_levels(panel, [(one.users, cpu_of(one)) for one in valid(run.levels)], "cpu"),
            dots(
                panel,
                [(one.users, cpu_of(one), one.outcome) for one in run.levels],
                "cpu",
                square=True,
            ),
        ]
    )


def _overload(run: Run, panel: Panel) -> Html:
    values = [(level.users, level.total.overload) for level in valid(run.levels)]
    marked = [(level.users, level.total.overload, level.outcome) for level in run.levels]
    return joined(
        [
            element("text", LATE, x=panel.left - 52, y=panel.top - 18, class_="title overload"),
            through_levels(panel, values, "overload"),
            dots(panel, marked, "overload"),
        ]
    )


def _in_words(run: Run) -> str:
    levels = sorted(run.levels, key=lambda level: level.users)
    first, last = levels[0], levels[-1]
    used = (
        f" CPU of the server goes from {share(cpu_of(first))} to {share(cpu_of(last))}."
        if _sampled(run)
        else ""
    )
    return (
        f"{plural('level', len(levels))} from {plural('user', first.users)} with "
        f"{significant(first.achieved_per_s)} scenarios per second to {plural('user', last.users)} "
        f"with {significant(last.achieved_per_s)}.{used}"
    )


def _table(run: Run) -> Table:
    rows = [
        [
            count(level.users),
            level.outcome,
            significant(level.achieved_per_s),
            significant(level.offered_per_s),
            share(cpu_of(level)),
            share(level.total.overload),
        ]
        for level in by_users(run.levels)
    ]
    columns = (
        "Users",
        "Outcome",
        "Scenarios/s",
        "Due, scenarios/s",
        "CPU of the server",
        "Overload",
    )
    return Table(columns, rows)


def _plot(run: Run) -> Plot:
    series = against_users.level_series(run, RATE, "throughput", lambda level: level.achieved_per_s)
    if any(map(is_behind, valid(run.levels))):
        due = against_users.level_line(run, lambda level: level.offered_per_s)
        series = [Series("Fell due", "users", due, dash=True), *series]
    right: Sequence[Axis] = ()
    if _sampled(run):
        series = [
            *series,
            *against_users.level_series(run, USED, "cpu", cpu_of, side="right", square=True),
        ]
        right = (Axis(USED, "share", most=1),)
    return Plot(
        x=Axis("Users", "count"),
        left=Axis(RATE, "rate"),
        right=right[0] if right else None,
        series=series,
        rules=against_users.capacity_rules(run),
        bands=against_users.capacity_bands(run),
        height=310,
        below=[_late(run)] if _overloaded(run) else [],
    )


def _late(run: Run) -> Plot:
    """The panel of the overload."""
    values = [level.total.overload for level in run.levels]
    most = from_zero([LEAST_OVERLOAD, *values], 0, 1, most=1).high
    unnamed = [replace(rule, name="") for rule in against_users.capacity_rules(run)]
    return Plot(
        x=Axis("Users", "count"),
        left=Axis(LATE, "share", most=most),
        series=against_users.level_series(
            run, LATE, "overload", lambda level: level.total.overload
        ),
        rules=unnamed,
        bands=against_users.capacity_bands(run),
        height=110,
    )
