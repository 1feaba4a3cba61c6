"""What is printed is what was calculated: the text of a formula, with its numbers, is evaluated."""

import doctest
import inspect
import re
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from headcount.storage import advice, number_text, sources
from headcount.storage.catalogue import FORMULAS
from headcount.storage.formula import Formula
from headcount.storage.levels import LEVELS
from headcount.storage.raid import Array

UNITS = {"ms": "_ms", "bytes": "_bytes", "bytes/s": "_bytes_per_s", "ns": "_ns", "IOPS": "_iops"}
"""Units that a name ends in."""

NUMBERS = {
    "reads": st.floats(0, 1),
    "fragments": st.integers(1, 10_000),
    "drives": st.integers(4, 50).map(lambda pairs: 2 * pairs),
    "write_penalty": st.floats(1, 100),
    "copies": st.sampled_from([1, 2]),
    "parity_drives": st.integers(0, 3),
    "rates_bytes_per_s": st.lists(st.floats(0, 1e9), min_size=1, max_size=5).map(tuple),
    "rounded_keys_bytes": st.lists(
        st.integers(1, 100).map(lambda eighth: 8 * eighth), min_size=1, max_size=5
    ).map(tuple),
    "size_bytes": st.integers(10_000, 10**15),
}
"""Inputs for which not every number will do."""


def plain(worked: str) -> float:
    """The value of printed arithmetic."""
    code = worked.replace(",", "")
    assert re.fullmatch(r"[\d.e+\-*/() ]+", code), code
    return float(eval(code, {"__builtins__": {}}))  # noqa: S307 - digits and operators only


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
@given(data=st.data())
def test_the_printed_arithmetic_gives_the_result(formula: Formula, data: st.DataObject) -> None:
    whole = {
        name
        for name, parameter in inspect.signature(formula.function).parameters.items()
        if parameter.annotation is int
    }
    inputs = {
        name: data.draw(
            NUMBERS.get(name, st.integers(1, 10**9) if name in whole else st.floats(0.1, 1e6)), name
        )
        for name in inspect.signature(formula.function).parameters
    }
    answer = formula.solve(**inputs)
    assert answer.inputs == inputs
    # A difference of nearly equal numbers loses digits, which are twelve as printed; of 1 - reads
    # it matters by as much as a write costs.
    scale = max(abs(answer.value), 1e-3) if formula.name != "time_saved" else 1e3
    assert plain(answer.worked) == pytest.approx(answer.value, rel=1e-9, abs=1e-9 * scale)
    assert answer.value == formula.function(**inputs)


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda one: one.name)
def test_a_formula_names_all_that_goes_in_and_nothing_else(formula: Formula) -> None:
    named = {name for _, name, _, _ in string.Formatter().parse(formula.template) if name}
    assert named == set(inspect.signature(formula.function).parameters)
    assert formula.name.endswith(UNITS.get(formula.unit, ""))
    assert inspect.getdoc(formula.function)


def test_rules_and_names_are_unique() -> None:
    names = [formula.name for formula in FORMULAS]
    assert len(set(names)) == len(names)
    rules = [formula.rule for formula in FORMULAS]
    assert len(set(rules)) == len(rules)


def test_every_source_can_be_looked_up() -> None:
    suggestions = [advised for level in LEVELS for advised in advice.level_advice(level)]
    every = [formula.source for formula in FORMULAS] + [one.source for one in suggestions]
    for source in every:
        assert sources.PAPER in source or source in {sources.LITTLE, sources.WRITE_COST}


def test_facts_of_a_level_have_a_source() -> None:
    for level in LEVELS:
        facts = {fact.name: fact for fact in Array(level, level.minimum_drives).facts()}
        assert facts["minimum_drives"].value == level.minimum_drives
        assert facts["failures_survived"].value == level.survives
        assert facts["failures_survived"].source == f"R-03: {sources.LEVELS}"
        assert ("write_penalty" in facts) == (level.write_penalty is not None)
        in_paper = level.name in {"0", "1", "0/1"}
        assert (sources.PAPER in facts["minimum_drives"].source) == in_paper


def test_the_examples_in_the_docstrings() -> None:
    result = doctest.testmod(number_text)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (3_600_000.5, "cycles", "3,600,000 cycles"),
        (3_600_000, "cycles", "3,600,000 cycles"),
        (1.5e15, "bytes", "1.5e+15 bytes"),
        (12e12, "bytes", "12,000,000,000,000 bytes"),
        (315.7894736, "IOPS", "315.789 IOPS"),
        (127.6, "bytes", "127.6 bytes"),
        (-0.5, "share", "-0.5"),
    ],
)
def test_results_in_full(value: float, unit: str, written: str) -> None:
    assert number_text.in_full(value, unit) == written


@given(st.floats(-1e18, 1e18))
def test_numbers_are_put_in_to_twelve_digits(value: float) -> None:
    assume(value == 0 or abs(value) > 1e-12)
    assert plain(number_text.put_in(value)) == pytest.approx(value, rel=1e-11)
