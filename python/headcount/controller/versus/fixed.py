"""Pairs at given numbers of users."""

from headcount.bundle.level import LevelResult
from headcount.bundle.versus import SideName
from headcount.controller.listener import Outlook
from headcount.controller.versus.ask import Ask, spare
from headcount.controller.versus.order import Order, first_side, in_order
from headcount.fields.units import seconds
from headcount.plan.plan import Plan


class FixedPairs:
    """Both sides at each of the plan's levels, repeated for each round.

    A pair with a level that does not count is run again at the end.
    """

    def __init__(self, plan: Plan, rounds: int, order: Order) -> None:
        """Run `rounds` rounds of the levels of `plan`, which is that of either side."""
        self._plan = plan
        self._order = order
        self._left = [
            (round_, place, users)
            for round_ in range(rounds)
            for place, users in enumerate(plan.levels)
        ]
        self._now = self._left[0]
        self._spare = spare(rounds * len(plan.levels))
        self._is_spoiled = False
        self._done = 0
        self._limits = 0.0, float("inf")

    def next(self) -> list[Ask]:
        """The next pair."""
        self._repeat()
        if not self._left:
            return []
        self._now = round_, place, users = self._left.pop(0)
        first = first_side(self._order, self._plan.seed, round_, place)
        return [self._ask(side, users, round_) for side in in_order(first)]

    def _repeat(self) -> None:
        """Append the pair that has just been run to the list again, if it does not count."""
        if self._is_spoiled and self._spare:
            self._left.append(self._now)
            self._spare -= 1
        self._is_spoiled = False

    def _ask(self, side: SideName, users: int, round_: int) -> Ask:
        run = self._plan.workload.run
        ramp_s = seconds(run.ramp) if run.ramp is not None else users / run.ramp_per_s
        return Ask(
            side=side,
            purpose="ladder",
            users=users,
            ramp_s=ramp_s,
            settle_s=seconds(run.settle),
            measure_s=seconds(run.duration),
            round=round_ + 1,
        )

    def take(self, ask: Ask, result: LevelResult) -> None:
        """Count the level."""
        del ask
        self._done += 1
        self._is_spoiled |= result.outcome == "invalid"
        low, high = self._limits
        if result.outcome == "passed":
            low = max(low, float(result.users))
        elif result.outcome == "failed":
            high = min(high, float(result.users))
        self._limits = low, high

    def outlook(self) -> Outlook:
        """How far it is."""
        left_s = sum(2 * self._ask("A", users, 0).seconds for _, _, users in self._left)
        return Outlook(self._done, left_s, *self._limits, None)
