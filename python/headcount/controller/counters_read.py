"""Checks, before a level is measured, that the counters in criteria are read."""

from headcount.controller.session import Moment
from headcount.errors import InputError
from headcount.plan.plan import Plan

ENOUGH = 3
"""Seconds after which a counter without a sample is missing; the first sample has no rates."""


class CountersRead:
    """The samples so far, as far as criteria need them."""

    def __init__(self, plan: Plan) -> None:
        """Start without samples."""
        self._asked = [one for one in plan.criteria if one.counter is not None]
        self._seen: set[tuple[str, str]] = set()
        self._seconds = 0

    def note(self, moment: Moment) -> None:
        """Take the samples of a second."""
        self._seconds += 1
        asked = (one.counter for one in self._asked if one.counter not in self._seen)
        for side, name in filter(None, asked):
            sample = moment.samples.get(side)
            if sample is not None and name in sample.values:
                self._seen.add((side, name))

    def check(self) -> None:
        """Raise InputError if a criterion needs a counter that nothing reads."""
        if self._seconds < ENOUGH:
            return
        missing = next((one for one in self._asked if one.counter not in self._seen), None)
        if missing is None or missing.counter is None:
            return
        side, name = missing.counter
        hint = {
            "sut": "name where they come from, such as --source ssh://admin@web1",
            "server": "name what the server says of itself, such as --view nginx=http://web1/status",
        }.get(side, "the generator's machine does not have it")
        raise InputError(
            f'the criterion "{missing.text}" needs the counter {name}, which nothing reads; {hint}'
        )
