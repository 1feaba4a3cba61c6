"""If nothing limits yet, no limit is named, only the first to come."""

import pytest
from diagnosis_levels import QUIET, Server, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels


def test_without_a_limit_the_first_one_to_come_is_named() -> None:
    server = Server(
        places=4,
        loud={"system.cpu.utilization": 1.0, "process.cpu.busiest_thread": 0.3},
        quiet=QUIET,
    )
    levels = server.levels((0.02, 0.05, 0.1, 0.2))
    found = of_levels(levels, seconds(levels, 0.001))
    assert found is not None
    assert (found.limit, found.confidence_word) == ("none", "high")
    assert found.saturation == pytest.approx(1.0, abs=0.05)
    assert found.next is not None
    assert found.next.limit == "cpu"
    # The model's own knee: places x (R + Z) / S.
    assert found.next.users == pytest.approx(server.knee, rel=0.02)
    assert found.next.low <= found.next.users
    assert found.next.high is None  # of the CPU, a busier server needs less for a scenario
    assert " or more)" in found.next.sentence


def test_late_answers_without_a_queue_are_not_a_lack_of_users() -> None:
    levels = Server(places=64, loud={}, quiet=QUIET).levels((0.02, 0.05, 0.1))
    found = of_levels(levels)
    assert found is not None
    assert [one.id for one in found.advice] == ["none-more"]
    late = {"outcome": "failed", "reasons": ["p99 is 13 ms"]}
    found = of_levels([*levels[:-1], levels[-1].model_copy(update=late)])
    assert found is not None
    assert "(p99 is 13 ms)" in found.sentence
    assert [one.id for one in found.advice] == ["none-late"]


def test_stalls_with_few_users_are_not_a_queue() -> None:
    # A machine that stands still for 20 ms now and then: the mean of 0.3 ms is six times as long.
    rates = ((1, 1.0), (8, 6.5), (64, 50.5))
    took_s = {1: 0.0003, 8: 0.0004, 64: 0.0018}
    found = of_levels([level(i, n, x, took_s[n], 1.43, QUIET) for i, (n, x) in enumerate(rates, 1)])
    assert found is not None
    assert found.saturation is not None
    assert found.saturation > 0.9
    assert found.limit == "none"


def test_behind_a_rate_limit_one_throughput_shows_the_next_limit() -> None:
    # 60 scenarios/s at any number of users, each with 5 ms of the busiest thread: full at 200/s.
    busy = QUIET | {"process.cpu.busiest_thread": 0.3, "process.cpu.utilization": 0.3}
    found = of_levels([level(i, n, 60.0, n / 60, 0.0, busy) for i, n in enumerate((2, 16, 64), 1)])
    assert found is not None
    assert found.next is not None
    assert (found.next.limit, found.next.background) == ("thread", 0.0)
    assert found.next.per_s == pytest.approx(60 / 0.3, rel=1e-6)
    assert found.next.demand == pytest.approx(0.005, rel=1e-6)


def test_cpu_time_of_neighbours_is_not_available_to_users() -> None:
    # Of two CPUs others use 0.8 at all levels; a scenario takes 10 ms of the rest.
    def used(per_s: float) -> dict[str, float]:
        own = 0.01 * per_s
        return {
            **QUIET,
            "system.cpu.logical.count": 2.0,
            "system.cpu.utilization": (own + 0.8) / 2,
            "system.cpu.foreign": 0.8,
            "process.cpu.utilization": own,
            "process.cpu.busiest_thread": 0.1 * own,
        }

    rates = {2: 10.0, 4: 20.0, 8: 40.0, 16: 80.0}
    found = of_levels(
        [level(i, n, x, 0.02, n / x - 0.02, used(x)) for i, (n, x) in enumerate(rates.items(), 1)]
    )
    assert found is not None
    assert found.next is not None
    assert found.next.limit == "cpu"
    assert found.next.per_s == pytest.approx((2 - 0.8) / 0.01, rel=1e-6)


def test_a_full_thread_is_the_limit_even_if_throughput_hardly_bends() -> None:
    busy = "process.cpu.busiest_thread"
    own = {"process.cpu.utilization": 0.98, "system.cpu.utilization": 0.3}
    few = level(1, 10, 470.8, 0.00087, 0.02, QUIET | {busy: 0.31})
    many = level(2, 40, 1657.0, 0.0043, 0.02, QUIET | own | {busy: 0.98})
    found = of_levels([few, many], seconds([few, many]))
    assert found is not None
    assert (found.limit, found.detail) == ("thread", "one thread")
    idle = level(2, 40, 1657.0, 0.0043, 0.02, QUIET | own | {busy: 0.6})
    found = of_levels([few, idle], seconds([few, idle]))
    assert found is not None
    assert found.limit == "none"
