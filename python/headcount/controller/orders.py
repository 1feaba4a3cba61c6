"""Which levels to run: a list of them, or what the search asks for next."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from headcount.analyse.observe import AFTER_OVERLOAD, observe, too_brief
from headcount.analyse.search import Outcome, Overhead, Progress, Search, Settings
from headcount.analyse.search.settings import CLIMB, CLIMB_S
from headcount.analyse.verdict import Ending, of_levels, of_search
from headcount.bundle.level import LevelResult, counted
from headcount.bundle.verdict import Verdict
from headcount.controller.level_order import LevelOrder, no_doubt
from headcount.controller.listener import Outlook
from headcount.errors import InputError
from headcount.fields.units import seconds
from headcount.plan.criteria import TIMES
from headcount.plan.plan import Plan

OFFICIAL_S = 300.0
"""Length of the full level at the capacity, as NetBench, WebBench and SPEC storage measure."""
QUICK_BUDGET_S = 180.0
"""Time of a first look."""
QUICK_LEAST_S = 5.0
LEAST_S = 20.0
"""Shortest measurement of a level that may end early."""


class Orders(Protocol):
    """Decides the next level from the levels so far."""

    def next(self) -> LevelOrder | None:
        """The next level; None when the run is over."""
        ...

    def take(self, result: LevelResult) -> None:
        """Take a level that has ended, in this run or in the one it resumes."""
        ...

    def rested(self) -> None:
        """All users have left since the last level."""
        ...

    def outlook(self) -> Outlook:
        """How far the run is."""
        ...

    def verdict(self, levels: Sequence[LevelResult], took_s: float, ending: Ending) -> Verdict:
        """The answer so far."""
        ...


def orders_of(plan: Plan) -> Orders:
    """The orders of a plan."""
    return SearchOrders(plan) if plan.mode == "search" else ListOrders(plan)


class ListOrders:
    """One level, or a ladder."""

    def __init__(self, plan: Plan) -> None:
        """Run the plan's levels in their order."""
        self._plan = plan
        self._done: list[LevelResult] = []
        self._broken_off = 0
        self._users = 0

    @property
    def _left(self) -> list[int]:
        return self._plan.levels[len(self._done) :]

    def next(self) -> LevelOrder | None:
        """The next level of the list."""
        if not self._left:
            return None
        users, run = self._left[0], self._plan.workload.run
        purpose = "ladder" if self._plan.mode == "ladder" else "only"
        return LevelOrder(
            index=len(self._done) + self._broken_off + 1,
            purpose=purpose,
            users=users,
            ramp_s=self._ramp_s(self._users, users),
            settle_s=seconds(run.settle),
            measure_s=seconds(run.duration),
        )

    def _ramp_s(self, before: int, users: int) -> float:
        run = self._plan.workload.run
        return seconds(run.ramp) if run.ramp is not None else abs(users - before) / run.ramp_per_s

    def take(self, result: LevelResult) -> None:
        """Count the level; a resumed one is not run again, one broken off is."""
        if result.agents_lost:
            self._broken_off += 1
            self._users = 0
        else:
            self._done.append(result)
            self._users = result.users

    def rested(self) -> None:
        """Do nothing: a ladder does not wait between its levels."""

    def outlook(self) -> Outlook:
        """How far the ladder is."""
        run = self._plan.workload.run
        users = self._users
        remaining_s = 0.0
        for wanted in self._left:
            remaining_s += self._ramp_s(users, wanted)
            remaining_s += seconds(run.settle) + seconds(run.duration)
            users = wanted
        passed = [level.users for level in self._done if level.outcome == "passed"]
        failed = [level.users for level in self._done if level.outcome == "failed"]
        low, high = max(passed, default=0), min(failed, default=float("inf"))
        return Outlook(len(self._done), remaining_s, float(low), float(high), None)

    def verdict(self, levels: Sequence[LevelResult], took_s: float, ending: Ending) -> Verdict:
        """The verdict on the levels."""
        return of_levels(self._plan, counted(levels), took_s, ending)


class SearchOrders:
    """The search for the capacity, then the soak if one is wanted."""

    def __init__(self, plan: Plan) -> None:
        """Search as the plan says."""
        self._plan = plan
        self._search = Search(settings_of(plan))
        self._levels = 0
        self._users = 0
        self._soaked = plan.search.soak is None

    def next(self) -> LevelOrder | None:
        """What the search asks for, or the soak."""
        request = self._search.next()
        if request is None:
            return self._soak()
        overhead = self._search.settings.overhead_of(request.purpose)
        if request.is_rested:
            self._users = 0
        return LevelOrder(
            index=self._levels + 1,
            purpose=request.purpose,
            users=request.users,
            ramp_s=overhead.ramp_s(self._users, request.users),
            settle_s=overhead.warmup_for(self._users, request.users),
            measure_s=request.measure_s,
            doubt=self._doubts.get(request.purpose, no_doubt),
            is_rested=request.is_rested,
            may_stop_early=request.may_stop_early,
            least_s=max(
                QUICK_LEAST_S if self._plan.search.quick else LEAST_S,
                longest_stretch_s(self._plan),
            ),
        )

    @property
    def _doubts(self) -> dict[str, Callable[[LevelResult], str | None]]:
        """By purpose: why a level must not count."""
        return {"climb": self._climb_doubt, "recovery": lambda _: AFTER_OVERLOAD}

    def _climb_doubt(self, result: LevelResult) -> str | None:
        if self._search.is_light(observe(result, self._plan.criteria)):
            return None
        return too_brief(result)

    def _soak(self) -> LevelOrder | None:
        users = self._search.outcome().published
        if self._soaked or users < 1:
            return None
        overhead = self._search.settings.overhead
        settle_s = overhead.warmup_for(self._users, users)
        length_s = seconds(self._plan.search.soak or "0s")
        ramp_s = overhead.ramp_s(self._users, users)
        return LevelOrder(self._levels + 1, "soak", users, ramp_s, settle_s, length_s)

    def take(self, result: LevelResult) -> None:
        """Tell the search what the level showed; one that was broken off is asked for again."""
        self._levels += 1
        if result.agents_lost:
            self._users = 0
            return
        self._users = result.users
        if result.purpose == "soak":
            self._soaked = True
        else:
            try:
                self._search.observe(observe(result, self._plan.criteria))
            except ValueError as error:
                raise InputError(
                    f"level {result.index} is not what this version of Headcount would have run "
                    f"({error}): another version began this search; start a new run"
                ) from error

    def rested(self) -> None:
        """The next level starts without users."""
        self._users = 0

    def outlook(self) -> Outlook:
        """How far the search is, and what it knows."""
        progress: Progress = self._search.progress()
        soak_s = 0.0 if self._soaked else seconds(self._plan.search.soak or "0s")
        estimate = progress.estimate if progress.levels else None
        return Outlook(
            self._levels, progress.remaining_s + soak_s, progress.low, progress.high, estimate
        )

    def verdict(self, levels: Sequence[LevelResult], took_s: float, ending: Ending) -> Verdict:
        """The capacity."""
        outcome: Outcome = self._search.outcome()
        return of_search(self._plan, counted(levels), outcome, took_s, ending)


def settings_of(plan: Plan) -> Settings:
    """The settings of the search that a plan asks for."""
    wanted, run = plan.search, plan.workload.run
    tasks = plan.workload.named_tasks
    # A task that did not happen, and a score without tasks, have no figure at a level.
    texts = tuple(c.text for c in plan.criteria if c.scenario not in tasks and c.metric != "score")
    stretch_s = longest_stretch_s(plan)
    limit_s = max(
        (c.limit for c in plan.criteria if c.metric in TIMES and c.scenario not in tasks),
        default=0.0,
    )
    budget_s = seconds(wanted.budget) if wanted.budget else None
    most = min(wanted.max_users, 1_000_000)
    first = min(wanted.start_users, most)
    settle_s = seconds(run.settle)
    fixed_s = seconds(run.ramp) if run.ramp is not None else None
    if wanted.quick:
        overhead = Overhead(
            ramp_per_s=run.ramp_per_s,
            warmup_s=min(4.0, settle_s),
            near_warmup_s=min(2.0, settle_s),
            drain_s=12.0,
            fixed_ramp_s=fixed_s,
        )
        quick = Settings.first_look(
            criteria=texts,
            start_users=first,
            max_users=most,
            overhead=overhead,
            budget_s=budget_s or QUICK_BUDGET_S,
        )
        if wanted.official:
            quick = replace(quick, official_s=seconds(wanted.official))
        return quick.for_limit(limit_s).no_shorter_than(stretch_s)
    overhead = Overhead(
        ramp_per_s=run.ramp_per_s,
        warmup_s=settle_s,
        near_warmup_s=min(10.0, settle_s),
        drain_s=max(30.0, settle_s),
        fixed_ramp_s=fixed_s,
    )
    official_s = seconds(wanted.official) if wanted.official else OFFICIAL_S
    found = Settings(
        criteria=texts,
        start_users=first,
        max_users=most,
        official_s=official_s,
        budget_s=budget_s,
        overhead=overhead,
        # A state that takes time cannot be judged in seconds.
        climb_s=0.0 if run.steady == "required" else CLIMB_S,
        climb=replace(
            CLIMB,
            ramp_per_s=run.ramp_per_s,
            warmup_s=min(CLIMB.warmup_s, settle_s),
            fixed_ramp_s=fixed_s,
        ),
    )
    return found.for_limit(limit_s).no_shorter_than(stretch_s)


def longest_stretch_s(plan: Plan) -> float:
    """The longest stretch of a level that a criterion applies to; 0 without one."""
    return max((c.stretch_s for c in plan.criteria if c.stretch_s is not None), default=0.0)
