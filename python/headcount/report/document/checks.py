"""Whether the measurement is sound: each check, its result, and its purpose."""

from collections.abc import Callable, Iterator, Sequence

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.document.blocks import Column, Row, Table, cells
from headcount.text import DASH, count, duration, plural, share


def checks(content: ReportContent) -> Table:
    """A row for each check, over all levels of the run that count."""
    return Table(
        "Checks of the measurement",
        [
            Column("Check", text=True),
            Column("Result", text=True),
            Column("What it is for", text=True),
        ],
        [Row(cells(*row)) for row in _rows(content.levels)],
        widths=[2, 3.4, 4.6],
    )


def _rows(levels: Sequence[LevelResult]) -> Iterator[tuple[str, str, str]]:
    valid = [level for level in levels if level.outcome != "invalid"]
    yield (
        "Levels that count",
        f"{count(len(valid))} of {count(len(levels))}",
        ("A level that the load generator or its machine limited says nothing about the server."),
    )
    steady = [level for level in valid if level.steadiness.steady]
    yield (
        "Steady state",
        f"{count(len(steady))} of {plural('valid level', len(valid))}",
        "While figures still rise or fall, they describe no particular load.",
    )
    yield (
        "Little's law",
        _largest(valid, _little, share),
        (
            "Users must equal throughput times response and think time. A large gap means that "
            "Headcount lost users or times."
        ),
    )
    yield (
        "Load achieved",
        _least_achieved(valid),
        "A server that completes less than falls due does not sustain the load.",
    )
    yield (
        "Errors",
        _errors(levels),
        "A failed operation is never fast: it counts against every response time criterion.",
    )
    yield (
        "Load generator",
        _largest(valid, lambda level: level.generator.busiest_worker_share, share)
        + " (busiest worker, of a core)",
        "Above 80%, users wait for the generator and not for the server.",
    )
    yield (
        "Timers of the generator",
        _largest(valid, lambda level: level.generator.timer_lateness_p99_ms, duration)
        + " lateness, 99th percentile",
        "Users who start late load the server less than they should.",
    )


def _little(level: LevelResult) -> float | None:
    return None if level.little_error is None else abs(level.little_error)


def _largest(
    levels: Sequence[LevelResult],
    of: Callable[[LevelResult], float | None],
    written: Callable[[float | None], str],
) -> str:
    """The largest of a figure, and where it was."""
    known = [(value, level.users) for level in levels if (value := of(level)) is not None]
    if not known:
        return DASH
    value, users = max(known)
    return f"{written(value)} at {plural('user', users)}"


def _least_achieved(levels: Sequence[LevelResult]) -> str:
    known = [
        (min(level.achieved_per_s / level.offered_per_s, 1.0), level.users)
        for level in levels
        if level.offered_per_s > 0
    ]
    if not known:
        return DASH
    least, users = min(known)
    return f"at least {share(least)} of what fell due, at {plural('user', users)}"


def _errors(levels: Sequence[LevelResult]) -> str:
    failed = sum(level.total.failed for level in levels)
    ended = failed + sum(level.total.completed for level in levels)
    if not ended:
        return DASH
    return f"{count(failed)} of {plural('scenario', ended)} failed ({share(failed / ended)})"
