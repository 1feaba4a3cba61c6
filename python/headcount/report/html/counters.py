"""Counters at capacity: the table of every capacity report, and all other counters, folded."""

from collections.abc import Callable, Sequence

from headcount.bundle.level import LevelResult
from headcount.counters.catalogue import lookup
from headcount.counters.naming import split_instance
from headcount.report.content import ReportContent
from headcount.report.html import usage
from headcount.report.html.table import Cell, Column, more, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element, joined
from headcount.report.resources import (
    CPU,
    READ,
    RECEIVED,
    SENT,
    WRITTEN,
    Resources,
    is_over_loopback,
    resources,
)
from headcount.report.selection import LINE_CPU, broken, counter_mean, line_cpu, published, shown
from headcount.text import DASH, megabytes_per_s, memory, plural, share, significant


def section(content: ReportContent) -> Html | None:
    """Show the level at the published capacity beside the last one that failed."""
    columns, levels = _columns(content)
    if not levels:
        return None
    loopback = is_over_loopback(content.environment)
    rows = [
        row(columns, [name, *(figure(level) for level in levels)])
        for name, figure in _figures(loopback=loopback)
    ]
    if any(line_cpu(level) for level in levels):
        rows.append(row(columns, [LINE_CPU, *map(_line, levels)]))
    note = element("p", usage.note(content), class_="note")
    return make_section(
        "Resources at capacity",
        table(columns, rows, "Counters at capacity", "short"),
        note,
        _all(levels),
    )


def _columns(content: ReportContent) -> tuple[list[Column], list[LevelResult]]:
    good, bad = published(content.verdict, content.levels), broken(content.verdict, content.levels)
    named = [("passed", good), ("failed", bad)]
    levels = [level for _, level in named if level is not None]
    if not levels:
        last = shown(content.verdict, content.levels)
        levels = [last] if last else []
    return [
        Column("Counter", text=True),
        *(Column(f"{plural('user', level.users)}, {level.outcome}") for level in levels),
    ], levels


def _of_share(name: str) -> Callable[[LevelResult], Cell]:
    return lambda level: share(counter_mean(level, name))


def _of_ways(
    total: Callable[[Resources], float | None], ways: Sequence[tuple[str, str]], *, loopback: bool
) -> Callable[[LevelResult], Cell]:
    """Show the sum of both directions, and below it each direction, given by name and counter."""

    def figure(level: LevelResult) -> Cell:
        parts = [(word, counter_mean(level, name)) for word, name in ways]
        known = any(part is not None for _, part in parts)
        text = ", ".join(f"{word} {megabytes_per_s(part)}" for word, part in parts)
        written = megabytes_per_s(total(resources(level, loopback=loopback)))
        return joined([written, element("small", text) if known else None])

    return figure


def _memory(level: LevelResult) -> Cell:
    used = resources(level, loopback=False)
    amount = element("small", memory(used.memory_bytes)) if used.memory_bytes is not None else None
    return joined([share(used.memory_share), amount])


def _generator(level: LevelResult) -> Cell:
    generator = level.generator
    limited = element("b", " was the limit") if generator.limited else None
    text = (
        f"{plural('worker', generator.workers)}, busiest {share(generator.busiest_worker_share)} "
        "of a core"
    )
    return joined([f"{significant(generator.cpu_cores)} cores", limited, element("small", text)])


def _line(level: LevelResult) -> Cell:
    cores, work = line_cpu(level) or (DASH, "")
    return joined([cores, element("small", work)])


def _figures(*, loopback: bool) -> Sequence[tuple[str, Callable[[LevelResult], Cell]]]:
    disk = (("read", READ), ("written", WRITTEN))
    # The loopback is one interface for both ends, so the directions cannot be distinguished.
    network = () if loopback else (("received", RECEIVED), ("sent", SENT))
    return (
        ("CPU", _of_share(CPU)),
        ("Busiest CPU", _of_share("system.cpu.utilization.busiest")),
        ("Memory", _memory),
        ("Disk", _of_ways(lambda used: used.disk_bytes_per_s, disk, loopback=loopback)),
        ("Network", _of_ways(lambda used: used.network_bytes_per_s, network, loopback=loopback)),
        ("Load generator CPU", _generator),
    )


def _all(levels: Sequence[LevelResult]) -> Html | None:
    """List every counter of both sides except those per device, which can be hundreds."""
    names = sorted(
        {
            (side, name)
            for level in levels
            for side, found in level.counters.items()
            for name in found
            if split_instance(name)[1] is None
        }
    )
    if not names:
        return None
    columns = [
        Column("Side", text=True),
        Column("Counter", text=True),
        *(Column(f"{what}, {plural('user', level.users)}") for level in levels for what in _WHAT),
    ]
    rows = [row(columns, [side, _named(name), *_both(levels, side, name)]) for side, name in names]
    return more("All counters", table(columns, rows, "All counters"))


_WHAT = ("Mean", "Max")


def _named(name: str) -> Cell:
    known = lookup(name)
    if known is None:
        return element("code", name)
    return joined([known.label, element("small", name)])


def _both(levels: Sequence[LevelResult], side: str, name: str) -> list[str]:
    known = lookup(name)
    unit = known.unit if known else None
    cells: list[str] = []
    for level in levels:
        found = level.counters.get(side, {}).get(name)
        pair = (found.mean, found.max) if found else (None, None)
        cells += [in_unit(value, unit) for value in pair]
    return cells


def in_unit(value: float | None, unit: str | None) -> str:
    """A figure with its unit, given as in the catalogue (UCUM); None is a dash."""
    if value is None:
        return DASH
    special = {"1": share, "By": memory, "By/s": megabytes_per_s}
    if unit in special:
        return special[unit](value)
    noun = (unit or "").replace("{", "").replace("}", "")
    return f"{significant(value)} {noun}".rstrip()
