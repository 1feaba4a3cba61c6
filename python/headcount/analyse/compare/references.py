"""Published results as reference lines: drawn and listed beside a comparison, never compared."""

from collections.abc import Sequence

from headcount.analyse.compare.comparison import Reference
from headcount.analyse.published.series import Series, series
from headcount.errors import InputError

METRICS = {
    "capacity": "capacity",
    "marks_per_min": "marks",
    "mean_ms": "response.mean",
    "p95_ms": "response.p95",
    "cpu": "cpu.utilization",
    "price_per_user": "price",
}
"""Names of published figures in a comparison."""
_UNITS = {"/min": "1/min"}


def references(names: Sequence[str]) -> list[Reference]:
    """The printed points of published documents or systems, by their ids.

    Raises InputError for a name that is neither, or that prints nothing that is compared.
    """
    found: list[Reference] = []
    lines = series()
    for name in names:
        mine = [one for one in lines if name in (one.source, one.system)]
        if not mine:
            raise InputError(
                f'nothing published is called "{name}"; headcount published lists documents and '
                "systems"
            )
        known = [point for one in mine if one.figure in METRICS for point in _points(one)]
        if not known:
            raise InputError(f"{name} has no figure that a comparison uses")
        found += [point for point in known if point not in found]
    return found


def _points(line: Series) -> list[Reference]:
    return [
        Reference(
            label=line.short,
            source=line.place,
            metric=METRICS[line.figure],
            unit=_UNITS.get(line.unit, line.unit),
            users=int(users),
            value=value,
            remark=f"{line.test} on other hardware: {line.hardware}",
        )
        for users, value in line.points
    ]
