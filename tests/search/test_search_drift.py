"""A capacity that changes during the search."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from bench.search.methods import search
from synthetic import logistic, observed, requests

from headcount.analyse.search import Flag, Outcome, Request, Search, Settings, Share
from headcount.analyse.search.drift import drifting_fit


def searched(capacity: Callable[[float], float], seed: int = 3) -> tuple[Outcome, float]:
    """A search of a server whose capacity is a function of the time; and when it ended."""
    draw = np.random.default_rng(seed)
    run, now_s = Search(Settings(curve=())), 0.0
    while (request := run.next()) is not None:
        total = requests(request)
        at_s = now_s + 10.0 + request.measure_s / 2
        share = logistic(capacity(at_s) * math.exp(draw.normal(0, 0.01)))(request.users)
        bad = int(draw.binomial(total, share))
        run.observe(observed(request, Share("response", bad, total, 0.05)))
        now_s += 10.0 + request.measure_s
    return run.outcome(), now_s


def test_a_leak_is_measured_and_the_capacity_is_that_at_the_end() -> None:
    seen = 0
    for seed in range(12):
        found, ended_s = searched(lambda at_s: 940 * math.exp(-0.01 / 60 * at_s), seed)
        left = 940 * math.exp(-0.01 / 60 * ended_s)
        assert found.low <= left <= found.high
        assert found.published <= left
        assert found.confirmed
        if Flag.DRIFTS in found.flags:
            seen += 1
            assert found.per_s * 60 == pytest.approx(-0.01, rel=0.4)
            assert found.estimate == pytest.approx(left, rel=0.04)
    assert seen >= 10  # some are over before the change is larger than chance


def test_a_constant_server_does_not_drift() -> None:
    for seed in range(12):
        found, _ = searched(lambda _: 940.0, seed)
        assert Flag.DRIFTS not in found.flags
        assert found.per_s == 0


def test_levels_that_do_not_say_when_they_ended_show_no_drift() -> None:
    found = []
    for n in range(10):
        capacity = 940 * math.exp(-0.02 * n)
        users = round(capacity * math.exp(0.03 * (-1) ** n))
        bad = round(12_000 * logistic(capacity)(users))
        share = Share("response", bad, 12_000, 0.05)
        level = observed(Request(users, 60.0, "straddle", may_stop_early=False), share)
        found.append((level, share))
    assert drifting_fit(found) is None
    timed = [(replace(o, ended_s=70.0 * at), c) for at, (o, c) in enumerate(found, 1)]
    fit, per_s = drifting_fit(timed) or (None, 0.0)
    assert fit is not None
    assert per_s * 70 == pytest.approx(-0.02, rel=0.05)
    assert math.exp(fit.root) == pytest.approx(940 * math.exp(-0.02 * 9.43), rel=0.005)


def test_a_simulated_leak_does_not_send_the_search_to_zero() -> None:
    found = [search("leak", seed, Settings()) for seed in range(7_000, 7_008)]
    # Of the study's 40 searches 30 say so: fewer than 3 of 8 is a chance of 1 in 250.
    assert sum(Flag.DRIFTS in one.outcome.flags for one in found) >= 3
    assert all(one.is_doubted for one in found)
    assert sum(one.is_covered for one in found) >= 5
    for one in found:
        assert one.outcome.estimate == pytest.approx(one.truth, rel=0.2)
        assert one.seconds < 6_000
