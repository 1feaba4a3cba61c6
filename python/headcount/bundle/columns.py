"""The figures of many seconds as columns: the source of their table and its check."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Key = tuple[str, str, str]
"""Side, `of` and name of a figure."""

Totals = dict[Key, tuple[int, float]]
"""How many rows a table has of a figure, and the sum of their values."""

COMMON = ("t_s", "seconds", "level", "phase", "users")
"""What every row has of its second."""
SecondHead = tuple[float, float, int, str, int]
RUN = ("think_s", "sessions_opened", "backlog", "backlog_s", "backlog_overdue", "p95_ms")
"""Figures of a whole second that every version has written."""
LATER = ("logging_on",)
"""Figures that only later versions write."""
BAD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""Errors that a line raises which is not a second."""
ROWS = 250_000
"""Approximate rows of a block: 4 MB, some minutes of a run."""


@dataclass
class Block:
    """Figures of consecutive seconds.

    Attributes:
        seconds: What `COMMON` names, for each second.
        second: Index of the second of each figure.
        key: Number in `Keys` of the key of each figure.
        value: Value of each figure.

    """

    seconds: list[SecondHead]
    second: npt.NDArray[np.int32]
    key: npt.NDArray[np.int32]
    value: npt.NDArray[np.float64]


_MOST_LAYOUTS = 1000
"""How many are cached: each fault makes another one."""


@dataclass
class Keys:
    """All keys of a series, numbered as they come."""

    numbers: dict[Key, int] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], int] = field(default_factory=dict)
    _members: list[list[int]] = field(default_factory=list)
    _layouts: dict[tuple[int, ...], npt.NDArray[np.int32]] = field(default_factory=dict)

    def group(self, side: str, of: str, names: Iterable[str]) -> int:
        """The number of a group of figures; mostly the same ones, second after second."""
        group = (side, of, *names)
        found = self._groups.get(group)
        if found is None:
            keys = ((side, of, name) for name in group[2:])
            self._members.append([self.numbers.setdefault(key, len(self.numbers)) for key in keys])
            found = self._groups[group] = len(self._members) - 1
        return found

    def of(self, groups: Iterable[int]) -> npt.NDArray[np.int32]:
        """The numbers of the keys of these groups, one after the other."""
        layout = tuple(groups)
        found = self._layouts.get(layout)
        if found is None:
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.clear()
            members = [number for group in layout for number in self._members[group]]
            found = self._layouts[layout] = np.array(members, dtype=np.int32)
        return found


def blocks(seconds: Iterable[Any], keys: Keys, *, skip_bad: bool = False) -> Iterator[Block]:
    """The figures of all seconds in order; unknown ones are left out.

    Raises one of `BAD` at a line that is not a second, or skips it with `skip_bad`.
    """
    heads: list[SecondHead] = []
    numbers: list[npt.NDArray[np.int32]] = []
    values: list[npt.NDArray[np.float64]] = []
    rows = 0
    for second in seconds:
        try:
            head = tuple(second[key] for key in COMMON)
            found, figures = _figures(second, keys)
        except BAD:
            if skip_bad:
                continue
            raise
        heads.append(head)
        numbers.append(found)
        values.append(figures)
        rows += len(found)
        if rows >= ROWS:
            yield _block(heads, numbers, values)
            heads, numbers, values, rows = [], [], [], 0
    if heads:
        yield _block(heads, numbers, values)


def totals(seconds: Iterable[Any]) -> Totals:
    """The rows of all seconds, and the sum of their values; other lines are skipped."""
    keys = Keys()
    numbers, sums = np.zeros(0, dtype=np.int64), np.zeros(0)
    for block in blocks(seconds, keys, skip_bad=True):
        width = len(keys.numbers)
        numbers.resize(width, refcheck=False)
        sums.resize(width, refcheck=False)
        numbers += np.bincount(block.key, minlength=width)
        sums += np.bincount(block.key, weights=block.value, minlength=width)
    found = zip(keys.numbers, numbers.tolist(), sums.tolist(), strict=False)
    return {key: (number, total) for key, number, total in found if number}


def _block(
    heads: list[SecondHead],
    numbers: list[npt.NDArray[np.int32]],
    values: list[npt.NDArray[np.float64]],
) -> Block:
    value, key = np.concatenate(values), np.concatenate(numbers)
    second = np.repeat(np.arange(len(heads), dtype=np.int32), [len(each) for each in numbers])
    is_known = ~np.isnan(value)
    return Block(heads, second[is_known], key[is_known], value[is_known])


def _figures(
    second: Mapping[str, Any], keys: Keys
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """The keys and values of a second; an unknown value is NaN."""
    groups: list[int] = []
    values: list[Any] = []
    for side, of, figures in _groups(second):
        groups.append(keys.group(side, of, figures))
        values += figures.values()
    return keys.of(groups), np.array(values, dtype=np.float64)


def _groups(second: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    run = {key: second[key] for key in RUN} | {"worker_cpu_s": sum(second["worker_cpu_s"])}
    yield "run", "", run | {key: second[key] for key in LATER if key in second}
    # Runs started by an older Headcount have no tasks in their first seconds.
    for side in ("scenarios", "steps", "tasks", "lines"):
        for of, figures in second.get(side, {}).items():
            yield side, of, figures
    for side, figures in second["counters"].items():
        yield side, "", figures
    for step, kind, number in second["faults"]:
        yield "faults", step or "", {kind: number}
