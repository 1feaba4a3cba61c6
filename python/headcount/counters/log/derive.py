"""Figures that follow from others of the same log: sums of directions, shares of a limit."""

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.table import highest
from headcount.counters.naming import INTERFACE, instance_name, split_instance

_DIRECTIONS = (
    ("system.disk.io", "disk.io.direction", ("read", "write")),
    ("system.disk.operations", "disk.io.direction", ("read", "write")),
    ("system.network.io", "network.io.direction", ("receive", "transmit")),
)
_IO = "system.network.io"
_SPEED = "system.network.speed"
_USE = "system.network.utilization"
_AVAILABLE = "system.linux.memory.available"


def derive(columns: dict[str, Column]) -> None:
    """Add figures that follow from the columns. Figures of the log itself stay.

    Totals of disks and interfaces are the sums of both directions, if both are known. A link's
    use is its busier direction over its speed (links carry both at once), as sar's %ifutil. Memory
    in use is 1 - available / memory, the commit limit used committed / limit.
    """
    for total, attribute, (one, other) in _DIRECTIONS:
        family = f"{total}{{{attribute}={one}}}"
        for name in [name for name in columns if split_instance(name)[0] == family]:
            opposite = name.replace(f"{attribute}={one}", f"{attribute}={other}")
            if opposite in columns:
                _add(columns, _without(name, attribute, one), columns[name] + columns[opposite])
    _links(columns)
    if _AVAILABLE in columns and "system.memory.limit" in columns:
        share = _ratio(columns[_AVAILABLE], columns["system.memory.limit"])
        _add(columns, "system.memory.utilization", 1.0 - share)
    if "system.memory.committed" in columns and "system.memory.commit_limit" in columns:
        share = _ratio(columns["system.memory.committed"], columns["system.memory.commit_limit"])
        _add(columns, "system.memory.commit_utilization", share)


def _links(columns: dict[str, Column]) -> None:
    for name in list(columns):
        family, interface = split_instance(name)
        if family != _SPEED or interface is None:
            continue
        ways = [
            columns[way]
            for direction in ("receive", "transmit")
            if (way := _instance(f"{_IO}{{network.io.direction={direction}}}", interface))
            in columns
        ]
        both = _instance(_IO, interface)
        if len(ways) < 2 and both in columns:
            ways = [columns[both]]
        if ways:
            _add(columns, _instance(_USE, interface), _ratio(highest(ways), columns[name]))
    shares = [column for name, column in columns.items() if split_instance(name)[0] == _USE]
    if shares:
        _add(columns, f"{_USE}.busiest", highest(shares))


def _instance(family: str, interface: str) -> str:
    return instance_name(family, INTERFACE, interface)


def _add(columns: dict[str, Column], name: str, column: Column) -> None:
    """Add a column; if it exists, only fill its gaps."""
    if name in columns:
        column = np.where(np.isnan(columns[name]), column, columns[name])
    if not np.isnan(column).all():
        columns[name] = column


def _ratio(part: Column, whole: Column) -> Column:
    """A share of a whole; absent if the whole is 0, like the speed of a link that is down."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def _without(name: str, attribute: str, value: str) -> str:
    """A counter's name without one of its attributes."""
    rest = name.replace(f"{attribute}={value},", "").replace(f"{attribute}={value}", "")
    return rest.replace("{}", "")
