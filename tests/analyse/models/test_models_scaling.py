"""Fits recover the parameters of the scalability law; lines match numpy's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.models import usl
from headcount.analyse.models.growth import line


@given(st.floats(1, 1e4), st.floats(0, 0.3), st.floats(0, 0.01))
def test_the_law_is_recovered(gain: float, contention: float, coherence: float) -> None:
    law = usl.Scalability(gain, contention, coherence)
    n = [1, 2, 4, 8, 16, 32, 64]
    found = usl.fit(n, [law.per_s(each) for each in n])
    assert found is not None
    assert found.gain == pytest.approx(gain, rel=1e-6)
    assert found.contention == pytest.approx(contention, abs=1e-6)
    assert found.coherence == pytest.approx(coherence, abs=1e-7)


def test_noise_changes_the_fit_little_and_never_below_zero() -> None:
    rng = np.random.default_rng(7)
    law = usl.Scalability(100.0, 0.05, 0.0005)
    n = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64]
    noisy = [law.per_s(each) * (1 + rng.normal(0, 0.02)) for each in n]
    found = usl.fit(n, noisy)
    assert found is not None
    assert found.peak == pytest.approx(law.peak, rel=0.15)
    assert law.peak == pytest.approx(math.sqrt(0.95 / 0.0005))
    linear = usl.fit([1, 2, 3, 4], [10, 21, 32, 43])  # more than linear: nothing below zero
    assert linear is not None
    assert (linear.contention, linear.coherence) == (0.0, 0.0)
    assert linear.peak == math.inf


def test_too_few_points_fit_nothing() -> None:
    assert usl.fit([1, 2], [10, 19]) is None
    assert usl.fit([1, 2, 3], [10, 0, 20]) is None
    assert line([1, 1], [2, 3]) is None
    assert line([], []) is None


def test_a_line_matches_numpy() -> None:
    x, y, w = [1.0, 2.0, 4.0, 7.0], [2.0, 1.5, 4.0, 9.0], [1.0, 2.0, 1.0, 0.5]
    found = line(x, y, w)
    assert found is not None
    slope, at = np.polyfit(x, y, 1, w=np.sqrt(w))
    assert found.slope == pytest.approx(slope)
    assert found.value(0.0) == pytest.approx(at)
