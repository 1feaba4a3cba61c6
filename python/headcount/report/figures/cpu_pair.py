"""CPU of two configurations side by side at equal numbers of users: figure 2 of the 1998 study."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.report.chart import axis
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, from_zero
from headcount.report.chart.tick import percent_tick
from headcount.report.figures.pair import STYLES, Side, common
from headcount.report.figures.record import Figure, Table
from headcount.report.figures.throughput import cpu_of
from headcount.report.markup import Html, element, joined
from headcount.text import DASH, count, share, significant

MOST_GROUPS = 8
"""Groups of bars: more could not be told apart on a page's width."""
MOST_NARROW = 4
TITLE = "CPU of both configurations"
Pairs = Sequence[tuple[LevelResult, LevelResult]]


def figure(first: Side, second: Side) -> Figure | None:
    """Draw it; None where no number of users was measured with CPU on both sides."""
    pairs = [
        (one, two)
        for one, two in common(first, second)
        if cpu_of(one) is not None and cpu_of(two) is not None
    ]
    if not pairs:
        return None
    alt = _in_words(pairs, first, second)
    return Figure(
        name="cpu-pair",
        title=TITLE,
        alt=alt,
        caption=(
            f"{alt} Each bar is the mean over a level's measured part, at equal numbers of users. "
            "Less CPU for the same work is room for more users only where CPU is what stops it."
        ),
        svg=_drawing(_picked(pairs, MOST_GROUPS), (first, second), WIDE, alt),
        narrow=_drawing(_picked(pairs, MOST_NARROW), (first, second), NARROW, alt),
        table=_table(pairs, first, second),
    )


def _picked(pairs: Pairs, most: int) -> Pairs:
    """So many of the levels, evenly over them, the last one among them."""
    if len(pairs) <= most:
        return pairs
    step = (len(pairs) - 1) / (most - 1)
    return [pairs[round(index * step)] for index in range(most)]


def _drawing(pairs: Pairs, sides: tuple[Side, Side], room: Room, alt: str) -> Html:
    top, height = 84.0, (240.0 if room.hover else 180.0)
    bottom, right = top + height, room.width - 18.0
    every = [cpu_of(level) for pair in pairs for level in pair]
    panel = Panel(
        room.left,
        top,
        right,
        bottom,
        Linear(0, len(pairs), room.left, right),
        from_zero(every, bottom, top, most=1.0),
    )
    return drawing(
        room,
        bottom + 46,
        TITLE,
        alt,
        element("text", "CPU of the server", x=panel.left - 52, y=16, class_="title"),
        *(_named(panel, side.name, index) for index, side in enumerate(sides)),
        axis.upright(panel, percent_tick),
        *(_group(panel, pair, index) for index, pair in enumerate(pairs)),
        element("text", "Users", x=(panel.left + right) / 2, y=bottom + 38, class_="mid name"),
    )


def _named(panel: Panel, name: str, index: int) -> Html:
    y = 28 + 20 * index
    return joined(
        [
            element(
                "rect", x=panel.left - 52, y=y, width=18, height=12, class_=f"bar {STYLES[index]}"
            ),
            element("text", name, x=panel.left - 26, y=y + 11, class_=f"tag {STYLES[index]}"),
        ]
    )


def _group(panel: Panel, pair: tuple[LevelResult, LevelResult], place: int) -> Html:
    middle = panel.x.at(place + 0.5)
    width = min((panel.x.at(1) - panel.x.at(0)) * 0.36, 46.0)
    parts = [element("text", count(pair[0].users), x=middle, y=panel.bottom + 18, class_="mid")]
    for index, level in enumerate(pair):
        used = cpu_of(level) or 0.0
        left = middle - width - 1 if index == 0 else middle + 1
        y = panel.y.at(used)
        parts += [
            element(
                "rect",
                x=left,
                y=y,
                width=width,
                height=max(panel.bottom - y, 0.5),
                class_=f"bar {STYLES[index]}",
            ),
            element(
                "text",
                f"{used:.0%}",
                x=left + width / 2,
                y=y - 5,
                class_=f"mid tag {STYLES[index]}",
            ),
        ]
    return joined(parts)


def _in_words(pairs: Pairs, first: Side, second: Side) -> str:
    one, two = pairs[-1]
    return (
        f"At {count(one.users)} users {first.name} uses {share(cpu_of(one))} of the CPU at "
        f"{significant(one.achieved_per_s)} scenarios per second, {second.name} "
        f"{share(cpu_of(two))} at {significant(two.achieved_per_s)}."
    )


def _table(pairs: Pairs, first: Side, second: Side) -> Table:
    rows = []
    for one, two in pairs:
        before, after = cpu_of(one), cpu_of(two)
        points = (after - before) * 100 if before is not None and after is not None else None
        rows.append(
            [
                count(one.users),
                share(before),
                share(after),
                f"{points:+.1f}" if points is not None else DASH,
                significant(one.achieved_per_s),
                significant(two.achieved_per_s),
            ]
        )
    columns = (
        "Users",
        f"{first.name}, CPU",
        f"{second.name}, CPU",
        "Difference, points",
        f"{first.name}, scenarios/s",
        f"{second.name}, scenarios/s",
    )
    return Table(columns, rows)
