"""CPU of two configurations side by side at equal numbers of users: figure 2 of the 1998 study."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.report.figures import bars
from headcount.report.figures.bars import Bars, Group
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.figures.pair import STYLES, Side, common
from headcount.report.figures.throughput import cpu_of
from headcount.text import DASH, count, plural, share, significant

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
    groups = [Group(one.users, [cpu_of(one) or 0.0, cpu_of(two) or 0.0]) for one, two in pairs]
    names = [first.name, second.name]
    drawn = Bars(TITLE, alt, "CPU of the server", names, STYLES.__getitem__, groups)
    return Figure(
        name="cpu-pair",
        title=TITLE,
        alt=alt,
        caption=(
            f"{alt} Each bar is the mean over a level's measured part, at equal numbers of users. "
            "Less CPU for the same work leaves room for more users only where the CPU is the "
            "limit."
        ),
        svg=bars.wide(drawn),
        narrow=bars.narrow(drawn),
        table=_table(pairs, first, second),
    )


def _in_words(pairs: Pairs, first: Side, second: Side) -> str:
    one, two = pairs[-1]
    return (
        f"At {plural('user', one.users)} {first.name} uses {share(cpu_of(one))} of the CPU at "
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
