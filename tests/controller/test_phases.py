"""How many seconds the phases of a level have, on a machine that keeps Headcount waiting."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from statistics import mean
from typing import cast

import pytest

from headcount._engine import Interval
from headcount.bundle import reader
from headcount.controller import orders, run
from headcount.controller.access import Secrets
from headcount.controller.gathering import GATHER_S, MOST_AT_ONCE, Admission, Gathering, LogOns
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import Phase, Silent
from headcount.controller.session import Moment, Session
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load

LATE_S = 0.3
"""What Headcount is late by when a phase begins: more than the clock of a second forgives."""


class Late(Silent):
    """Takes its time between two phases."""

    def phase(self, phase: Phase) -> None:
        """Do what a busy machine does."""
        del phase
        time.sleep(LATE_S)


def test_a_phase_that_begins_late_is_not_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = Overrides(
        users=1, duration="2s", settle="1s", ramp="0s", think="100ms", scale=0.001, seed=1
    )
    plan = resolve(load("app-server"), "lab:app", asked)
    folder, _ = run.start(plan, tmp_path / "runs", Secrets(), Late())
    seconds = reader.load(folder).seconds
    found: Counter[str] = Counter()
    for second in seconds:
        found[second["phase"]] += round(second["seconds"])
    assert (found["settle"], found["steady"]) == (1, 2)


@dataclass
class Second:
    """Stands in for the interval of a moment."""

    from_s: float
    users: int
    logging_on: int

    @property
    def interval(self) -> "Second":
        """Itself: it stands in for the moment, too."""
        return self

    @property
    def to_s(self) -> float:
        """Its end."""
        return self.from_s + 1


def ended_after(users: int, states: Iterable[tuple[int, int]]) -> int | None:
    """After how many seconds a level stops waiting, of users present and logging on in each."""
    gathering = Gathering(users)
    seen: list[Second] = []
    for present, logging_on in states:
        seen.append(Second(len(seen), present, logging_on))
        if gathering.has_ended(cast("Moment", seen[-1])):
            return len(seen)
    return None


def test_a_level_waits_for_its_users_as_long_as_they_arrive() -> None:
    assert ended_after(5, [(5, 0)]) == 1
    assert ended_after(5, [(3, 0), (4, 4), (5, 5), (5, 2), (5, 0)]) == 5
    assert ended_after(5, [(7, 0), (6, 0), (5, 0)]) == 3
    # 90 log on, one each 20 s: the level waits for them, long as it takes.
    slow = [(90, left) for left in range(90, -1, -1) for _ in range(20)]
    assert ended_after(90, slow) == 90 * 20 + 1
    # Two never get in.
    stuck = [(9, 4), (9, 3), *[(9, 2)] * 100]
    assert ended_after(9, stuck) == 2 + GATHER_S


def test_the_time_to_log_on_follows_from_who_is_logging_on() -> None:
    # Five users come at once; each second one of them is in: after 1, 2, ... 5 s.
    log_ons = LogOns(None, 5)
    for second, left in enumerate([5, 4, 3, 2, 1, 0]):
        log_ons.add(cast("Moment", Second(second, 5, left)))
    assert log_ons.mean_s == pytest.approx(mean([1, 2, 3, 4, 5]))
    # Two come to three who are there already.
    before = cast("Interval", Second(0, 3, 0))
    more = LogOns(before, 5)
    for second, left in enumerate([2, 2, 0], start=1):
        more.add(cast("Moment", Second(second, 5, left)))
    assert more.mean_s == pytest.approx((1 + 2 + 1) / 2)
    # Nobody comes, or sessions open with the first scenario.
    assert LogOns(before, 3).mean_s is None
    at_once = LogOns(None, 5)
    at_once.add(cast("Moment", Second(0, 5, 0)))
    assert at_once.mean_s is None


def admitted(per_s: float, users: int, ramp_s: float, *, before: int = 0) -> list[Second]:
    """Seconds of a ramp on a server that lets so many users in per second."""
    seen = [Second(0, before, 0)]
    order = LevelOrder(1, "only", users, ramp_s, 0.0, 1.0)
    admission = Admission(cast("Interval", seen[0]), order)
    allowed = admission.next(cast("Interval", seen[0]))
    while not admission.is_over and len(seen) < 1000:
        waiting = seen[-1].logging_on + allowed - seen[-1].users
        seen.append(Second(len(seen), allowed, max(waiting - round(per_s), 0)))
        allowed = admission.next(cast("Interval", seen[-1]))
    assert allowed == users or len(seen) == 1000
    return seen


def test_users_come_no_faster_than_they_get_in() -> None:
    slow = admitted(10, 600, 6.0)
    assert max(one.logging_on for one in slow) <= MOST_AT_ONCE
    assert 50 <= len(slow) <= 62  # ten a second, and the first 50 at once
    fast = admitted(1000, 600, 6.0)
    assert [one.users for one in fast[1:5]] == [50, 150, 250, 350]  # 100/s, as the ramp has it
    assert max(after.users - one.users for one, after in pairwise(fast)) <= 100
    more = admitted(1000, 600, 6.0, before=590)
    assert [one.users for one in more] == [590, 592, 594, 596, 598]
    assert admitted(0, 600, 6.0)[-1].users == MOST_AT_ONCE  # nobody gets in: nobody follows


def test_a_ramp_paces_users_who_log_on_as_they_join(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    workload = load("app-server")
    run_of = workload.run.model_copy(update={"log_on": "join"})
    asked = Overrides(
        levels="120,130", duration="2s", settle="1s", think="100ms", scale=0.001, seed=1
    )
    plan = resolve(workload.model_copy(update={"run": run_of}), "lab:app", asked)
    folder, _ = run.start(plan, tmp_path / "runs", Secrets(), Silent())
    bundle = reader.load(folder)
    coming = [one["users"] for one in bundle.seconds if one["phase"] == "ramp"]
    assert coming[0] <= MOST_AT_ONCE
    assert coming == sorted(coming)
    assert coming[-1] == 130
    assert [level.users for level in bundle.levels] == [120, 130]
    assert all(level.outcome != "invalid" for level in bundle.levels), bundle.levels[0].reasons


def test_all_users_leave_before_a_level_that_begins_without_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    usual = orders.ListOrders.next

    def rested(self: orders.ListOrders) -> LevelOrder | None:
        order = usual(self)
        return order and replace(order, is_rested=order.index == 2)

    monkeypatch.setattr(orders.ListOrders, "next", rested)
    asked = Overrides(
        levels="3,2", duration="2s", settle="1s", ramp="0s", think="100ms", scale=0.001, seed=1
    )
    plan = resolve(load("app-server"), "lab:app", asked)
    folder, verdict = run.start(plan, tmp_path / "runs", Secrets(), Silent())
    seconds = reader.load(folder).seconds
    resting = [second["users"] for second in seconds if second["phase"] == "rest"]
    assert resting
    assert resting[-1] == 0
    steady = [second["users"] for second in seconds if second["phase"] == "steady"]
    # A busy machine may report a level of 2 s in three parts.
    assert [users for users, _ in groupby(steady)] == [3, 2]
    assert verdict.outcome in ("passed", "invalid")  # a busy machine may spoil a level


class Slow(Silent):
    """Takes its time to make the data of the second level's users."""

    def phase(self, phase: Phase) -> None:
        """Do what data on a slow disk does."""
        if phase.name == "prepare" and phase.level == 2:
            time.sleep(3.0)


def test_the_time_to_prepare_data_is_not_part_of_the_ramp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = Overrides(
        levels="1,2", duration="2s", settle="1s", ramp="1s", think="100ms", scale=0.001, seed=1
    )
    plan = resolve(load("app-server"), "lab:app", asked)
    folder, _ = run.start(plan, tmp_path / "runs", Secrets(), Slow())
    bundle = reader.load(folder)
    found: Counter[str] = Counter()
    for second in bundle.seconds:
        if second["level"] == 2:
            found[second["phase"]] += second["seconds"]
    assert found["prepare"] >= 2
    assert found["ramp"] + found["settle"] < 3.0  # the sleep alone is three


class SlowMachine:
    """Stands in for the players on a machine that takes longer than a second to read a second."""

    ended, loss = False, None

    def __init__(self) -> None:
        self.clock_s, self.reads = 3.0, 0

    def now_s(self) -> float:
        return self.clock_s

    def next(self, _longest_s: float) -> Second:
        self.reads += 1
        assert self.reads < 100
        self.clock_s += 2.0
        return Second(self.reads - 1.0, 5, 0)


def test_a_slow_machine_comes_to_the_end_of_what_was_reported() -> None:
    session, players = object.__new__(Session), SlowMachine()
    kept: list[Moment] = []
    vars(session).update(
        _players=players,
        _reported_s=0.0,
        _sources=[],
        _keep=lambda moment, *_: kept.append(moment),
    )
    session.catch_up("prepare", 1)
    assert [moment.interval.to_s for moment in kept] == [1, 2, 3]
