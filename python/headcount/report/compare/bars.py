"""CPU of the servers side by side, at the loads that all of them were measured at."""

import statistics
from collections.abc import Sequence

from headcount.analyse.compare.record import Comparison, Subject
from headcount.report.chart import axis
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear
from headcount.report.chart.tick import percent_tick
from headcount.report.compare.look import style
from headcount.report.html import table
from headcount.report.markup import Html, element, joined
from headcount.text import count, share

METRIC = "cpu.utilization"
MOST_LOADS = 8
"""Loads drawn at the most, those of the most users: more would be too narrow to read."""
_GAP = 0.3
"""Share of a load's room that is left free."""


def section(found: Comparison) -> Html | None:
    """Draw it; nothing is drawn where no load was measured on all, with the CPU sampled."""
    loads = _loads(found)
    if not loads:
        return None
    return table.section(
        "CPU side by side",
        figure(
            lambda room: _drawing(found, loads[-(MOST_LOADS if room.hover else 4) :], room),
            "CPU of the server's whole machine at equal numbers of users, means over each level"
            " (medians where a load was measured several times).",
        ),
        style="chart",
    )


def _loads(found: Comparison) -> list[int]:
    shared: set[int] | None = None
    for subject in found.subjects:
        mine = {
            point.users
            for point in subject.points
            if METRIC in point.readings and point.outcome != "invalid"
        }
        shared = mine if shared is None else shared & mine
    return sorted(shared or ())


def _cpu(subject: Subject, users: int) -> float:
    return statistics.median(
        point.readings[METRIC].value
        for point in subject.points
        if point.users == users and METRIC in point.readings and point.outcome != "invalid"
    )


def _drawing(found: Comparison, loads: Sequence[int], room: Room) -> Html:
    right = room.width - 12.0
    top, bottom = 64.0, 270.0 if room.hover else 230.0
    panel = Panel(
        room.left, top, right, bottom, Linear(0, 1, room.left, right), Linear(0, 1, bottom, top)
    )
    said = "; ".join(
        f"{count(users)} users: "
        + ", ".join(f"{one.name} {share(_cpu(one, users))}" for one in found.subjects)
        for users in loads
    )
    return drawing(
        room,
        bottom + 46,
        "CPU side by side",
        said,
        element("text", "CPU of the server", x=panel.left - 52, y=16, class_="title"),
        _legend(found.subjects, panel),
        axis.upright(panel, percent_tick),
        *(
            _load(found.subjects, users, place, len(loads), panel)
            for place, users in enumerate(loads)
        ),
        element("path", d=f"M{panel.left:.1f} {bottom + 0.5:.1f}H{panel.right:.1f}", class_="axis"),
        element(
            "text",
            "Users",
            x=(panel.left + panel.right) / 2,
            y=bottom + 38,
            class_="mid name",
        ),
    )


def _legend(subjects: Sequence[Subject], panel: Panel) -> Html:
    """The names, each behind a bar of its own kind."""
    parts = []
    x = panel.left
    for place, subject in enumerate(subjects):
        parts += [
            element("rect", x=x, y=32.0, width=12.0, height=12.0, class_=f"bar {style(place)}"),
            element("text", subject.name, x=x + 17, y=42.5, class_=f"tag {style(place)}"),
        ]
        x += 34 + 8.0 * len(subject.name)
    return joined(parts)


def _load(subjects: Sequence[Subject], users: int, place: int, loads: int, panel: Panel) -> Html:
    """The bars at one load, with their figures above them."""
    room = (panel.right - panel.left) / loads
    wide = min(room * (1 - _GAP) / len(subjects), 64.0)
    middle = panel.left + room * (place + 0.5)
    parts = [
        element("text", count(users), x=middle, y=panel.bottom + 19, class_="mid"),
    ]
    for number, subject in enumerate(subjects):
        cpu = _cpu(subject, users)
        x = middle + (number - len(subjects) / 2) * wide
        y = panel.y.at(cpu)
        parts.append(
            element(
                "rect",
                x=x + 1,
                y=y,
                width=max(wide - 2, 1.0),
                height=panel.bottom - y,
                class_=f"bar {style(number)}",
            )
        )
        if wide >= 30:
            parts.append(
                element("text", f"{cpu:.0%}", x=x + wide / 2, y=y - 5, class_="mid bar-figure")
            )
    return joined(parts)
