"""An engine for one kind of users in an experiment: they come for a turn, and are measured."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from headcount._engine import Engine, Interval
from headcount.bundle.confirmation import Turn
from headcount.errors import EngineError
from headcount.generator.real_time import real_time
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.sent_files import sent_files

REPORT_MS = 50
"""Turns last seconds, and begin and end with a report."""
PATIENCE_S = 5.0
OFTEN = 3
"""Reports with a scenario, after its first one, from which its time is known well enough."""
SINGLE_PAUSE_S = (0.02, 1.0)
"""Shortest and longest pause of a single user."""

Values = dict[str, Any]


@dataclass(frozen=True)
class Lengths:
    """How long the parts of a turn are, in seconds.

    Attributes:
        ramp_s: Ramp in which users come.
        settle_s: Time after they have come, until the measurement begins.
        measure_s: Length of the measurement.
        longest_wait_s: Longest wait for users to come or go; they first finish what is under way.

    """

    ramp_s: float
    settle_s: float
    measure_s: float
    longest_wait_s: float


class Player:
    """Users of one kind. They are present in their turns, and stay while turns follow."""

    def __init__(
        self, plan: Plan, values: Values, target: str, on_lines: Sequence[str] = ()
    ) -> None:
        """Start an engine with a plan's values; no users yet.

        `on_lines` are the addresses of users on none of the plan's lines, and on each.
        """
        text = json.dumps({**values, "report_every_ms": REPORT_MS})
        with real_time():
            self._engine = Engine(
                text,
                plan.protocol,
                target,
                local_addresses=[ip_address(one) for one in on_lines],
                files=sent_files(plan.workload),
            )
        self.users = 0

    def close(self) -> None:
        """End at once; what is under way is dropped."""
        self._engine.close()

    def bring(self, users: int, lengths: Lengths) -> list[Interval]:
        """Add or remove users and wait until this many are present; returns the intervals."""
        if users == self.users:
            return []
        self._engine.set_users(users, lengths.ramp_s if users > self.users else 0.0)
        self.users = users
        return self._until(lengths.longest_wait_s, lambda one: one.users == users)

    def pass_over(self, length_s: float) -> None:
        """Let time pass with the present users."""
        self._until(length_s, None)

    def forget(self) -> None:
        """Drop the reports from while another player was measured."""
        while self._engine.next(0.0) is not None:
            pass

    def measure(self, round_: int, arm: str, length_s: float) -> tuple[Turn, list[str]]:
        """A turn's figures, and messages of faults in it."""
        self.forget()
        intervals = self._until(length_s, None)
        return turn_of(intervals, round_, arm, self.users), _faults(intervals)

    def costs_ms(self, longest_s: float) -> list[float | None]:
        """Mean time of each scenario, from one user who plays them; None if it was not repeated.

        The first one of each is left out: it may open a connection and fill caches.
        """
        self.bring(1, Lengths(0.0, 0.0, 0.0, longest_s))
        found: list[list[float]] = []

        def enough(one: Interval) -> bool:
            for place, tally in enumerate(one.scenarios):
                if place == len(found):
                    found.append([])
                if tally.completed:
                    found[place].append(1000 * tally.service_s / tally.completed)
            return all(len(times) > OFTEN for times in found)

        self._until(longest_s, enough)
        return [sum(t[1:]) / len(t[1:]) if len(t) > 1 else None for t in found]

    def _until(self, length_s: float, enough: Callable[[Interval], bool] | None) -> list[Interval]:
        """Intervals of at most this length in total, or until one is enough."""
        intervals: list[Interval] = []
        end_s = self._engine.now_s() + length_s
        while self._engine.now_s() < end_s:
            interval = self._engine.next(PATIENCE_S)
            if interval is None:
                raise EngineError(
                    f"the load engine reported nothing for {PATIENCE_S:g} s: the machine is badly "
                    "overloaded, or this is a bug in Headcount"
                )
            intervals.append(interval)
            if enough is not None and enough(interval):
                break
        return intervals


def loaded_values(plan: Plan, compress: float = 1.0) -> Values:
    """The engine's plan as in the run, with pauses shortened by a factor."""
    run = plan.workload.run
    faster = run.model_copy(update={"compress": run.compress * compress})
    workload = plan.workload.model_copy(update={"run": faster})
    values: Values = json.loads(engine_plan(plan.model_copy(update={"workload": workload})))
    return values


def single_values(values: Values, most_per_s: float) -> Values:
    """The plan for one user, who asks for at most half of the largest throughput.

    Neither a rate limit nor the aftermath of the previous scenario is then felt.
    """
    least_s, longest_s = SINGLE_PAUSE_S
    pause_s = min(max(2 / most_per_s if most_per_s > 0 else longest_s, least_s), longest_s)
    scenarios = [{**one, "pause": None} for one in values["scenarios"]]
    pace = {"pace": "closed", "think": {"draw": "fixed", "s": pause_s}}
    return {**values, "workers": 1, "pace": pace, "scenarios": scenarios}


def only_values(values: Values, scenario: Values) -> Values:
    """The plan with one scenario and nothing else."""
    left = {key: value for key, value in values.items() if key != "script"}
    return {**left, "scenarios": [{**scenario, "weight": 1.0}]}


def turns_values(values: Values, scenarios: Sequence[Values]) -> Values:
    """The plan for users who play these scenarios one after the other."""
    names = [one["name"] for one in scenarios]
    script = {"names": names, "order": list(range(len(names))), "entries": [0]}
    return {**values, "scenarios": [{**one, "weight": 1.0} for one in scenarios], "script": script}


def turn_of(intervals: Sequence[Interval], round_: int, arm: str, users: int) -> Turn:
    """The figures of a turn from its reports."""
    tallies = [tally for one in intervals for tally in one.scenarios]
    completed, failed = (sum(getattr(t, key) for t in tallies) for key in ("completed", "failed"))
    seconds = intervals[-1].to_s - intervals[0].from_s if intervals else 0.0
    ended = completed + failed
    return Turn(
        round=round_,
        arm=arm,
        users=users,
        seconds=seconds,
        completed=completed,
        failed=failed,
        rate_per_s=completed / seconds if seconds > 0 else 0.0,
        service_ms=1000 * sum(t.service_s for t in tallies) / ended if ended else None,
    )


def _faults(intervals: Sequence[Interval]) -> list[str]:
    return [text for one in intervals for fault in one.faults for text in fault.examples]
