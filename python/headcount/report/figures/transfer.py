"""Bytes that the server sent and received, against users: figure 4 of the file-server study."""

from headcount.bundle.level import LevelResult
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.line import knots
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import megabyte_tick
from headcount.report.figures import against_users
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.levels import marks, users_scale, valid
from headcount.report.figures.lines import Frame, Line, chart
from headcount.report.figures.plot import Axis, Plot
from headcount.report.markup import Html
from headcount.report.selection import by_users
from headcount.text import DASH, count, megabytes_per_s, plural, share

TITLE = "Bytes sent and received by the server"
SENT, RECEIVED = "sent", "received"
LEAST_BYTES_PER_S = 1000.0
"""A workload below this at every level moves too little data for a chart."""


def sent(level: LevelResult) -> float:
    """Data that users read, in bytes per second: what the server sent."""
    return level.total.read_bytes_per_s


def received(level: LevelResult) -> float:
    """Data that users wrote, in bytes per second: what the server received."""
    return level.total.written_bytes_per_s


def sent_share(level: LevelResult) -> float | None:
    """The share of all data that the server sent; None if there was none."""
    both = sent(level) + received(level)
    return sent(level) / both if both > 0 else None


def figure(run: Run) -> Figure | None:
    """Draw it; None with one level, or if the workload moves hardly any data."""
    moved = [max(sent(level), received(level)) for level in valid(run.levels)]
    users = {level.users for level in valid(run.levels)}
    if max(moved, default=0.0) < LEAST_BYTES_PER_S or len(users) < 2:
        return None
    alt = _in_words(run)
    return Figure(
        name="transfer",
        title=TITLE,
        alt=alt,
        caption=(
            f"{alt} Data of the scenarios, without protocol overhead, in decimal megabytes. "
            f"{marks(run.levels)}"
        ),
        svg=_drawing(run, WIDE, alt),
        narrow=_drawing(run, NARROW, alt),
        table=_table(run),
        plot=Plot(
            x=Axis("Users", "count"),
            left=Axis("Megabytes per second", "bytes"),
            series=[
                *against_users.level_series(run, f"Server {SENT}", "one", sent),
                *against_users.level_series(
                    run, f"Server {RECEIVED}", "two", received, square=True
                ),
            ],
            rules=against_users.capacity_rules(run),
            bands=against_users.capacity_bands(run),
        ),
    )


def _drawing(run: Run, room: Room, alt: str) -> Html:
    both = [figure_of(level) for level in run.levels for figure_of in (sent, received)]
    frame = Frame(
        heading="Megabytes per second",
        below="Users",
        x=lambda start, end: users_scale(run, start, end),
        y=lambda start, end: from_zero(both, start, end),
        x_written=count,
        y_written=megabyte_tick,
        height=220.0,
    )
    lines = []
    for name, style, value in ((RECEIVED, "two", received), (SENT, "one", sent)):
        measured = [(level.users, value(level)) for level in valid(run.levels)]
        x = users_scale(run, room.left, room.width - room.right)
        panel = Panel(room.left, 0, room.width - room.right, 1, x, Linear(0, 1, 1, 0))
        marked = [(level.users, value(level), level.outcome) for level in run.levels]
        lines.append(Line(name, style, knots(panel, measured), marked, square=style == "two"))
    return chart(room, frame, lines, TITLE, alt)


def _in_words(run: Run) -> str:
    last = max(valid(run.levels), key=lambda level: sent(level) + received(level))
    part = sent_share(last)
    return (
        f"At {plural('user', last.users)} the server sent {megabytes_per_s(sent(last))} and "
        f"received {megabytes_per_s(received(last))}: {share(part)} of the data went to the "
        f"users{_ratio(last)}."
    )


def _ratio(level: LevelResult) -> str:
    if not sent(level) or not received(level):
        return ""
    return f", {sent(level) / received(level):.2g} bytes for each byte from them"


def _table(run: Run) -> Table:
    rows = [
        [
            count(level.users),
            level.outcome,
            megabytes_per_s(sent(level)),
            megabytes_per_s(received(level)),
            share(sent_share(level)) if sent_share(level) is not None else DASH,
        ]
        for level in by_users(run.levels)
    ]
    return Table(("Users", "Outcome", "Server sent", "Server received", "Share sent"), rows)
