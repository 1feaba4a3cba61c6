"""Durations, sizes and shares."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import InputError
from headcount.plan.units import duration_text, seconds, share, size_bytes


@pytest.mark.parametrize(
    ("text", "value_s"),
    [
        ("200ms", 0.2),
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("1.5 s", 1.5),
        ("10us", 1e-5),
        ("0s", 0),
        ("1h1m1s1ms", 3661.001),
    ],
)
def test_durations(text: str, value_s: float) -> None:
    assert seconds(text) == pytest.approx(value_s, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "5", "s", "5x", "-5s", "5S", "1e3s", "5 minutes", ".5s", "5s,"]
)
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError, match=r"the think time is .*write it like 200ms, 30s"):
        seconds(text, "the think time")


@given(st.floats(0, 1e10))
def test_a_written_duration_is_read_as_it_was(value_s: float) -> None:
    assert math.isclose(seconds(duration_text(value_s)), value_s, rel_tol=1e-11, abs_tol=1e-18)


@given(st.integers(0, 10**9), st.sampled_from(["us", "ms", "s", "m", "h"]))
def test_a_duration_written_by_a_person_survives_exactly(number: int, unit: str) -> None:
    once = duration_text(seconds(f"{number}{unit}"))
    assert duration_text(seconds(once)) == once


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (4096, 4096),
        ("4096", 4096),
        ("20MB", 20_000_000),
        ("16KiB", 16_384),
        ("16 KiB", 16_384),
        ("1.5kB", 1500),
        ("1GiB", 2**30),
        ("7B", 7),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "5XB", "-1", "5kib", "5s", "1e6"])
def test_what_is_no_size_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError, match=r"the file is .*write it like 4096, 16KiB or 20MB"):
        size_bytes(text, "the file")


@given(st.integers(0, 10_000))
def test_a_share_is_the_nearest_number_to_what_was_written(hundredths: int) -> None:
    expected = float(Fraction(hundredths, 10_000))
    percent = f"{hundredths // 100}.{hundredths % 100:02}%"
    assert share(percent) == expected
    assert share(f"{hundredths / 10_000:.4f}") == expected


@pytest.mark.parametrize("text", ["101%", "1.01", "-1%", "5s", "", "%", "p5"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="at most 100%"):
        share(text)
