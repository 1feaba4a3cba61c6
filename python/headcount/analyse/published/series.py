"""Published results as lines for charts and comparisons: users against a figure.

They were measured on other hardware, and mostly with other programs; every label says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from headcount.analyse.published.rows import Row, rows

CALLED: Mapping[str, str] = {
    "bytes_per_s": "B/s",
    "capacity": "users",
    "cpu": "share",
    "disk_bytes_per_s": "B/s",
    "marks_per_min": "/min",
    "mean_ms": "ms",
    "memory": "share",
    "p95_ms": "ms",
    "price": "USD",
    "price_per_mark": "USD",
    "price_per_user": "USD",
}
"""Figures that published results share with Headcount's own, with their units."""


@dataclass(frozen=True, slots=True)
class Series:
    """One published system's figure over its numbers of users; mostly a single point.

    Attributes:
        source: The document's id.
        system: The system's id.
        label: For a legend; says that it is published, when, and on what.
        short: The label in a few words, if room is scarce; it still says that it is published.
        test: The benchmark that was run.
        workloads: Headcount's workloads that re-create it.
        figure: What Headcount calls the figure (`CALLED`).
        unit: Headcount's unit of it.
        points: (users, figure), by users.
        hardware: What the system was.
        place: Document and section, for a footnote.

    """

    source: str
    system: str
    label: str
    short: str
    test: str
    workloads: tuple[str, ...]
    figure: str
    unit: str
    points: tuple[tuple[float, float], ...]
    hardware: str
    place: str


def series(
    figure: str | None = None, *, workload: str | None = None, source: str | None = None
) -> list[Series]:
    """The published lines of a figure, a workload or a document; without a filter, all of them.

    Rows that only repeat another table of the document are left out. Only units are converted, and
    nothing is interpolated: these are the points that were printed.
    """
    lines: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows():
        if row.called is None or row.repeats is not None or row.users is None:
            continue
        if figure not in (None, row.called) or source not in (None, row.source):
            continue
        if workload is not None and workload not in row.workloads:
            continue
        lines.setdefault((row.source, row.system, row.test, row.called), []).append(row)
    return [_series(found) for found in lines.values()]


def _series(found: list[Row]) -> Series:
    first = found[0]
    when = f"published {first.when}"
    points = sorted((float(row.users or 0), row.own_value or 0.0) for row in found)
    return Series(
        source=first.source,
        system=first.system,
        label=f"{first.label}: {first.test} ({when}, different hardware)",
        short=f"{first.label} ({when})",
        test=first.test,
        workloads=first.workloads,
        figure=first.called or "",
        unit=CALLED[first.called or ""],
        points=tuple(points),
        hardware=first.hardware,
        place=f"{first.publisher}, {first.place}",
    )
