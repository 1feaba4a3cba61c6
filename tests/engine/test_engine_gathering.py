"""Engines that play parts of the same users, and the sum of what they count."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from headcount._engine import Engine, Gathering, Interval
from headcount.errors import EngineError

USERS = 31
STEP = {"name": "look", "op": "serve", "service": {"draw": "fixed", "s": 0.003}}
SCENARIO = {"name": "round", "weight": 1, "limit_ms": 1000, "late_ms": 1000, "steps": [STEP]}


def plan(lanes: list[int], of: int) -> str:
    return json.dumps(
        {
            "seed": 7,
            "workers": len(lanes),
            "part": {"lanes": lanes, "of": of},
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 0.02}},
            "step_timeout_ms": 10_000,
            "report_every_ms": 100,
            "scenarios": [SCENARIO],
        }
    )


@pytest.fixture
def engines() -> Iterator[list[Engine]]:
    """Two engines, with three and with one of four workers."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(Engine(plan(lanes, 4), "null", "{}")))
            for lanes in ([0, 2, 3], [1])
        ]


def test_parts_add_up_to_all_users_and_all_they_do(engines: list[Engine]) -> None:
    together, alone = Gathering(1, 1), [Gathering(1, 1) for _ in engines]
    for one in engines:
        one.set_users(USERS, 0.0)
    sums: list[Interval] = []
    completed, buckets = 0, dict[int, int]()
    for _ in range(8):
        sent = [one.next_bytes(5.0) or b"" for one in engines]
        parts = [
            gathering.next([([each], 0.0)]) for gathering, each in zip(alone, sent, strict=True)
        ]
        whole = together.next([([each], 0.25) for each in sent])
        assert whole is not None
        own = [one for one in parts if one is not None]
        assert len(own) == 2
        assert whole.users == sum(one.users for one in own)
        assert whole.to_s == pytest.approx(max(one.to_s for one in own) + 0.25, abs=1e-6)
        assert len(whole.worker_cpu_s) == 4
        completed += sum(one.scenarios[0].completed for one in own)
        for one in own:
            for highest_us, count in one.scenarios[0].response.buckets():
                buckets[highest_us] = buckets.get(highest_us, 0) + count
        sums.append(whole)
    assert sums[-1].users == USERS
    assert [one.from_s for one in sums[1:]] == [one.to_s for one in sums[:-1]]
    assert sum(one.scenarios[0].completed for one in sums) == completed > 0
    found = dict[int, int]()
    for whole in sums:
        for highest_us, count in whole.scenarios[0].response.buckets():
            found[highest_us] = found.get(highest_us, 0) + count
    assert found == buckets


def test_a_machine_plays_the_users_of_its_workers(engines: list[Engine]) -> None:
    for one in engines:
        one.next(5.0)
        one.set_users(USERS, 0.0)
    present = []
    for one in engines:
        interval = one.next(5.0)
        while interval is not None and interval.users == 0:
            interval = one.next(5.0)
        assert interval is not None
        present.append(interval.users)
    # The second worker has the users 1, 5, ... 29.
    assert present == [USERS - 8, 8]


def test_damaged_bytes_and_bytes_of_another_run_are_refused(engines: list[Engine]) -> None:
    sent = engines[0].next_bytes(5.0)
    assert sent is not None
    assert Gathering(1, 1).next([]) is None
    with pytest.raises(EngineError, match="cannot be read"):
        Gathering(1, 1).next([([sent[:9]], 0.0)])
    with pytest.raises(EngineError, match="another run: 1 scenarios and 1 steps"):
        Gathering(1, 2).next([([sent], 0.0)])


def test_an_impossible_part_is_refused() -> None:
    with pytest.raises(Exception, match=r"workers is \[3, 4\]; it must be 2 ascending"):
        Engine(plan([3, 4], 4), "null", "{}")
