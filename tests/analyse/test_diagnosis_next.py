"""How the next limit is given: in users, or as a rate if a level had as many users."""

import pytest
from diagnosis_levels import QUIET, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Next


def next_limit(think_s: float, *ladder: int) -> Next:
    """The next limit of a server whose one thread, on four CPUs, is full at 100/s."""
    levels = []
    for index, users in enumerate(ladder, 1):
        per_s = min(users / (0.01 + think_s), 100.0)
        used = {
            "system.cpu.utilization": 0.1 + 0.0025 * per_s,
            "process.cpu.utilization": 0.01 * per_s,
            "process.cpu.busiest_thread": 0.0099 * per_s,
            "process.threads.runnable": 0.01 * per_s,
        }
        took_s = max(users / per_s - think_s, 0.01)
        levels.append(level(index, users, per_s, took_s, think_s, {**QUIET, **used}))
    found = of_levels(levels, seconds(levels, 0.02))
    assert found is not None
    assert found.limit == "thread"
    assert found.next is not None
    return found.next


def test_a_next_limit_beyond_the_levels_is_given_in_users() -> None:
    found = next_limit(1.0, 1, 10, 40, 100, 200)
    assert found.limit == "cpu"
    assert found.per_s == pytest.approx(360, rel=0.1)
    assert found.users == pytest.approx(360 * 1.01, rel=0.1)
    assert "users (" in found.sentence
    assert "scenarios/s" not in found.sentence


def test_a_next_limit_within_the_levels_is_given_as_a_rate() -> None:
    found = next_limit(0.02, 1, 2, 4, 16, 64)
    assert found.users < 64
    assert f"at about {found.per_s:.0f} scenarios/s (" in found.sentence
    assert "users" not in found.sentence
