"""The figure of a turn that decides, and the gain of a pair of turns."""

import math

import pytest

from headcount.bundle.level import CounterSummary, LevelResult
from headcount.errors import InputError
from headcount.tune.goal import Goal, figure, gain, parse
from headcount.tune.pairs import gain_of
from versus_levels import level


def used(cores: float) -> dict[str, CounterSummary]:
    return {"process.cpu.utilization": CounterSummary(mean=cores, max=cores, p95=cores, samples=9)}


def test_the_cost_of_a_scenario_is_the_cpu_time_of_the_server() -> None:
    counters = {"generator": used(0.9), "server": used(0.7), "sut": used(0.5)}
    alone = level(1, 100, rate_per_s=250.0).model_copy(update={"counters": counters})
    assert figure(alone, "cpu") == pytest.approx(0.002)
    agents = {"agent-1": used(0.3), "agent-2": used(0.4), **counters}
    assert figure(alone.model_copy(update={"counters": agents}), "cpu") == pytest.approx(0.002)


def test_a_shorter_time_to_log_on_is_a_gain() -> None:
    slow, fast = (
        level(1, 100).model_copy(update={"log_on_s": log_on_s}) for log_on_s in (20.0, 8.0)
    )
    assert figure(slow, "log_on") == 20.0
    assert gain(slow, fast, "log_on") == pytest.approx(math.log(2.5))
    assert gain(slow, level(1, 100), "log_on") is None  # nobody came


def of_some(*criteria: tuple[str, float]) -> LevelResult:
    """A level whose scenarios took 10 ms at the 95th percentile, with these criteria's values."""
    plain = level(1, 100)
    one = plain.criteria[0]
    judged = [one.model_copy(update={"criterion": text, "value": ms}) for text, ms in criteria]
    return plain.model_copy(update={"criteria": [one, *judged]})


def test_response_times_are_those_that_the_workload_is_judged_by() -> None:
    assert figure(of_some(("people:p95<=2s", 7.0)), "p95") == 7.0
    assert figure(of_some(("p95<=1s", 10.5)), "p95") == 10
    assert figure(of_some(("people:p99<=2s", 7.0), ("people:mean<=2s", 7.0)), "p95") == 10
    # None of several stands for all.
    assert figure(of_some(("p95<=1s", 10.5), ("people:p95<=2s", 7.0)), "p95") == 10
    assert figure(of_some(("LOGIN:p95<=5s", 7.0), ("FETCH:p95<=5s", 8.0)), "p95") == 10


def test_goals_are_read() -> None:
    assert parse("log-on") == Goal("log-on")
    assert parse("log-on@400") == Goal("log-on", 400)
    assert parse("p95@400") == Goal("p95", 400)
    assert {parse("log-on").measure(limit) for limit in ("cpu", "none", "refusal")} == {"log_on"}
    for wrong in ("logon", "log-on@", "log-on@0", "p95", "cost@4"):
        with pytest.raises(InputError, match="--goal"):
            parse(wrong)


def turn(rate_per_s: float, *, is_spoiled: bool = False) -> LevelResult:
    found = level(1, 100, rate_per_s=rate_per_s)
    generator = found.generator.model_copy(update={"limited": is_spoiled})
    outcome = "invalid" if is_spoiled else "failed"
    return found.model_copy(update={"generator": generator, "outcome": outcome})


def test_a_full_generator_hides_only_what_the_better_turn_gains() -> None:
    assert gain_of(turn(100), turn(150), "rate") == pytest.approx(math.log(1.5))
    # At least this: with a better generator, the second turn would have been faster.
    assert gain_of(turn(100), turn(150, is_spoiled=True), "rate") == pytest.approx(math.log(1.5))
    assert gain_of(turn(150, is_spoiled=True), turn(100), "rate") == pytest.approx(-math.log(1.5))
    # The worse one may only look worse.
    assert gain_of(turn(100, is_spoiled=True), turn(150), "rate") is None
    assert gain_of(turn(150), turn(100, is_spoiled=True), "rate") is None
    assert gain_of(turn(100, is_spoiled=True), turn(150, is_spoiled=True), "rate") is None
