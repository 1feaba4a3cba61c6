"""Every level, none left out: what was played, and what the server's machine used."""

from collections.abc import Callable, Sequence

from headcount.analyse.time_text import Name, least_text
from headcount.bundle.level import LevelResult, Times
from headcount.report.answer_sentences import PURPOSE, objections
from headcount.report.content import ReportContent
from headcount.report.document.blocks import Cell, Column, Row, Table
from headcount.report.resources import (
    Resources,
    is_over_loopback,
    network_text,
    resources,
)
from headcount.report.selection import by_users, errors_share
from headcount.text import (
    count,
    duration,
    interval,
    megabytes_per_s,
    memory,
    share,
    significant,
    span,
)

OFFERED_SHOWN_FROM = 0.02
"""Scenarios due are shown beside those done if they exceed them by more than this share."""

PLAYED = "Every level: throughput and response times"
USED = "Every level: resource use, and the quality of the measurement"


def played(content: ReportContent) -> Table:
    """Throughput, overload, errors and response times of every level, by users."""
    columns = [
        Column("Users"),
        Column("Outcome", text=True),
        Column("Scenarios/s"),
        Column("Overload"),
        Column("Errors"),
        Column("p50"),
        Column("p95"),
        Column("p99"),
        Column("Longest"),
    ]
    rows = [_played(level) for level in by_users(content.levels)]
    note = (
        "Sorted by users. Below the outcome: the level's number and purpose. Below scenarios/s: "
        "the rate that fell due, where the server did less. Overload: late, slow or failed. Below "
        "errors: their share of all scenarios that ended. Below p95: its 95% confidence interval. "
        "From: where it begins without what may be the load generator's own delay."
    )
    return Table(PLAYED, columns, rows, note, widths=[1, 1.7, 1.3, 1.2, 1.1, 1.2, 2.1, 1.2, 1.3])


def _played(level: LevelResult) -> Row:
    offered = level.offered_per_s > level.achieved_per_s * (1 + OFFERED_SHOWN_FROM)
    due = f"of {significant(level.offered_per_s)} due" if offered else ""
    failed, bounds = level.total.failed, level.total.p95_interval_ms
    times = level.total.response
    return Row(
        [
            Cell(count(level.users)),
            Cell(level.outcome, f"{level.index}: {PURPOSE[level.purpose]}", level.outcome),
            Cell(significant(level.achieved_per_s), due),
            Cell(share(level.total.overload)),
            Cell(count(failed), share(errors_share(level.total)) if failed else ""),
            _percentile(times, "p50_ms"),
            _percentile(
                times, "p95_ms", interval(*bounds, duration) + _wider(level) if bounds else None
            ),
            _percentile(times, "p99_ms"),
            _time(times, lambda found: found.max_ms),
        ],
        why=" ".join(objections(level)),
    )


def _percentile(times: Times | None, name: Name, below: str | None = None) -> Cell:
    """A percentile; below it its interval, or from where on it is the server's own."""
    value = duration(getattr(times, name) if times else None)
    return Cell(value, least_text(times, name) if below is None else below)


def _wider(level: LevelResult) -> str:
    return " or wider" if level.total.p95_interval_unreliable else ""


def _time(times: Times | None, of: Callable[[Times], float]) -> Cell:
    return Cell(duration(of(times) if times else None))


def used(content: ReportContent) -> Table:
    """What every level used, whether it was steady, and how well Little's law holds."""
    loopback = is_over_loopback(content.environment)
    levels = by_users(content.levels)
    known = [(level, resources(level, loopback=loopback)) for level in levels]
    figures = [one for one in _FIGURES if any(one[1](found) is not None for _, found in known)]
    columns = [
        Column("Users"),
        Column("Outcome", text=True),
        *(Column(heading) for heading, _, _ in figures),
        Column("Little's law"),
        Column("Steady", text=True),
        Column("Generator"),
    ]
    rows = [
        Row(
            [
                Cell(count(level.users)),
                Cell(level.outcome, mark=level.outcome),
                *(written(found) for _, _, written in figures),
                Cell(share(level.little_error)),
                Cell("yes" if level.steadiness.steady else "no", span(level.steady_s)),
                Cell(share(level.generator.busiest_worker_share)),
            ]
        )
        for level, found in known
    ]
    return Table(USED, columns, rows, _note(content, levels))


def _note(content: ReportContent, levels: Sequence[LevelResult]) -> str:
    sampled = [level for level in levels if level.counters.get("sut")]
    loopback = is_over_loopback(content.environment)
    text = (
        "Means over the measured part of each level, of the server's whole machine. Memory: in "
        "use, not counting what the system can free without swapping. Disk: reads and writes of "
        f"the physical disks. {network_text(sampled[-1], loopback=loopback)}. "
        if sampled
        else "CPU, memory, disk and network of the server are not known: no counters were sampled. "
    )
    return (
        f"{text}Little's law: how far the number of users is from throughput times response and "
        "think time; a large figure means that Headcount lost users or times. Below steady: the "
        "measured part. Generator: its busiest worker, as a share of a core."
    )


def _memory(found: Resources) -> Cell:
    if found.memory_bytes is None:
        return Cell(share(found.memory_share))
    return Cell(memory(found.memory_bytes), share(found.memory_share))


def _megabytes(value_bytes_per_s: float | None) -> Cell:
    return Cell(megabytes_per_s(value_bytes_per_s).removesuffix(" MB/s"))


_FIGURES: Sequence[tuple[str, Callable[[Resources], float | None], Callable[[Resources], Cell]]] = (
    ("CPU", lambda used: used.cpu_share, lambda used: Cell(share(used.cpu_share))),
    ("Memory", lambda used: used.memory_share, _memory),
    ("Disk MB/s", lambda used: used.disk_bytes_per_s, lambda u: _megabytes(u.disk_bytes_per_s)),
    (
        "Network MB/s",
        lambda used: used.network_bytes_per_s,
        lambda used: _megabytes(used.network_bytes_per_s),
    ),
)
"""Heading, the figure (None if unknown), and the text of the cell."""
