"""Columns of a log, and the samples that are views of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.columns import as_columns
from headcount.counters.log.derive import derive
from headcount.counters.log.table import (
    average,
    highest,
    per_second,
    samples,
    total,
)
from headcount.counters.source import Sample

NAN = float("nan")
ROWS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(-1e9, 1e9)), max_size=6)


@given(rows=ROWS)
def test_samples_have_the_values_of_the_rows(rows: list[dict[str, float]]) -> None:
    given = as_columns([Sample(float(place), row) for place, row in enumerate(rows)])
    found = samples(given.at_s, given.values)
    for sample, row in zip(found, rows, strict=True):
        assert sample.values == row
        assert dict(sample.values) == dict(sample.values.items()) == row
        assert len(sample.values) == len(row)
        assert all(sample.values[name] == value for name, value in row.items())


def test_an_absent_figure_is_not_a_key() -> None:
    (sample,) = samples([0.0], {"a": np.array([NAN]), "b": np.array([1.0])})
    assert "a" not in sample.values
    with pytest.raises(KeyError):
        sample.values["a"]
    assert sample.values.get("a") is None
    assert repr(sample.values) == "Row({'b': 1.0})"


def test_samples_are_in_order_of_time_and_infinite_values_absent() -> None:
    found = samples([3.0, 1.0, 2.0], {"a": np.array([30.0, 10.0, float("inf")])})
    assert [(sample.at_s, dict(sample.values)) for sample in found] == [
        (1.0, {"a": 10.0}),
        (2.0, {}),
        (3.0, {"a": 30.0}),
    ]


def test_known_parts_are_combined() -> None:
    parts = [np.array([1.0, NAN, NAN]), np.array([3.0, 5.0, NAN])]
    np.testing.assert_array_equal(total(parts), [4.0, 5.0, NAN])
    np.testing.assert_array_equal(average(parts), [2.0, 5.0, NAN])
    np.testing.assert_array_equal(highest(parts), [3.0, 5.0, NAN])


def test_growth_is_per_second_and_never_negative() -> None:
    counts, times_s = np.array([0.0, 10.0, 4.0, 4.0]), np.array([0.0, 2.0, 3.0, 3.0])
    np.testing.assert_array_equal(per_second(counts, times_s), [NAN, 5.0, NAN, NAN])


def test_only_gaps_in_logged_values_are_filled() -> None:
    read, write = (f"system.disk.io{{disk.io.direction={way}}}" for way in ("read", "write"))
    columns = {
        read: np.array([1.0, 1.0]),
        write: np.array([2.0, 2.0]),
        "system.disk.io": np.array([NAN, 7.0]),
    }
    derive(columns)
    np.testing.assert_array_equal(columns["system.disk.io"], [3.0, 7.0])


def test_a_link_that_is_down_has_no_utilisation() -> None:
    link = "network.interface.name=eth0}"
    columns = {
        f"system.network.speed{{{link}": np.array([0.0]),
        f"system.network.io{{network.io.direction=receive,{link}": np.array([0.0]),
        f"system.network.io{{network.io.direction=transmit,{link}": np.array([0.0]),
    }
    derive(columns)
    assert not [name for name in columns if "utilization" in name]
