"""Windows against a history counted request by request: nothing is lost or counted twice."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from history import LIMITS_US, Request, Slice, edges, histories, slices_of, window
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.window import Window

any_history = st.sampled_from(["closed", "open"]).flatmap(histories)
closed_history = histories("closed")
cuts = st.sets(st.integers(0, 8))


def parts_of(slices: list[Slice], at: set[int]) -> list[Window]:
    """Cut the slices into consecutive windows."""
    bounds = sorted({0, len(slices)} | {cut for cut in at if cut < len(slices)})
    return [window(slices[a:b], slices[a - 1] if a else None) for a, b in pairwise(bounds)]


def bounds_us(part: Window) -> tuple[int, int]:
    first = part.intervals[0]
    # The very beginning counts what happened at 0, too.
    start = round(first.from_s * 1e6) if part.before is not None else -1
    return start, round(part.intervals[-1].to_s * 1e6)


def between(
    requests: Sequence[Request], known: Callable[[Request, int], bool], part: Window
) -> int:
    """How many became known within a window."""
    start, end = bounds_us(part)
    return sum(known(r, end) for r in requests) - sum(known(r, start) for r in requests)


@settings(max_examples=60)
@given(any_history, edges, cuts, st.integers(0, 1_000))
def test_each_scenario_is_decided_in_one_window(
    requests: list[Request], at: list[int], cut: set[int], limit: int
) -> None:
    slices = slices_of(requests, at)
    parts = parts_of(slices, cut)
    for part in parts:
        bad = between(requests, lambda r, t: r.over(t, limit), part)
        total = between(requests, lambda r, t: r.decided(t, limit), part)
        assert part.pool().slower(limit) == (bad, total)
    whole = window(slices).pool().slower(limit)
    counts = [part.pool().slower(limit) for part in parts]
    assert (sum(bad for bad, _ in counts), sum(total for _, total in counts)) == whole


@settings(max_examples=40)
@given(closed_history, edges, cuts, st.integers(0, 1_000))
def test_each_scenario_of_one_kind_is_decided_in_one_window(
    requests: list[Request], at: list[int], cut: set[int], limit: int
) -> None:
    slices = slices_of(requests, at)
    for part in parts_of(slices, cut):
        for index in range(len(LIMITS_US)):
            mine = [r for r in requests if r.scenario == index]
            bad = between(mine, lambda r, t: r.over(t, limit), part)
            total = between(mine, lambda r, t: r.decided(t, limit), part)
            assert part.pool(index).slower(limit) == (bad, total)


@settings(max_examples=40)
@given(any_history, edges, cuts, st.sets(st.integers(0, 1), min_size=1))
def test_several_kinds_count_like_their_scenarios_alone(
    requests: list[Request], at: list[int], cut: set[int], kinds: set[int]
) -> None:
    mine = [r for r in requests if r.scenario in kinds]
    for part in parts_of(slices_of(requests, at), cut):
        pool = part.pool(tuple(sorted(kinds)))
        start, end = bounds_us(part)
        ended = [r for r in mine if start < r.ended <= end]
        done = [r.ended - r.due for r in ended if not r.failed]
        assert (pool.completed, pool.failed) == (len(done), len(ended) - len(done))
        assert pool.response.count == len(done)
        begun = [r for r in mine if r.began <= end]
        waited = sum(min(r.ended, end) - r.due for r in begun if r.ended > max(start, 0))
        waited -= sum(max(start, 0) - r.due for r in mine if r.began <= start < r.ended)
        assert pool.waited_s() == pytest.approx(waited / 1e6, abs=1e-9)


@settings(max_examples=40)
@given(closed_history, edges, cuts)
def test_overload_counts_each_scenario_over_its_own_limit_once(
    requests: list[Request], at: list[int], cut: set[int]
) -> None:
    for part in parts_of(slices_of(requests, at), cut):
        over = between(requests, lambda r, t: r.over(t, LIMITS_US[r.scenario]), part)
        decided = between(requests, lambda r, t: r.decided(t, LIMITS_US[r.scenario]), part)
        assert part.pool().overloaded() == (over, decided)


@settings(max_examples=40)
@given(any_history, edges, cuts)
def test_counts_and_waiting_times_add_up(
    requests: list[Request], at: list[int], cut: set[int]
) -> None:
    for part in parts_of(slices_of(requests, at), cut):
        pool = part.pool()
        start, end = bounds_us(part)
        assert pool.due() == between(requests, lambda r, t: r.due <= t, part)
        ended = [r for r in requests if start < r.ended <= end]
        assert pool.completed + pool.failed == len(ended)
        assert pool.failed == sum(r.failed for r in ended)
        waited = sum(r.waited(max(start, 0), end) for r in requests)
        assert pool.waited_s() == pytest.approx(waited / 1e6, abs=1e-9)
        assert pool.response.count == pool.service.count == pool.completed
        assert pool.completed == part.pool(0).completed + part.pool(1).completed


@given(
    st.lists(st.floats(0.5, 2.0), min_size=1, max_size=60),
    st.floats(1.0, 20.0),
)
def test_split_keeps_every_slice_in_order(lengths: list[float], seconds: float) -> None:
    slices, now = [], 0.0
    for length in lengths:
        slices.append(Slice(now, now + length, []))
        now += length
    parts = window(slices).split(seconds)
    assert [s for part in parts for s in part.intervals] == slices
    assert parts[0].before is None
    for one, two in pairwise(parts):
        assert two.before is one.intervals[-1]
        assert one.seconds >= min(seconds - 0.5, seconds / 2) - 1e-9
    if len(parts) > 1:
        assert parts[-1].seconds >= seconds / 2 - 1e-9


def test_active_users_completed_a_scenario_in_the_window() -> None:
    slices = [
        Slice(0.0, 1.0, [], users=4, completed=[(0.0, 2)]),
        Slice(1.0, 2.0, [], users=4, completed=[(0.0, 2), (1.0, 1)]),
        Slice(2.0, 3.0, [], users=4, completed=[(0.0, 1), (1.0, 1), (2.0, 1)]),
    ]
    assert window(slices).active_users == 3
    assert window(slices[1:], slices[0]).active_users == 2
    assert window(slices[2:], slices[1]).active_users == 1
    assert window(slices[1:2], slices[0]).active_users == 1
    assert window([]).active_users == 0


def test_users_who_log_on_count_for_the_time_they_take() -> None:
    # One user logs on for a half-second after another, of four: 4, 3, 2, 1 at the ends.
    slices = [
        Slice(n / 2, n / 2 + 0.5, [], users=4, logging_on=4 - n, completed=[]) for n in range(4)
    ]
    assert window(slices[1:], slices[0]).logging_on == pytest.approx((3.5 + 2.5 + 1.5) / 3)
    assert window(slices[:1]).logging_on == 2.0  # nobody before the first
    assert window([]).logging_on == 0.0


def test_seconds_split_into_stretches_of_five() -> None:
    slices = [Slice(float(n), n + 1.0, []) for n in range(32)]
    lengths = [len(part.intervals) for part in window(slices).split(5.0)]
    assert lengths == [5, 5, 5, 5, 5, 7]  # the rest of two seconds joins the last
    lengths = [len(part.intervals) for part in window(slices[:28]).split(5.0)]
    assert lengths == [5, 5, 5, 5, 5, 3]


def test_unserved_users_got_nothing_in_the_whole_window() -> None:
    window = Window(
        [
            Slice(1.0, 2.0, [], users=9),
            Slice(2.0, 3.0, [], users=9, unserved=[(0.3, 2), (1.0, 3), (1.1, 1), (2.9, 1)]),
        ],
        None,
    )
    assert window.unserved_users == 5
    assert Window([], None).unserved_users == 0
