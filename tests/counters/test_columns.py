"""Samples kept as columns: what was put in comes out, in order of time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.columns import Builder, Columns, as_columns
from headcount.counters.source import Sample

VALUES = st.dictionaries(st.sampled_from("abcd"), st.floats(-1e9, 1e9))
SAMPLES = st.lists(st.builds(Sample, st.floats(0, 100), VALUES), max_size=12)


@given(SAMPLES)
def test_samples_come_out_as_they_went_in(taken: list[Sample]) -> None:
    columns = as_columns(taken)
    inside = sorted(taken, key=lambda one: one.at_s)
    assert [(one.at_s, dict(one.values)) for one in columns] == [
        (one.at_s, one.values) for one in inside
    ]
    assert columns == inside
    assert as_columns(columns) is columns
    assert len(columns) == len(taken)


@given(SAMPLES, st.floats(0, 100), st.floats(0, 100))
def test_a_part_has_the_samples_between_both_ends(taken, start_s, end_s) -> None:
    part = as_columns(taken).within(start_s, end_s)
    inside = sorted((one for one in taken if start_s <= one.at_s <= end_s), key=lambda x: x.at_s)
    assert part == inside or start_s > end_s


def test_columns_are_indexed_from_either_end_and_sliced() -> None:
    columns = as_columns([Sample(float(at_s), {"a": at_s * 2.0}) for at_s in range(5)])
    assert columns[-1].values["a"] == 8.0
    assert [one.at_s for one in columns[1:3]] == [1.0, 2.0]
    assert isinstance(columns[1:3], Columns)
    assert columns != columns[1:]
    with pytest.raises(IndexError):
        columns[5]


def test_rows_of_pieces_with_different_counters_are_joined() -> None:
    """More rows than are turned into columns at a time, in the wrong order of time."""
    builder = Builder()
    for row in range(70_000):
        names = ("a",) if row < 40_000 else ("b", "a")
        builder.add(-float(row), names, [float(row)] * len(names))
    columns = builder.columns()
    assert (len(columns), columns.at_s[0], columns.at_s[-1]) == (70_000, -69_999.0, 0.0)
    assert dict(columns[0].values) == {"a": 69_999.0, "b": 69_999.0}
    assert dict(columns[30_000].values) == {"a": 39_999.0}
    assert list(columns.values["a"]) == [float(row) for row in reversed(range(70_000))]
