"""A quick search on a server with one service thread, whose capacity follows from arithmetic."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from headcount.bundle.reader import Bundle
from headcount.controller.orders import orders_of
from processes import Headcount

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

PROCESSOR = str(Path(__file__).with_name("processor.toml"))
THINK = 45
"""Think time in multiples of the service time."""
LIMIT = 8
"""Limit of the 95th percentile, in service times."""
FIRST = ("nice", "-n", "-15")
"""The server gets a CPU before the other programs of a busy machine, if root runs the tests: a
request that takes eight times as long because of them has no capacity that arithmetic knows."""


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("search"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def found(headcount: Headcount) -> Bundle:
    """The search. What one request takes is measured first, because machines differ."""
    server = ("run", PROCESSOR, "--target", "lab:app", "--set", "threads=1", "--json")
    one = ("--users", "1", "--think", "50ms", "--criteria", "errors<1%")
    alone = headcount.run(*server, *one, before=FIRST)
    (level,) = reader.load(Path(alone.json["bundle"])).levels
    assert level.total.service is not None
    service_ms = level.total.service.p50_ms
    ended = headcount.run(
        *(*server, "--quick", "--budget", "80s", "--seed", "3"),
        *("--think", f"exponential:{THINK * service_ms:.0f}ms"),
        *("--criteria", f"p95<={LIMIT * service_ms:.0f}ms"),
        before=FIRST,
    )
    assert ended.code == 0, ended
    assert ended.json["kind"] == "capacity"
    assert Path(ended.json["report"]).exists()
    return reader.load(Path(ended.json["bundle"]))


def knees(bundle: Bundle) -> list[float]:
    """The users that keep one service thread busy without a pause: (think + service) / service.

    Denning and Buzen's asymptote: 46 on a machine of its own. It follows from the throughput of
    each level with too many users: one request a service time. Where other programs use part of
    the machine, a request takes longer, in some levels more than in others.
    """
    think_s = bundle.plan.workload.pace.time.mean_s
    failed = [level for level in bundle.levels if level.outcome == "failed"]
    return [think_s * level.achieved_per_s + 1 for level in failed]


def test_the_capacity_is_what_arithmetic_says(found: Bundle) -> None:
    assert found.verdict is not None
    capacity = found.verdict.capacity
    assert capacity is not None
    assert capacity.users is not None
    assert capacity.low is not None
    assert capacity.high is not None
    assert capacity.estimate is not None
    assert capacity.low <= capacity.estimate <= capacity.high
    assert capacity.users <= capacity.estimate
    # A first look promises its interval, not its middle.
    low, high = min(knees(found)), max(knees(found))
    assert capacity.low < 1.3 * high
    assert capacity.high > 0.6 * low
    assert not capacity.at_least


def test_the_binding_criterion_is_named(found: Bundle) -> None:
    assert found.verdict is not None
    assert found.verdict.capacity is not None
    (criterion,) = found.plan.workload.criteria
    assert found.verdict.capacity.binding == criterion
    assert found.verdict.broke_first is not None
    assert "p95" in found.verdict.broke_first


def test_a_search_resumed_after_a_crash_asks_for_the_same_levels(found: Bundle) -> None:
    for done in range(len(found.levels) + 1):
        orders = orders_of(found.plan)
        for level in found.levels[:done]:
            orders.take(level)
        order = orders.next()
        if done == len(found.levels):
            assert order is None
        else:
            assert order is not None
            wanted = found.levels[done]
            assert order.index == wanted.index
            assert order.purpose == wanted.purpose
            assert order.users == wanted.users


def test_littles_law_holds_at_every_level(found: Bundle) -> None:
    valid = [level for level in found.levels if level.outcome != "invalid"]
    assert len(valid) >= 2
    for level in valid:
        assert level.little_error is not None
        assert abs(level.little_error) < 0.4
    errors = [level.little_error * level.users * level.steady_s for level in valid]
    seen = sum(level.users * level.steady_s for level in valid)
    # What overlaps the ends of a level is noise, and much less of it in all of them together.
    assert abs(sum(errors) / seen) < 0.1


def test_one_thread_did_all_the_work(found: Bundle, headcount: Headcount) -> None:
    for level in found.levels:
        assert level.counters["server"]["app.threads"].max == 1
    # Three times as many users as keep it busy without a pause: it is never idle.
    think_s = found.plan.workload.pace.time.mean_s
    too_many = headcount.run(
        *("run", PROCESSOR, "--target", "lab:app", "--set", "threads=1", "--json"),
        *("--users", str(3 * (THINK + 1)), "--think", f"exponential:{think_s * 1000:.0f}ms"),
        *("--duration", "5s"),
        before=FIRST,
    )
    (level,) = reader.load(Path(too_many.json["bundle"])).levels
    assert level.counters["server"]["app.queue.length"].mean > 1
    assert level.counters["server"]["app.threads.utilization"].mean > 0.8


def test_the_search_keeps_to_its_budget_and_records_it(found: Bundle) -> None:
    assert found.verdict is not None
    assert found.verdict.cost.levels == len(found.levels)
    # No level began after the budget of 80 s; how long the last one took depends on the machine.
    assert all(event["t_s"] < 80 for event in found.events if event["event"] == "level-start")
    assert any("quick search" in flag for flag in found.verdict.flags)
    assert found.plan.server == {"threads": "1"}
    environment = json.loads((found.folder / "environment.json").read_bytes())
    assert environment["sides"][0]["settings"]["threads"] == "1"
