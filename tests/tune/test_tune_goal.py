"""The figure of a turn that decides."""

import pytest

from headcount.bundle.level import CounterSummary
from headcount.tune.goal import figure
from versus_levels import level


def used(cores: float) -> dict[str, CounterSummary]:
    return {"process.cpu.utilization": CounterSummary(mean=cores, max=cores, p95=cores, samples=9)}


def test_the_cost_of_a_scenario_is_the_cpu_time_of_the_server() -> None:
    counters = {"generator": used(0.9), "server": used(0.7), "sut": used(0.5)}
    alone = level(1, 100, rate_per_s=250.0).model_copy(update={"counters": counters})
    assert figure(alone, "cpu") == pytest.approx(0.002)
    agents = {"agent-1": used(0.3), "agent-2": used(0.4), **counters}
    assert figure(alone.model_copy(update={"counters": agents}), "cpu") == pytest.approx(0.002)
