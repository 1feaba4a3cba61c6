"""Histograms against the hdrhistogram package, and against the plain sorted list."""

import base64
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount._engine import Histogram

HIGHEST_US = 3_600_000_000

durations = st.one_of(st.integers(1, 3_000), st.integers(1, 2_000_000), st.integers(1, HIGHEST_US))
several = st.lists(durations, max_size=60)


def oracle(values: list[int]) -> HdrHistogram:
    dense = HdrHistogram(1, HIGHEST_US, 3)
    for value in values:
        assert dense.record_value(value)
    return dense


def ours(values: list[int]) -> Histogram:
    return Histogram.decode(base64.b64decode(oracle(values).encode()))


def counted(dense: HdrHistogram) -> list[tuple[int, int]]:
    """Buckets in use as the oracle iterates them."""
    found = [
        (
            dense.get_highest_equivalent_value(item.value_iterated_to),
            item.count_at_value_iterated_to,
        )
        for item in dense.get_recorded_iterator()
    ]
    return [(int(value), int(count)) for value, count in found]


@settings(max_examples=50)
@given(several)
def test_decoding_keeps_every_bucket(values: list[int]) -> None:
    dense, histogram = oracle(values), ours(values)
    assert histogram.buckets() == counted(dense)
    assert histogram.count == dense.get_total_count() == len(values)
    if values:
        assert histogram.max_us == dense.get_highest_equivalent_value(max(values))
        assert histogram.mean_us == pytest.approx(dense.get_mean_value(), rel=1e-9)
        assert histogram.mean_us == pytest.approx(sum(values) / len(values), rel=1e-3)
    else:
        assert (histogram.max_us, histogram.mean_us, histogram.quantile_us(0.5)) == (0, 0.0, 0)


@settings(max_examples=50)
@given(several)
def test_encoding_is_read_by_the_oracle(values: list[int]) -> None:
    encoded = base64.b64encode(bytes(ours(values).encode()))
    dense = HdrHistogram.decode(encoded)
    assert counted(dense) == counted(oracle(values))


@settings(max_examples=50)
@given(st.lists(several, max_size=5))
def test_merging_loses_nothing(parts: list[list[int]]) -> None:
    together = oracle([])
    for part in parts:
        together.add(oracle(part))
    assert Histogram.merge([ours(part) for part in parts]).buckets() == counted(together)


@settings(max_examples=20, deadline=None)
@given(st.lists(durations, min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_slices_merge_to_the_histogram_of_all_durations(values: list[int], cuts: list[int]) -> None:
    """However a level is cut into seconds, and through the log's encoding."""
    edges = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    slices = [ours(values[a:b]) for a, b in pairwise(edges)]
    merged = Histogram.merge([Histogram.decode(bytes(part.encode())) for part in slices])
    whole = ours(values)
    assert merged.buckets() == whole.buckets() == counted(oracle(values))
    assert (merged.count, merged.max_us) == (len(values), whole.max_us)
    assert merged.mean_us == pytest.approx(whole.mean_us, rel=1e-12)


@given(st.lists(durations, min_size=1, max_size=200), st.floats(0, 1))
def test_quantiles_are_those_of_the_sorted_list_to_a_thousandth(
    values: list[int], share: float
) -> None:
    exact = sorted(values)[max(math.ceil(Fraction(share) * len(values)), 1) - 1]
    quantile_us = ours(values).quantile_us(share)
    assert exact <= quantile_us <= exact * (1 + 1e-3)


@given(st.lists(durations, min_size=1, max_size=200), st.sampled_from([0, 50, 90, 95, 99, 99.9]))
def test_quantiles_are_the_nearest_rank(values: list[int], percentile: float) -> None:
    # hdrh itself rounds the rank to the nearest, so only its buckets are the oracle here.
    rank = max(math.ceil(Fraction(str(percentile)) / 100 * len(values)), 1)
    expected = oracle([]).get_highest_equivalent_value(sorted(values)[rank - 1])
    assert ours(values).quantile_us(percentile / 100) == expected


@given(st.lists(durations, max_size=200), durations)
def test_counts_above_a_limit_are_those_whose_bucket_reaches_beyond(
    values: list[int], limit_us: int
) -> None:
    dense = oracle([])
    expected = sum(dense.get_highest_equivalent_value(value) > limit_us for value in values)
    assert ours(values).count_above(limit_us) == expected
    assert expected >= sum(value > limit_us for value in values)
    assert expected <= sum(value > limit_us * (1 - 1e-3) for value in values)


@given(st.lists(durations, min_size=1, max_size=200), durations)
def test_a_percentile_holds_exactly_when_few_enough_are_above(
    values: list[int], limit_us: int
) -> None:
    histogram = ours(values)
    few = histogram.count_above(limit_us) <= len(values) - math.ceil(
        Fraction(95, 100) * len(values)
    )
    assert (histogram.quantile_us(0.95) <= limit_us) == few


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_garbage_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not an HdrHistogram"):
        Histogram.decode(data)


def test_millions_of_durations_merge_without_overflow() -> None:
    one = HdrHistogram(1, HIGHEST_US, 3)
    one.record_value(500, 2_000_000_000)
    part = Histogram.decode(base64.b64decode(one.encode()))
    whole = Histogram.merge([part, part, part])
    assert whole.count == 6_000_000_000  # more than 32 bits hold
    assert whole.quantile_us(0.95) == 500
