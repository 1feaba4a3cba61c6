"""The load generator's own delay: its bound holds the truth and leaves near failures undecided."""

import numpy as np
import pytest
from history import EMPTY, Count, Slice, histogram, window
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.analyse.judge import Context, judge
from headcount.analyse.lateness import GRID_US, WAKE_US, Delay, Lateness, Waits
from headcount.analyse.time_text import with_own_delay
from headcount.analyse.times import times_of
from headcount.bundle.level import CriterionResult
from headcount.plan.criteria import parse

NUMBER = 20_000
QUANTILES = {"p50_ms": 0.5, "p90_ms": 0.9, "p95_ms": 0.95, "p99_ms": 0.99}


def delays_us(seed: int, scale_us: float, rare_us: float) -> np.ndarray:
    """Delays of waits: usually short, one in a hundred long."""
    random = np.random.default_rng(seed)
    usual = random.exponential(scale_us, NUMBER)
    return np.where(random.random(NUMBER) < 0.01, random.exponential(rare_us, NUMBER), usual)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 1000),
    scale_us=st.sampled_from([20.0, 500.0, 5_000.0]),
    rare_us=st.sampled_from([1_000.0, 50_000.0]),
    waits=st.integers(1, 4),
    constant=st.booleans(),
)
def test_the_servers_own_time_is_within_the_bound(
    seed: int, scale_us: float, rare_us: float, waits: int, *, constant: bool
) -> None:
    random = np.random.default_rng(seed + 1)
    server = np.full(NUMBER, 5_000.0) if constant else random.lognormal(9.0, 0.7, NUMBER)
    late = delays_us(seed + 9, scale_us, rare_us)
    for n in range(waits):
        answered = delays_us(seed + 10 + n, scale_us, rare_us)
        late = late + np.maximum(answered - GRID_US, np.minimum(answered, WAKE_US))
    measured = histogram([max(1, int(one)) for one in server + late])
    seen = histogram([max(1, int(one)) for one in delays_us(seed + 5, scale_us, rare_us)])
    times = times_of(measured, Waits(Delay(seen), waits))
    assert times is not None
    assert times.own_delay is not None
    for name, quantile in QUANTILES.items():
        value, own = getattr(times, name), getattr(times.own_delay, name)
        truth = float(np.quantile(server, quantile)) / 1000
        assert 0 <= own <= value
        assert truth >= (value - own) * 0.97
        assert truth <= value * 1.01
    mean = times.mean_ms - times.own_delay.mean_ms
    assert mean == pytest.approx(server.mean() / 1000, rel=0.1)


def test_a_quiet_generator_adds_next_to_nothing() -> None:
    server = np.random.default_rng(3).lognormal(11.0, 0.5, NUMBER)
    quiet = histogram([40] * 990 + [200] * 10)
    times = times_of(histogram([int(one) for one in server]), Waits(Delay(quiet), 1))
    assert times is not None
    assert times.own_delay is not None
    assert times.own_delay.p95_ms < 0.01 * times.p95_ms
    assert with_own_delay(times.p95_ms, times.own_delay.p95_ms) == with_own_delay(times.p95_ms, 0)


def judged(text: str, fast: int, slow: int, slow_us: int, late_us: int) -> CriterionResult:
    response = type(EMPTY).merge([histogram([1_000], fast), histogram([slow_us], slow)])
    count = Count(
        started=fast + slow,
        completed=fast + slow,
        slow=slow,
        overloaded=slow,
        response_s=(fast * 1_000 + slow * slow_us) / 1e6,
        response=response,
    )
    lateness = Lateness(Delay(histogram([late_us], 100)), 1.0, 1.0, (1,), (200_000,))
    part = window([Slice(0.0, 10.0, [count])])
    return judge(parse(text), part, ["work"], {}, Context(lateness=lateness))


@pytest.mark.parametrize("text", ["p95<=200ms", "overload<=5%"])
def test_a_failure_that_late_timers_may_have_caused_is_undecided(text: str) -> None:
    # Each scenario waits twice, for its start and its answer: 2 x 30 ms of 240 are the generator's.
    assert judged(text, 900, 100, 240_000, 30_000).undecided
    assert not judged(text, 900, 100, 240_000, 15_000).undecided
    assert not judged(text, 900, 100, 900_000, 30_000).undecided
    passed = judged(text, 990, 10, 240_000, 30_000)
    assert (passed.passed, passed.undecided) == (True, False)


def test_a_mean_is_undecided_within_the_mean_delay() -> None:
    # The mean is 0.9 x 1 ms + 0.1 x 240 ms = 24.9 ms.
    assert judged("mean<=20ms", 900, 100, 240_000, 3_000).undecided
    assert not judged("mean<=20ms", 900, 100, 240_000, 2_000).undecided
    assert judged("mean<=20ms", 900, 100, 240_000, 2_000).sentence.startswith(
        "the mean is 21.0 to 24.9 ms"
    )


def test_times_with_a_large_own_delay_are_ranges() -> None:
    assert with_own_delay(6.1, 4.0) == "2.10 to 6.10 ms"
    assert with_own_delay(6.1, 0.61) == "6.10 ms"
    assert with_own_delay(1200.0, 1200.0) == "0 ms to 1.20 s"
