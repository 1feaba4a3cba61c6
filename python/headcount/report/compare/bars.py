"""CPU of the servers side by side, at the loads that all of them were measured at."""

import statistics
from collections.abc import Sequence

from headcount.analyse.compare.comparison import Comparison, Subject
from headcount.report.compare.look import style
from headcount.report.figures import bars
from headcount.report.figures.bars import Bars, Group
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.html.drawn import section as of_figure
from headcount.report.markup import Html
from headcount.text import count, plural, share

METRIC = "cpu.utilization"
TITLE = "CPU side by side"


def section(found: Comparison) -> Html | None:
    """Draw it; nothing is drawn where no load was measured on all, with the CPU sampled."""
    return of_figure(figure(found))


def figure(found: Comparison) -> Figure | None:
    """The same as a figure."""
    names = [one.name for one in found.subjects]
    groups = [
        Group(users, [_cpu(one, users) for one in found.subjects])
        for users in _loads(found.subjects)
    ]
    if not groups:
        return None
    parts = [f"{name} {share(used)}" for name, used in zip(names, groups[-1].shares, strict=True)]
    alt = f"At {plural('user', groups[-1].users)}: {', '.join(parts)} of the CPU."
    drawn = Bars(TITLE, alt, "CPU of the server", names, style, groups)
    return Figure(
        name="cpu-bars",
        title=TITLE,
        alt=alt,
        caption=(
            f"{alt} CPU of the server's whole machine at equal numbers of users, means over each "
            "level (medians where a number of users was measured several times)."
        ),
        svg=bars.wide(drawn),
        narrow=bars.narrow(drawn),
        table=Table(
            ("Users", *(f"{name}, CPU" for name in names)),
            [[count(group.users), *map(share, group.shares)] for group in groups],
        ),
    )


def _loads(subjects: Sequence[Subject]) -> list[int]:
    """Numbers of users at which the CPU of all of them is known."""
    known = [
        {
            point.users
            for point in subject.points
            if METRIC in point.readings and point.outcome != "invalid"
        }
        for subject in subjects
    ]
    return sorted(set.intersection(*known)) if known else []


def _cpu(subject: Subject, users: int) -> float:
    return statistics.median(
        point.readings[METRIC].value
        for point in subject.points
        if point.users == users and METRIC in point.readings and point.outcome != "invalid"
    )
