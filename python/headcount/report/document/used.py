"""What the server used at the published capacity, beside the last level that failed."""

from collections.abc import Callable, Sequence

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.document.blocks import Cell, Column, Row, Table
from headcount.report.resources import (
    CPU,
    READ,
    RECEIVED,
    SENT,
    WRITTEN,
    is_over_loopback,
    resources,
)
from headcount.report.selection import LINE_CPU, broken, counter_mean, line_cpu, published, shown
from headcount.text import DASH, megabytes_per_s, memory, plural, share, significant


def resources_table(content: ReportContent) -> Table | None:
    """The capacity table of every report of this kind; None without a level."""
    levels = _levels(content)
    if not levels:
        return None
    loopback = is_over_loopback(content.environment)
    rows = [
        Row([Cell(name), *(figure(level) for level in levels)])
        for name, figure in _figures(loopback=loopback)
    ]
    if any(line_cpu(level) for level in levels):
        cells = [Cell(*(line_cpu(level) or (DASH, ""))) for level in levels]
        rows.append(Row([Cell(LINE_CPU), *cells]))
    heads = [f"{plural('user', level.users)}, {level.outcome}" for level in levels]
    return Table(
        "What the server used" + (" at the answer and beyond it" if len(levels) > 1 else ""),
        [Column("Counter", text=True), *map(Column, heads)],
        rows,
        "Means over the measured part of the level, of the server's whole machine.",
        widths=[1.4, *([2] * len(levels))],
    )


def _levels(content: ReportContent) -> list[LevelResult]:
    good, bad = published(content.verdict, content.levels), broken(content.verdict, content.levels)
    found = [level for level in (good, bad) if level is not None]
    last = shown(content.verdict, content.levels)
    return found or ([last] if last else [])


def _of_share(name: str) -> Callable[[LevelResult], Cell]:
    return lambda level: Cell(share(counter_mean(level, name)))


def _disk(level: LevelResult) -> Cell:
    total = resources(level, loopback=False).disk_bytes_per_s
    return Cell(megabytes_per_s(total), _ways(level, (("read", READ), ("written", WRITTEN))))


def _network(*, loopback: bool) -> Callable[[LevelResult], Cell]:
    # The loopback is one interface for both ends, so the directions cannot be distinguished.
    ways = () if loopback else (("received", RECEIVED), ("sent", SENT))

    def figure(level: LevelResult) -> Cell:
        total = resources(level, loopback=loopback).network_bytes_per_s
        return Cell(megabytes_per_s(total), _ways(level, ways))

    return figure


def _ways(level: LevelResult, ways: Sequence[tuple[str, str]]) -> str:
    parts = [(word, counter_mean(level, name)) for word, name in ways]
    if all(part is None for _, part in parts):
        return ""
    return ", ".join(f"{word} {megabytes_per_s(part)}" for word, part in parts)


def _memory(level: LevelResult) -> Cell:
    used = resources(level, loopback=False)
    amount = memory(used.memory_bytes) if used.memory_bytes is not None else ""
    return Cell(share(used.memory_share), amount)


def _generator(level: LevelResult) -> Cell:
    generator = level.generator
    limited = " was the limit" if generator.limited else ""
    busiest = f"busiest {share(generator.busiest_worker_share)} of a core"
    return Cell(
        f"{significant(generator.cpu_cores)} cores{limited}",
        f"{plural('worker', generator.workers)}, {busiest}",
    )


def _figures(*, loopback: bool) -> Sequence[tuple[str, Callable[[LevelResult], Cell]]]:
    return (
        ("CPU", _of_share(CPU)),
        ("Busiest CPU", _of_share("system.cpu.utilization.busiest")),
        ("Memory", _memory),
        ("Disk", _disk),
        ("Network", _network(loopback=loopback)),
        ("Load generator CPU", _generator),
    )
