"""What the server's machine used: columns of the table of levels, and a note on their meaning."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.html.table import Cell, Column, Filled
from headcount.report.markup import element, joined
from headcount.report.resources import Resources, is_over_loopback, network_text, resources
from headcount.text import megabytes_per_s, memory, share


@dataclass(frozen=True, slots=True)
class _Figure:
    """One resource: its heading, its figure, and the format of its cells."""

    heading: str
    value: Callable[[Resources], float | None]
    written: Callable[[Resources], Cell]


def columns(content: ReportContent) -> list[Filled]:
    """Make the columns of those resources that any level has a figure for."""
    loopback = is_over_loopback(content.environment)
    used = [resources(level, loopback=loopback) for level in content.levels]
    return [
        _filled(figure, loopback=loopback)
        for figure in _FIGURES
        if any(figure.value(one) is not None for one in used)
    ]


def _filled(figure: _Figure, *, loopback: bool) -> Filled:
    return Filled(
        Column(figure.heading),
        lambda level: figure.written(resources(level, loopback=loopback)),
    )


def sampled(content: ReportContent) -> list[LevelResult]:
    """Return the levels during which the server's machine was sampled."""
    return [level for level in content.levels if level.counters.get("sut")]


def note(content: ReportContent) -> str:
    """Say what the figures measure, or that there are none."""
    levels = sampled(content)
    if not levels:
        return (
            "CPU, memory, disk and network of the server are not known: no counters were sampled."
        )
    loopback = is_over_loopback(content.environment)
    both = ", which also ran the load generator" if loopback else ""
    return (
        f"Means over the measured part of each level, of the server's whole machine{both}. "
        "Memory: in use, not counting what the system can free without swapping. Disk: reads and "
        f"writes of the physical disks. {network_text(levels[-1], loopback=loopback)}."
    )


def _memory(used: Resources) -> Cell:
    part = element("small", share(used.memory_share)) if used.memory_bytes is not None else None
    return joined([memory(used.memory_bytes), part])


def _megabytes(value_bytes_per_s: float | None) -> str:
    """Give MB/s without the unit, which the heading has."""
    return megabytes_per_s(value_bytes_per_s).removesuffix(" MB/s")


_FIGURES: Sequence[_Figure] = (
    _Figure("CPU", lambda used: used.cpu_share, lambda used: share(used.cpu_share)),
    _Figure("Memory", lambda used: used.memory_bytes, _memory),
    _Figure(
        "Disk MB/s",
        lambda used: used.disk_bytes_per_s,
        lambda used: _megabytes(used.disk_bytes_per_s),
    ),
    _Figure(
        "Network MB/s",
        lambda used: used.network_bytes_per_s,
        lambda used: _megabytes(used.network_bytes_per_s),
    ),
)
