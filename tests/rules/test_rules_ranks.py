"""Ranks of a trend, against SciPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from headcount.analyse.rules.statistic import _ranks


@given(st.lists(st.sampled_from([0.0, 1.5, -2.0, 7.0]) | st.floats(-1e9, 1e9), min_size=1))
def test_ranks_are_those_of_scipy(values: list[float]) -> None:
    assert np.array_equal(_ranks(np.array(values)), stats.rankdata(values))
