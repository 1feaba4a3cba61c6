"""The seconds of long levels, summed up for what reads a whole run at once."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.bundle.stretches import PERCENTILES, STATES, stretches


def second(at: int, drawn: random.Random, level: int = 1, phase: str = "steady") -> dict[str, Any]:
    completed = drawn.randint(0, 20)
    scenario = {
        "completed": completed,
        "failed": drawn.randint(0, 2),
        "pending": drawn.randint(0, 9),
        "response_s": drawn.random(),
        "p95_ms": drawn.random() if completed else None,
    }
    return {
        "t_s": at + 1.0,
        "seconds": 1.0,
        "level": level,
        "phase": phase,
        "users": drawn.randint(1, 9),
        "worker_cpu_s": [drawn.random(), 0.25],
        "think_s": drawn.random(),
        "sessions_opened": drawn.randint(0, 3),
        "backlog": drawn.randint(0, 3),
        "p95_ms": drawn.random(),
        "scenarios": {"one": scenario, "two": {**scenario, "completed": 1}},
        "steps": {"read": {"completed": completed, "service_s": drawn.random()}},
        "tasks": {} if at % 2 else {"LOGIN": {"completed": 3}},
        "lines": {
            "branch": {key: scenario[key] for key in ("completed", "failed", "p95_ms")},
        },
        "faults": [["read", "timeout", 1], [None, "connect", at % 3]],
        "counters": {"sut": {"cpu": drawn.random()} if at % 5 else {}, "server": {"jobs": 2.0}},
    }


@given(st.integers(1, 70), st.sampled_from([2.0, 7.3, 30.0, 1000.0]), st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_a_stretch_is_the_sum_of_its_seconds(number: int, length_s: float, seed: int) -> None:
    drawn = random.Random(seed)
    seconds = [second(at, drawn) for at in range(number)]
    found = list(stretches(seconds, {1: length_s}))
    at = 0
    for one in found:
        part = seconds[at : at + round(one["seconds"])]
        at += len(part)
        assert one["t_s"] == part[-1]["t_s"]
        assert len(part) == 1 or one["seconds"] < length_s + 1
        for name in ("think_s", "sessions_opened"):
            assert one[name] == pytest.approx(sum(each[name] for each in part))
        assert one["worker_cpu_s"][1] == pytest.approx(0.25 * len(part))
        assert (one["users"], one["backlog"]) == (part[-1]["users"], part[-1]["backlog"])
        for name, summed in one["scenarios"].items():
            tallies = [each["scenarios"][name] for each in part]
            for key, value in summed.items():
                if key in STATES:
                    assert value == tallies[-1][key]
                elif key not in PERCENTILES:
                    assert value == pytest.approx(sum(tally[key] for tally in tallies))
        summed = one["lines"]["branch"]
        tallies = [each["lines"]["branch"] for each in part]
        for key in ("completed", "failed"):
            assert summed[key] == sum(tally[key] for tally in tallies)
        known = [(tally["p95_ms"], tally["completed"]) for tally in tallies if tally["completed"]]
        ended = sum(completed for _, completed in known)
        mean_ms = sum(p95_ms * completed for p95_ms, completed in known) / ended if known else None
        assert summed["p95_ms"] == (mean_ms and pytest.approx(mean_ms))
        cpu = [each["counters"]["sut"]["cpu"] for each in part if each["counters"]["sut"]]
        mean = sum(cpu) / len(cpu) if cpu else None
        assert one["counters"]["sut"].get("cpu") == (mean and pytest.approx(mean))
        tasks = [each["tasks"]["LOGIN"]["completed"] for each in part if each["tasks"]]
        assert one["tasks"].get("LOGIN", {}).get("completed", 0) == sum(tasks)
        assert sum(count for *_, count in one["faults"]) == sum(
            count for each in part for *_, count in each["faults"]
        )
    assert at == number


def test_only_measured_seconds_of_long_levels_are_summed_up() -> None:
    drawn = random.Random(1)
    seconds = [second(at, drawn, 0 if at < 5 else 1, "ramp") for at in range(10)]
    seconds += [second(at, drawn, 2) for at in range(10, 20)]
    assert list(stretches(seconds, {1: 5.0, 2: 1.0})) == seconds
    assert list(stretches(iter(()), {})) == []
    long = [second(at, drawn, 3 + (at > 25)) for at in range(20, 30)]
    found = list(stretches([*seconds, *long], {3: 60.0, 4: 60.0}))
    assert [(one["level"], one["seconds"]) for one in found[len(seconds) :]] == [(3, 6.0), (4, 4.0)]


def test_fields_an_older_headcount_did_not_write_are_absent() -> None:
    drawn = random.Random(2)
    seconds = [second(at, drawn) for at in range(4)]
    for one in seconds:
        del one["tasks"], one["steps"], one["think_s"]
    (found,) = stretches(seconds, {1: 60.0})
    assert (found["tasks"], "think_s" in found) == ({}, False)
