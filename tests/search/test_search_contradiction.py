"""Levels that the interval must not contradict."""

import math

from headcount.analyse.search import Flag, Observation, Search, Settings, Share
from headcount.analyse.search.contradiction import contradictions


def level(users: int, share: float) -> Observation:
    total = 1000.0
    bad = Share("p95<=1s", round(share * total), total, 0.05, 1.0)
    return Observation(users, 60.0, (bad,), users / 5, 0.1, 5.0)


def test_levels_near_the_interval_leave_it_as_it_is() -> None:
    near = [level(100, 0.06), level(112, 0.04), level(95, 0.01), level(120, 0.5)]
    assert contradictions(103.0, 108.0, near) == (103.0, 108.0)


def test_a_pass_far_above_and_a_failure_far_below_widen_it() -> None:
    assert contradictions(103.0, 108.0, [level(200, 0.01)]) == (103.0, 200.0)
    assert contradictions(103.0, 108.0, [level(50, 0.9)]) == (50.0, 108.0)
    assert contradictions(103.0, math.inf, [level(200, 0.01)]) == (103.0, math.inf)


def test_a_server_that_changes_in_the_middle_is_flagged_and_its_interval_covers_both() -> None:
    # The first levels see a server for 330 users, the later ones see one for 165.
    search = Search(Settings(official_s=0.0, curve=(), budget_s=1500.0))
    for number in range(60):
        request = search.next()
        if request is None:
            break
        capacity = 330 if number < 6 else 165
        search.observe(level(request.users, 1 / (1 + 19 * (capacity / request.users) ** 25)))
    outcome = search.outcome()
    passed = [t.observation.users for t in search.taken if t.observation.passed]
    assert Flag.NOISY in outcome.flags
    assert outcome.high >= max(passed)
    assert outcome.low <= 165 <= outcome.high


def test_one_bad_moment_does_not_send_the_search_below_the_capacity() -> None:
    search = Search(Settings(official_s=0.0, curve=(), budget_s=1500.0))
    asked = []
    for number in range(60):
        request = search.next()
        if request is None:
            break
        asked.append(request.users)
        hiccup = 0.2 if number == 0 else 0.0
        search.observe(level(request.users, hiccup or 1 / (1 + 19 * (330 / request.users) ** 25)))
    assert asked[:2] == [10, 10]  # the surprising failure is looked at again
    outcome = search.outcome()
    assert outcome.high >= 330 or Flag.NOISY in outcome.flags


def test_a_clear_failure_is_believed_at_once() -> None:
    search = Search(Settings(start_users=100))
    search.observe(level(100, 0.9))
    request = search.next()
    assert request is not None
    assert request.users < 100
