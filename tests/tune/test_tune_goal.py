"""The figure of a turn that decides, and the gain of a pair of turns."""

import math

import pytest

from headcount.bundle.level import CounterSummary, LevelResult
from headcount.tune.goal import figure
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
