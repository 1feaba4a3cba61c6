"""When the machine counts as quiet, and when a run waits for that."""

from collections.abc import Iterator
from itertools import accumulate

import pytest

from headcount.bundle.level import CounterSummary, LevelResult
from headcount.controller.quiet import Patience, Quiet, was_disturbed
from versus_levels import level, plan


def stats(*idle_shares: float) -> Iterator[str]:
    """/proc/stat of two CPUs, a second apart, that are idle for these shares of the time."""
    idle = list(accumulate((round(200 * share) for share in idle_shares), initial=0))
    for second, ticks in enumerate(idle):
        busy = 200 * second - ticks
        each = f"{busy // 2} 0 0 {ticks // 2} 0 0 0 0"
        yield f"cpu  {busy} 0 0 {ticks} 0 0 0 0\ncpu0 {each}\ncpu1 {each}\n"


@pytest.mark.parametrize(
    ("idle", "quiet_after"),
    [
        ([1.0, 1.0, 1.0, 1.0], 3),
        ([0.2, 0.2, 0.2, 0.2], None),  # 0.4 of 2 CPUs
        ([0.3, 0.3, 0.3, 0.3], 3),
        ([1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 6),  # three in a row
    ],
)
def test_a_machine_is_quiet_after_three_seconds_with_half_a_cpu_idle(
    idle: list[float], quiet_after: int | None
) -> None:
    readings = stats(*idle)
    quiet = Quiet(lambda: next(readings))
    found = [quiet() for _ in idle]
    assert (found.index(True) + 1 if True in found else None) == quiet_after


def spoiled(others: float | None, *, late: bool = True) -> LevelResult:
    """An invalid level, on two CPUs of which other programs used `others`."""
    made = level(1, 100, outcome="invalid")
    reason = "1% of the load generator's own timers were over 60 ms late, without which ..."
    generator = made.generator.model_copy(update={"reasons": [reason] if late else []})
    found: dict[str, dict[str, float]] = {}
    if others is not None:
        busy = {"system.cpu.utilization": (others + 0.5) / 2, "system.cpu.logical.count": 2.0}
        found = {
            "sut": busy | {"process.cpu.utilization": 0.3},
            "generator": {"process.cpu.utilization": 0.2},
        }
    counters = {
        side: {
            name: CounterSummary(mean=value, max=value, p95=value, samples=20)
            for name, value in values.items()
        }
        for side, values in found.items()
    }
    return made.model_copy(update={"generator": generator, "counters": counters})


def test_a_run_waits_for_others_and_not_for_its_own_server() -> None:
    assert was_disturbed(spoiled(1.0))
    assert not was_disturbed(spoiled(0.1))
    assert was_disturbed(spoiled(None))  # the server is elsewhere: it can only be others
    assert not was_disturbed(spoiled(1.0, late=False))
    assert not was_disturbed(level(1, 100))


def test_a_run_waits_as_long_as_its_budget_allows() -> None:
    assert Patience(plan(levels="10,20")).left_s == 0
    assert Patience(plan(search=True)).left_s == 60
    assert Patience(plan(search=True, budget="5m")).left_s == 30
    assert Patience(plan(search=True, quick=True)).left_s == 20
