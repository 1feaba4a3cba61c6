"""The search and a ladder where tasks decide, on servers given by a formula."""

import math

import numpy as np
import pytest
from history import Count, Slice, Task, task, window
from null_run import plan_of, serve, workload

from headcount import _engine
from headcount.analyse.level import Measured, summarise
from headcount.analyse.observe import constraint, observe
from headcount.analyse.search import Share, Value, wide_rule
from headcount.bundle.level import LevelResult
from headcount.controller.orders import orders_of
from headcount.plan.plan import Plan
from headcount.plan.workload import Workload

NAMES = ("look", "change")
CAPACITY = 400
"""Where the p95 of a look is 1 s; that of a change is twice a look's."""
THINK_S = 5.0


@pytest.fixture(autouse=True)
def app_has_tasks_of_null(monkeypatch: pytest.MonkeyPatch) -> None:
    names = _engine.task_names
    monkeypatch.setattr(
        _engine, "task_names", lambda name: names("null" if name == "app" else name)
    )


def mean_s(users: int) -> float:
    """Mean time of a look: an exponential's 95th percentile is ln(20) times it."""
    return (users / CAPACITY) ** 3 / math.log(20)


def plan(*criteria: str, levels: tuple[int, ...] = ()) -> Plan:
    values = workload("closed", "5s", serve(0.001), criteria=["mean<=1h"]).model_dump(
        exclude_none=True
    )
    values |= {
        "criteria": list(criteria),
        "task_score": {"name": "Tasks", "weights": {"look": 10, "change": 2}},
        "marks": {"name": "Marks, tasks a minute", "count": ["look", "change"]},
    }
    mode = {"mode": "ladder"} if levels else {"mode": "search", "search": {"max_users": 5_000}}
    return plan_of(Workload.model_validate(values), levels, **mode)


def played(
    of: Plan, users: int, purpose: str, seconds: int, *, changes: bool = True
) -> LevelResult:
    """A level of a server whose tasks take longer with every user."""
    random = np.random.default_rng(users * 100_003 + seconds)
    slices = []
    for second in range(seconds):
        looks = random.poisson(users / THINK_S * 0.8)
        others = random.poisson(users / THINK_S * 0.2) if changes else 0
        times = [
            np.rint(random.exponential(mean_s(users) * factor * 1e6, n)).astype(int) + 1
            for n, factor in ((looks, 1.0), (others, 2.0))
        ]
        counts = [
            Count(
                started=looks + others,
                completed=looks + others,
                response=task([1000] * (looks + others)).service,
                response_s=(looks + others) / 1000,
            )
        ]
        timed: list[Task] = [task(each.tolist()) for each in times]
        slices.append(
            Slice(
                float(second),
                second + 1.0,
                counts,
                users=users,
                tasks=timed,
                think_s=(looks + others) * THINK_S,
            )
        )
    level = Measured(
        index=1,
        purpose=purpose,
        users=users,
        started_at="2026-01-01T00:00:00.000+00:00",
        ramp_s=1.0,
        settle_s=1.0,
        window=window(slices),
        step_names=[],
        request_names=[],
        counters={},
        task_names=NAMES,
    )
    # What the formula leaves out (users who wait, timers) must not make it invalid.
    found = summarise(of, level)
    outcome = "passed" if all(each.passed for each in found.criteria) else "failed"
    return found.model_copy(update={"outcome": outcome, "reasons": []})


@pytest.mark.parametrize(
    ("criterion", "wanted"),
    [
        # (10 x + 2 * 2 x) / 12 = 1 s where x = 12 / 14 s.
        ("score<=1s", CAPACITY * (12 / 14) ** (1 / 3)),
        ("look:p95<=1s", CAPACITY),
        ("change:p95<=1s", CAPACITY * 0.5 ** (1 / 3)),
        ("look:mean<=300ms", CAPACITY * (0.3 * math.log(20)) ** (1 / 3)),
    ],
)
def test_the_search_finds_the_capacity_that_tasks_set(criterion: str, wanted: float) -> None:
    of = plan(criterion, "errors<=1%")
    orders, levels = orders_of(of), []
    while (order := orders.next()) is not None:
        level = played(of, order.users, order.purpose, min(round(order.measure_s), 120))
        levels.append(level.model_copy(update={"index": order.index}))
        orders.take(levels[-1])
        assert len(levels) < 60
    verdict = orders.verdict(levels, 1.0, "finished")
    capacity = verdict.capacity
    assert capacity is not None
    assert capacity.low is not None
    assert capacity.high is not None
    assert capacity.low * 0.99 <= wanted <= capacity.high * 1.01
    assert capacity.estimate == pytest.approx(wanted, rel=0.05)
    assert capacity.binding == criterion
    assert capacity.users is not None
    assert verdict.score is not None
    assert verdict.marks is not None
    assert verdict.score.users == verdict.marks.users == capacity.users
    # As the formulas have it at the users published.
    p95_s = mean_s(capacity.users) * math.log(20)
    assert verdict.score.value == pytest.approx(p95_s * 14 / 12 * 1000, rel=0.05)
    assert verdict.marks.per_minute == pytest.approx(capacity.users / THINK_S * 60, rel=0.05)


def test_shares_of_tasks_reach_the_search_with_their_batches() -> None:
    of = plan("look:p95<=1s", "score<=1s")
    level = played(of, 300, "probe", 60)
    found = {each.name: each for each in observe(level, of.criteria).constraints}
    share = found["look:p95<=1s"]
    assert isinstance(share, Share)
    assert (share.limit_s, len(share.batches)) == (1.0, 12)
    assert share.total == level.tasks[0].completed
    assert isinstance(found["score<=1s"], Value)


def test_tasks_that_did_not_happen_decide_nothing_and_end_no_level_early() -> None:
    of = plan("look:p95<=1s", "change:p95<=1s")
    level = played(of, 250, "probe", 120, changes=False)
    assert level.outcome == "passed"
    names = {each.name for each in observe(level, of.criteria).constraints}
    assert "change:p95<=1s" not in names
    running = [
        constraint(result, criterion, 1)
        for result, criterion in zip(level.criteria, of.criteria, strict=True)
    ]
    assert wide_rule(running, 120.0) is None
    assert wide_rule(running[:1], 120.0) == "pass"


def test_a_ladder_has_the_score_and_the_marks_of_its_largest_passed_level() -> None:
    of = plan("score<=1s", "change:p95<=1s", levels=(100, 600))
    orders, levels = orders_of(of), []
    while (order := orders.next()) is not None:
        levels.append(played(of, order.users, order.purpose, 40))
        orders.take(levels[-1])
    assert [level.outcome for level in levels] == ["passed", "failed"]
    verdict = orders.verdict(levels, 1.0, "finished")
    assert verdict.sentence.startswith("100 users passed")
    assert verdict.score is not None
    assert levels[0].score is not None
    assert (verdict.score.users, verdict.score.value) == (100, levels[0].score.value)
    assert "look 10, change 2" in verdict.score.formula
    assert verdict.marks is not None
    assert verdict.marks.users == 100


def test_the_verdict_says_what_is_unproven() -> None:
    of = plan("look:p95<=1s", "change:p95<=1s", levels=(50, 100))
    levels = [played(of, users, "ladder", 20, changes=False) for users in of.levels]
    orders = orders_of(of)
    verdict = orders.verdict(levels, 1.0, "finished")
    assert 'at 100 users no "change" happened: change:p95<=1s is unproven' in verdict.flags
    assert verdict.score is not None
    assert "did not happen: change" in verdict.score.formula
