"""The seconds of a level as they arrive, and the window that they form."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from headcount._engine import Interval
from headcount.analyse.amounts import amount_part
from headcount.analyse.each_second import EachSecond, Part
from headcount.analyse.judge import pool_of
from headcount.analyse.stretch import summed
from headcount.analyse.tasks import Tasks
from headcount.analyse.window import Window
from headcount.bundle.stretches import SLACK_S
from headcount.plan.criteria import AMOUNTS, Criterion
from headcount.plan.plan import Plan

MOST_SECONDS = 600
"""A level that is measured for longer is summed up in stretches."""
STRETCHES = 120
"""Approximate stretches of a long level: a dozen in each section that gives the intervals."""
TOGETHER = 30
"""Seconds added to a stretch in one go, so that their histograms are merged once."""

PartOf = Callable[[Window], Part]
"""Gives what a criterion on an amount measures in a second."""


def stretch_s(measure_s: float) -> float:
    """The length of the stretches of a level measured for this long; 1 keeps every second."""
    return 1.0 if measure_s <= MOST_SECONDS else measure_s / STRETCHES


class Seconds:
    """The seconds of a level; those of a long level are summed up in stretches as they come."""

    def __init__(
        self, before: Interval | None, length_s: float, parts: Mapping[str, PartOf]
    ) -> None:
        """Start with no seconds.

        Args:
            before: The second before the first.
            length_s: The length of a stretch; 1 keeps every second.
            parts: What criteria on amounts measure, by their text: they may apply to each minute.

        """
        self._before = before
        self._length_s = length_s
        self._parts = parts
        self._kept: list[Interval] = []
        self._stretch: Interval | None = None
        self._whole: Interval | None = None
        self._new: list[Interval] = []
        self._each = EachSecond()
        self.number = 0
        """How many seconds there are."""

    def add(self, interval: Interval) -> None:
        """Add the next second."""
        self.number += 1
        if self._length_s <= 1:
            self._kept.append(interval)
            return
        self._each.add(interval)
        for text, part_of in self._parts.items():
            part = part_of(Window([interval], None))
            self._each.parts.setdefault(text, []).append(part)
        began = self._stretch or next(iter(self._new), None)
        if began is not None and interval.from_s - began.from_s >= self._length_s - SLACK_S:
            self._fold()
            self._kept += [] if self._stretch is None else [self._stretch]
            self._stretch = None
        self._new.append(interval)
        if len(self._new) >= TOGETHER:
            self._fold()

    def window(self) -> Window:
        """All seconds so far."""
        if self._length_s <= 1:
            return Window(self._kept, self._before)
        self._fold()
        last = [] if self._stretch is None else [self._stretch]
        return Window([*self._kept, *last], self._before, self._whole, self._each)

    def _fold(self) -> None:
        """Sum up the new seconds."""
        if self._new:
            stretch, whole = ([] if one is None else [one] for one in (self._stretch, self._whole))
            self._stretch = summed([*stretch, *self._new], is_whole=False)
            self._whole = summed([*whole, *self._new], is_whole=True)
            self._new = []


def seconds_of(
    plan: Plan, tasks: Sequence[str], before: Interval | None, length_s: float
) -> Seconds:
    """An empty collector for the seconds of a level of `plan`.

    Args:
        plan: What is played.
        tasks: The names of the protocol's tasks.
        before: The second before the first.
        length_s: The length of a stretch; 1 keeps every second.

    """
    known = Tasks(tasks, plan.workload.task_score)
    names = [scenario.name for scenario in plan.workload.scenarios]

    def part_of(criterion: Criterion, second: Window) -> Part:
        pool = pool_of(criterion, second, names, plan.workload.members, known)
        return amount_part(criterion, second.seconds, pool)

    amounts = [criterion for criterion in plan.criteria if criterion.metric in AMOUNTS]
    parts = {criterion.text: partial(part_of, criterion) for criterion in amounts}
    return Seconds(before, length_s, parts)
