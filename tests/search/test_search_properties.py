"""The search ends within its bounds, whatever the answers are."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from synthetic import answering, logistic, observed, play, requests

from headcount.analyse.search import Flag, Overhead, Request, Search, Settings, Share, Value

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=60)
LIMITS = st.tuples(st.integers(1, 300), st.integers(0, 5_000)).map(lambda t: (t[0], t[0] + t[1]))


def check(search: Search, asked: list[Request], most: int) -> None:
    assert all(1 <= request.users <= most for request in asked)
    assert len(asked) <= search.settings.cap + 3 + len(search.settings.curve) + 5
    outcome = search.outcome()
    assert 0 <= outcome.low <= outcome.estimate <= outcome.high
    assert not math.isnan(outcome.high)
    assert 0 <= outcome.published <= most


@settings(max_examples=60, deadline=None)
@given(shares=SHARES, limits=LIMITS, cap=st.integers(1, 30), quick=st.booleans())
def test_any_answers_end_the_search(shares, limits, cap, quick):
    start, most = limits
    wanted = (
        Settings.first_look(start_users=start, max_users=most)
        if quick
        else Settings(start_users=start, max_users=most, cap=cap)
    )
    given_shares = iter(shares * 60)

    def answer(request):
        total = requests(request)
        batches = ((0.0, total / 2), (0.0, total / 2))
        share = next(given_shares)
        return observed(request, Share("r", share * total, total, 0.05, 0.2, batches))

    check(*play(wanted, answer), most)


@settings(max_examples=40, deadline=None)
@given(
    capacity=st.floats(1.0, 50_000),
    slope=st.floats(4, 200),
    allowed=st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.5]),
    start=st.integers(1, 2_000),
)
def test_any_rising_share_is_found(capacity, slope, allowed, start):
    # A minute at the capacity must show some bad requests, which are rounded to whole ones.
    assume(capacity * 60 / 5 * allowed >= 20)
    server = answering(logistic(capacity, slope, allowed), allowed)
    search, asked = play(Settings(start_users=start), server)
    check(search, asked, 100_000)
    outcome, share = search.outcome(), logistic(capacity, slope, allowed)
    # Within a user, or a fifth of the bad requests (their rounding).
    assert outcome.low <= capacity + 1 or share(outcome.low) <= 1.2 * allowed
    assert outcome.high >= capacity - 1 or share(outcome.high) >= allowed / 1.2


@settings(max_examples=40, deadline=None)
@given(
    given_shares=st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 10), st.booleans()), min_size=3, max_size=40
    ),
    stop=st.integers(0, 40),
    allowed=st.sampled_from([0.0, 0.05]),
)
def test_every_interruption_has_an_outcome_and_a_forecast(given_shares, stop, allowed):
    search, answers = Search(Settings(overhead=Overhead(ramp_per_s=200))), iter(given_shares * 20)
    for _ in range(stop):
        request = search.next()
        if request is None:
            break
        share, value, valid = next(answers)
        total = requests(request)
        results = Share("r", int(share * total), total, allowed), Value("mean", value, 1.0)
        search.observe(observed(request, *results, valid=valid))
    check(search, [taken.request for taken in search.taken], 100_000)
    progress = search.progress()
    assert 0 <= progress.remaining_s < math.inf
    unfinished = search.next() is not None and search.next().purpose in ("probe", "straddle")
    assert (Flag.INCOMPLETE in search.outcome().flags) >= unfinished


@settings(max_examples=30, deadline=None)
@given(shares=SHARES, stop=st.integers(0, 20))
def test_a_resumed_search_agrees(shares, stop):
    given_shares = iter(shares * 20)
    search = Search(Settings())
    for _ in range(stop):
        request = search.next()
        if request is None:
            break
        total = requests(request)
        search.observe(observed(request, Share("r", int(next(given_shares) * total), total, 0.05)))
    resumed = Search(Settings())
    for taken in search.taken:
        resumed.observe(taken.observation)
    assert resumed.next() == search.next()
    assert resumed.outcome() == search.outcome()
