"""The engine counts by the users' lines; users keep theirs whichever engine plays them."""

import json

import pytest
from engine_plans import closed, drain, plan, pull_until, scenario, serve, start

from headcount._engine import Engine, Gathering, Interval, users_by_line
from headcount.errors import InputError

SHARES = [0.4, 0.2]
WORK = scenario("work", serve(0.002), limit_ms=1)
USERS = 50


def played(**changes: object) -> list[Interval]:
    engine = start(plan(closed(0.01), WORK, **changes))
    engine.set_users(USERS, 0.0)
    intervals = pull_until(engine, 0.5) + drain(engine)
    engine.close()
    return intervals


def test_without_lines_nothing_is_counted_by_line() -> None:
    assert all(one.lines == [] for one in played())


def test_lines_add_up_to_all_scenarios() -> None:
    intervals = played(lines=SHARES)
    for one in intervals:
        (work,) = one.scenarios
        assert len(one.lines) == 3
        for name in ("started", "completed", "failed", "overloaded"):
            assert sum(getattr(line, name) for line in one.lines) == getattr(work, name)
        assert sum(line.response.count for line in one.lines) == work.completed
    # All users do the same, so each line has the share of its users in what was done.
    number = users_by_line(USERS, SHARES)
    totals = [sum(one.lines[place].started for one in intervals) for place in range(3)]
    for line, users in zip(totals, number, strict=True):
        assert line / sum(totals) == pytest.approx(users / USERS, rel=0.25)


def test_failures_count_on_the_line_of_their_user() -> None:
    broken = scenario("work", {"op": "fail", "ends_session": False})
    engine = start(plan(closed(0.01), broken, lines=[1.0]))
    engine.set_users(3, 0.0)
    intervals = pull_until(engine, 0.3) + drain(engine)
    engine.close()
    others, line = zip(*(one.lines for one in intervals), strict=True)
    assert sum(one.started for one in others) == 0
    failed = sum(one.failed for one in line)
    assert failed == sum(one.overloaded for one in line) > 0
    assert sum(one.completed for one in line) == 0


def test_machines_together_count_by_line_too() -> None:
    text = json.loads(plan(closed(0.01), WORK, lines=SHARES, workers=1))
    engines = [
        Engine(json.dumps({**text, "part": {"lanes": [lane], "of": 2}}), "null", "{}")
        for lane in (0, 1)
    ]
    for engine in engines:
        engine.set_users(USERS, 0.0)
    sent = [engine.next_bytes(5.0) for engine in engines]
    for engine in engines:
        engine.close()
    parts = [([one], 0.0) for one in sent if one is not None]
    together = Gathering(1, 1).next(parts)
    assert together is not None
    assert sum(one.started for one in together.lines) == together.scenarios[0].started > 0
    assert len(together.lines) == 3


@pytest.mark.parametrize("shares", [[0.0], [1.5], [0.6, 0.6], [0.01] * 65])
def test_impossible_shares_are_refused(shares: list[float]) -> None:
    with pytest.raises(InputError, match=r"line"):
        start(plan(closed(1.0), lines=shares))


def test_each_line_needs_an_address() -> None:
    text = plan(closed(1.0), lines=SHARES)
    with pytest.raises(InputError, match="the number of lines' addresses is 1; it must be from 3"):
        Engine(text, "null", "{}", local_addresses=["127.0.0.1"])
