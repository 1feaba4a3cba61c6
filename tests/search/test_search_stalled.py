"""One bad moment leaves the answer as it is; repeated ones do not."""

import statistics
from dataclasses import replace

import pytest
from bench.search import methods
from bench.search.player import Injected
from synthetic import answering, logistic, observed, play, requests

from headcount.analyse.search import Observation, Request, Search, Settings, Share
from headcount.analyse.search.overruled import overruled
from headcount.analyse.search.stalled import are_seldom, without_stalls

CLEAN = (0.0, 100.0)


def level(
    *batches: tuple[float, float], stalls: tuple[tuple[float, float], ...] = (), users: int = 160
) -> Observation:
    bad, total = sum(b for b, _ in batches), sum(t for _, t in batches)
    share = Share("r", bad, total, 0.05, 0.2, batches)
    return Observation(users, 5.0 * len(batches), (share,), 30.0, 0.1, 5.0, stalls=stalls)


def test_a_stall_is_cut_out_with_the_time_to_get_over_it() -> None:
    stalled = level(CLEAN, (80, 100), (20, 100), CLEAN, CLEAN, CLEAN, stalls=((6.0, 3.0),))
    cut = without_stalls(stalled)
    assert cut is not None
    assert cut.measure_s == pytest.approx(20.0)
    assert [(c.bad, c.total) for c in cut.constraints if isinstance(c, Share)] == [(0, 400)]


def test_a_level_that_is_mostly_stalled_cannot_be_cut() -> None:
    assert without_stalls(level(CLEAN, (90, 100), (90, 100), stalls=((5.0, 9.0),))) is None


def test_a_level_without_batches_cannot_be_cut() -> None:
    share = Share("errors", 50, 100, 0.01)
    whole = Observation(10, 60.0, (share,), 2.0, 0.1, 5.0, stalls=((5.0, 9.0),))
    assert without_stalls(whole) is None


def test_frequent_stalls_count() -> None:
    stalled, clean = level(CLEAN, stalls=((1.0, 2.0),)), level(CLEAN)
    assert are_seldom([stalled, stalled, clean])
    assert not are_seldom([stalled, stalled, stalled, clean])


def test_a_failure_is_overruled_by_a_repeat_or_by_two_levels_above() -> None:
    failed, passed = level((20, 100)), level(CLEAN)
    above = level(CLEAN, users=200)
    assert overruled([failed], [True]) == frozenset()
    assert overruled([failed, passed], [True] * 2) == {0}
    assert overruled([failed, above], [True] * 2) == frozenset()
    assert overruled([failed, above, above], [True] * 3) == {0}
    assert overruled([failed, failed, passed], [True] * 3) == frozenset()
    assert overruled([failed, passed], [False] * 2) == frozenset()


def test_the_search_goes_on_above_a_failure_that_a_repeat_overrules() -> None:
    share = logistic(940)
    asked: list[Request] = []
    run = Search(Settings(climb_s=0.0))
    while (request := run.next()) is not None:
        asked.append(request)
        total = requests(request)
        bad = 0.15 if len(asked) == 3 else share(request.users)
        run.observe(observed(request, Share("response", round(bad * total), total, 0.05)))
    assert [request.users for request in asked[:5]] == [10, 40, 160, 160, 320]
    outcome = run.outcome()
    assert outcome.estimate == pytest.approx(940, rel=0.01)
    assert outcome.flags == ()
    assert [(one.index, one.stalled_s) for one in outcome.left_out] == [(2, None)]


@pytest.mark.parametrize("bad", [0.5, 0.01])
def test_a_full_level_that_a_stall_broke_is_run_again_and_one_that_passed_is_not(
    bad: float,
) -> None:
    officials: list[int] = []
    plain = answering(logistic(940))

    def answer(request: Request) -> Observation:
        if request.purpose == "official":
            officials.append(request.users)
        if len(officials) != 1 or request.purpose != "official":
            return plain(request)
        share = Share("response", bad * 1000, 1000, 0.05)
        return replace(observed(request, share), stalls=((10.0, 5.0),))

    search, _ = play(Settings(), answer)
    outcome = search.outcome()
    assert outcome.confirmed
    again = bad > 0.05
    assert officials == [outcome.published] * (1 + again)
    assert [one.stalled_s for one in outcome.left_out] == [5.0] * again


def test_one_stall_at_any_level_leaves_the_answer_as_it_is(proof: bool) -> None:
    moved = []
    for seed in range(7_000, 7_040 if proof else 7_006):
        quiet = methods.search("cpu", seed, Settings())
        stall = Injected(seed % max(quiet.levels, 1), seed % 7, 1.0 + seed % 10)
        found = methods.search("cpu", seed, Settings(), stall)
        moved.append(abs(found.outcome.estimate / quiet.outcome.estimate - 1))
        assert found.outcome.published >= 0.9 * quiet.outcome.published
    assert statistics.median(moved) <= 0.01
    assert max(moved) <= 0.06
