"""Pauses in which every user waits, found from levels whose seconds are known."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from diagnosis_levels import QUIET, level

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult

USERS = (2, 16, 64)
USUAL_S = 0.005
SECONDS = 12

Pause = Callable[[int], float]
"""How long everybody stands still in a second."""


def played(
    pause: Pause, longest_s: float | None = None, **counters: Callable[[int], float]
) -> Diagnosis:
    """Users with 20 ms of think time on a server of 5 ms, which stands still now and then.

    With the time of the longest scenario, the medians of the seconds are known, too.
    """
    levels: list[LevelResult] = []
    seconds: list[dict[str, Any]] = []
    for index, users in enumerate(USERS, 1):
        completed, service_s = [], []
        for number in range(SECONDS):
            moving_s = 1 - pause(number)
            completed.append(users * moving_s / (USUAL_S + 0.020))
            # Users in service or arriving meanwhile have waited for the rest of the pause.
            service_s.append(completed[-1] * USUAL_S + users * pause(number))
        named = {f"process.{name.replace('__', '.')}": of for name, of in counters.items()}
        means = {name: sum(map(of, range(SECONDS))) / SECONDS for name, of in named.items()}
        per_s, mean_s = sum(completed) / SECONDS, sum(service_s) / sum(completed)
        one = level(index, users, per_s, mean_s, 0.020, {**QUIET, **means})
        tally: dict[str, float] = {}
        if longest_s is not None:
            assert one.total.service
            times = one.total.service.model_copy(update={"max_ms": 1000 * longest_s})
            total = one.total.model_copy(update={"service": times})
            one = one.model_copy(update={"total": total})
            tally = {"p50_ms": 1000 * USUAL_S}
        levels.append(one)
        seconds += [
            {
                "t_s": 100.0 * index + number,
                "seconds": 1.0,
                "level": index,
                "phase": "steady",
                "scenarios": {
                    "all": {
                        "completed": completed[number],
                        "service_s": service_s[number],
                        **tally,
                    }
                },
                "counters": {"sut": {**QUIET, **{name: of(number) for name, of in named.items()}}},
            }
            for number in range(SECONDS)
        ]
    found = of_levels(levels, seconds)
    assert found is not None
    return found


def in_seconds(which: Sequence[int], much: float, little: float = 0.0) -> Callable[[int], float]:
    return lambda number: much if number in which else little


def test_seconds_in_which_everybody_waits_are_pauses() -> None:
    found = played(in_seconds((2, 5, 8, 11), 0.4))
    assert (found.limit, found.detail) == ("pause", None)
    # 0.4 s for all in 4 of 12 seconds, where a user of 25 ms a turn waits 5 ms: 1.6 / (1.6 + ~2.1).
    usual_s = 4 * 0.6 * USUAL_S / 0.025 + 8 * USUAL_S / 0.025
    lost = 4 * 0.4 / (4 * 0.4 + usual_s)
    (figure,) = found.figures
    assert figure.value == pytest.approx(lost, rel=0.01)
    assert "in 12 of 36 seconds all users waited at once" in found.sentence
    assert "5.00 ms" in found.sentence


def test_the_garbage_collector_is_named_if_it_works_in_the_pauses() -> None:
    pauses = (2, 5, 8, 11)
    found = played(in_seconds(pauses, 0.4), cpu__garbage_collection=in_seconds(pauses, 0.5, 0.02))
    assert (found.limit, found.detail) == ("pause", "garbage collection")
    assert "garbage collector" in found.sentence
    assert "-Xlog:gc" in found.advice[0].sentence
    steady = played(in_seconds(pauses, 0.4), cpu__garbage_collection=lambda _: 0.5)
    assert (steady.limit, steady.detail) == ("pause", None)


def test_a_short_pause_shows_in_the_mean_beside_a_usual_median() -> None:
    """Four pauses of 25 ms in two of three seconds: 0.1 s a second, of 0.2 s that users wait."""
    short = in_seconds((0, 1, 3, 4, 6, 7, 9, 10), 0.14)
    found = played(short, longest_s=0.14)
    assert (found.limit, found.detail) == ("pause", None)
    assert found.figures[0].value == pytest.approx(0.3, abs=0.05)
    assert "in 16 of 36 seconds all users waited at once" in found.sentence  # of 16 and 64 users


def test_a_few_slow_requests_are_not_a_pause() -> None:
    """The same times, but the longest scenario shows that few of them took all of it."""
    short = in_seconds((0, 1, 3, 4, 6, 7, 9, 10), 0.14)
    assert played(short, longest_s=3.0).limit != "pause"
    assert played(short).limit != "pause"


@pytest.mark.parametrize(
    "pause",
    [
        lambda _: 0.0,
        lambda _: 0.3,  # the same in every second: none is usual
        lambda number: 0.02 * (number % 3),
        in_seconds((4,), 0.3),
    ],
)
def test_constant_short_or_rare_waits_are_not_pauses(pause: Pause) -> None:
    assert played(pause).limit != "pause"


def test_stopped_threads_are_a_pause_even_without_seconds() -> None:
    counters = {**QUIET, "process.threads": 5.0, "process.threads.stopped": 1.0}
    levels = [
        level(1, 2, 60.0, 0.012, 0.020, counters),
        level(2, 64, 1900.0, 0.012, 0.02, counters),
    ]
    found = of_levels(levels)
    assert found is not None
    assert (found.limit, found.detail) == ("pause", "stopped")
    assert "20.0% of the time" in found.sentence
