"""A full delay line makes a level invalid; its CPU time is not that of other programs."""

import pytest
from diagnosis_levels import CPUS, level

from headcount.analyse.diagnosis.evidence.cpu import cores
from headcount.analyse.diagnosis.observation import observe
from headcount.analyse.line import with_full_line
from headcount.analyse.neighbours import foreign_cores
from headcount.bundle.level import CounterSummary, LevelResult


def with_line(
    one: LevelResult, cpu: float, dropped: float = 0.0, side: str = "line"
) -> LevelResult:
    means = {
        "process.cpu.utilization": cpu,
        "line.packets": 10_000.0,
        "line.dropped": 10_000.0 * dropped,
    }
    figures = {
        name: CounterSummary(mean=mean, max=mean, p95=mean, samples=30)
        for name, mean in means.items()
    }
    counters = {**one.counters, side: figures}
    return one.model_copy(update={"counters": counters})


@pytest.mark.parametrize(("cpu", "limited"), [(0.2, False), (0.8, False), (0.81, True)])
@pytest.mark.parametrize("other", [True, False])
def test_a_line_may_use_four_fifths_of_a_core(cpu: float, limited: bool, other: bool) -> None:
    one = with_line(level(1, 10, 100.0, 0.01, 1.0, {}, limited=other), cpu)
    before = one.generator
    found = with_full_line(before, one.counters)
    assert found.limited is (limited or other)
    assert list(found.reasons[: len(before.reasons)]) == list(before.reasons)
    about = [reason for reason in found.reasons if "delay line" in reason]
    assert len(about) == limited
    assert all("81.0% of a core" in reason for reason in about)


@pytest.mark.parametrize(("dropped", "limited"), [(0.0, False), (0.001, False), (0.02, True)])
def test_a_line_may_drop_hardly_anything(dropped: float, limited: bool) -> None:
    one = with_line(level(1, 10, 100.0, 0.01, 1.0, {}), 0.1, dropped)
    found = with_full_line(one.generator, one.counters)
    assert found.limited is limited
    assert any("was full and dropped 2" in reason for reason in found.reasons) is limited


def test_the_line_of_a_group_of_users_is_named() -> None:
    one = with_line(level(1, 10, 100.0, 0.01, 1.0, {}), 0.2)
    one = with_line(with_line(one, 0.9, side="line-ship"), 0.1, 0.5, side="line-branch")
    found = with_full_line(one.generator, one.counters)
    assert found.limited
    assert [reason.partition(" between")[0] for reason in found.reasons] == [
        "the delay line branch",
        "the delay line ship",
    ]


def test_without_a_line_nothing_changes() -> None:
    one = level(1, 10, 100.0, 0.01, 1.0, {})
    assert with_full_line(one.generator, one.counters) == one.generator


def test_the_cpu_of_the_line_is_not_that_of_other_programs() -> None:
    """Of four CPUs without idle time: the server uses 1, the generator 0.2, the line 0.5."""
    machine = {
        "system.cpu.utilization": 1.0,
        "system.cpu.logical.count": 4.0,
        "process.cpu.utilization": 1.0,
    }
    one = with_line(level(1, 10, 100.0, 0.01, 1.0, machine), 0.5)
    assert foreign_cores(one) == pytest.approx(CPUS - 1.0 - 0.2 - 0.5)
    assert cores(observe(one)).foreign == foreign_cores(one)
    more = with_line(one, 0.3, side="line-branch")
    assert foreign_cores(more) == pytest.approx(CPUS - 1.0 - 0.2 - 0.5 - 0.3)
