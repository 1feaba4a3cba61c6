"""Pairs around the most users that both sides hold: first a search for those, then both in turn."""

import math

from headcount.analyse.search import Request
from headcount.analyse.search.plan import next_request
from headcount.analyse.search.standing import Standing
from headcount.analyse.search.straddle import straddle
from headcount.bundle.level import LevelResult
from headcount.bundle.versus import SIDES, SideName
from headcount.controller.listener import Outlook
from headcount.controller.orders import LEAST_S, QUICK_LEAST_S
from headcount.controller.versus.ask import Ask, spare
from headcount.controller.versus.order import Order, first_side, in_order
from headcount.controller.versus.side_verdict import pairs_settings, side_standing
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

ALIKE = 0.10
"""Sides whose levels would differ by no more than this, in ln(users), get the same number of users:
both are then near enough to their limit to be measured. Farther apart, each gets its own."""
PROBES = 6
"""Levels needed to find a side's capacity, for the forecast."""


class CapacityPairs:
    """Both sides' searches alternate until each is near its capacity, then pairs around it."""

    def __init__(self, plan: Plan, rounds: int, order: Order) -> None:
        """Run `rounds` pairs; `plan` is that of either side, whose searches are alike."""
        self._plan = plan
        self._rounds = rounds
        self._order = order
        self._settings = pairs_settings(plan)
        self._levels: dict[SideName, list[LevelResult]] = {"A": [], "B": []}
        self._pairs = 0
        self._spare = spare(rounds)
        self._is_spoiled = False
        self._began = False
        self._spent_s = 0.0
        self._turn: SideName = "A"

    def next(self) -> list[Ask]:
        """A level of the side whose capacity is searched for, else a pair."""
        for side in in_order(self._turn):
            request = self._wanted(side)
            if request is not None and not self._began:
                self._turn = "B" if side == "A" else "A"
                return [self._probe(side, request)]
        return self._pair()

    def _standing(self, side: SideName) -> Standing:
        return side_standing(self._plan, self._levels[side])

    def _wanted(self, side: SideName) -> Request | None:
        """What the side's search asks for while it is not near its capacity."""
        request = next_request(self._standing(side))
        return request if request and request.purpose in ("probe", "bracket") else None

    def _probe(self, side: SideName, request: Request) -> Ask:
        overhead = self._settings.overhead
        return Ask(
            side=side,
            purpose=request.purpose,
            users=request.users,
            ramp_s=self._ramp_s(request.users),
            settle_s=overhead.warmup_for(0, request.users),
            measure_s=request.measure_s,
            may_stop_early=request.may_stop_early,
            least_s=QUICK_LEAST_S if self._plan.search.quick else LEAST_S,
        )

    def _pair(self) -> list[Ask]:
        """Levels of both on the same side of their limits; empty if one has no known limit."""
        if self._is_spoiled:
            self._undo()
        standings = {side: self._standing(side) for side in SIDES}
        if self._pairs >= self._rounds or not all(_bracketed(one) for one in standings.values()):
            return []
        users = {side: straddle(standing) for side, standing in standings.items()}
        if abs(math.log(users["A"] / users["B"])) <= ALIKE:
            users = dict.fromkeys(users, round(math.sqrt(users["A"] * users["B"])))
        # At the places of a round, levels are alternately below and above the limit.
        first = first_side(self._order, self._plan.seed, self._pairs // 2, self._pairs % 2)
        asks = [self._level(side, users[side]) for side in in_order(first)]
        if not self._affordable(sum(ask.seconds for ask in asks)):
            return []
        self._pairs += 1
        self._began = True
        return asks

    def _undo(self) -> None:
        """Drop a pair with a level that does not count, and run it again if that may help."""
        for levels in self._levels.values():
            levels.pop()
        if self._spare:
            self._pairs -= 1
            self._spare -= 1
        self._is_spoiled = False

    def _level(self, side: SideName, users: int) -> Ask:
        return Ask(
            side=side,
            purpose="straddle",
            users=users,
            ramp_s=self._ramp_s(users),
            settle_s=self._settings.overhead.warmup_for(0, users),
            measure_s=self._measure_s,
            round=self._pairs + 1,
        )

    @property
    def _measure_s(self) -> float:
        wanted = self._plan.search.official  # --duration
        return seconds(wanted) if wanted else self._settings.short_s

    def _ramp_s(self, users: int) -> float:
        fixed = self._plan.workload.run.ramp
        return self._settings.overhead.ramp_s(0, users) if fixed is None else seconds(fixed)

    def _affordable(self, more_s: float) -> bool:
        """Whether the budget holds this much more; the first three pairs are run in any case."""
        given = self._plan.search.budget
        return given is None or self._pairs < 3 or self._spent_s + more_s <= seconds(given)

    def take(self, ask: Ask, result: LevelResult) -> None:
        """Count the level for its side."""
        self._levels[ask.side].append(result)
        self._is_spoiled |= ask.round is not None and result.outcome == "invalid"
        self._spent_s += result.ramp_s + result.settle_s + result.steady_s

    def outlook(self) -> Outlook:
        """Progress, and between which users the capacity of the weaker side lies."""
        standings = [self._standing(side) for side in SIDES]
        low = min(standing.bracket.low for standing in standings)
        high = min(standing.bracket.high for standing in standings)
        users = max((standing.previous_users for standing in standings), default=0)
        settings, found = self._settings, 2 * PROBES - sum(map(len, self._levels.values()))
        probes = 0 if self._pairs else max(found, 0)
        each_s = self._ramp_s(users) + settings.overhead.warmup_for(0, users or 1)
        left_s = probes * (each_s + settings.probe_s)
        left_s += 2 * (self._rounds - self._pairs) * (each_s + self._measure_s)
        return Outlook(sum(map(len, self._levels.values())), left_s, low, high, None)


def _bracketed(standing: Standing) -> bool:
    """Whether there is a limit, and a number of users within it."""
    return standing.bracket.low >= 1 and not math.isinf(standing.bracket.high)
