"""Runs every example that a rule carries, and checks that the rules fit together."""

import re

import pytest
from recordings import frame

from headcount.analyse.rules import explain, units
from headcount.analyse.rules.condition import evaluate
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.model import Rule, Vector

LIBRARY = builtin()
VECTORS = [
    pytest.param(rule, vector, id=f"{rule.id}-{number}")
    for rule in LIBRARY.rules.values()
    for number, vector in enumerate(rule.vector)
]
EVERY_RULE = pytest.mark.parametrize("rule", LIBRARY.rules.values(), ids=lambda rule: rule.id)


@pytest.mark.parametrize(("rule", "vector"), VECTORS)
def test_a_rule_does_what_its_example_says(rule: Rule, vector: Vector) -> None:
    log = frame(vector.given)
    facts = Facts(vector.cpus, vector.memory_bytes, vector.spindles or 1)
    window = (float("-inf"), float("inf"))
    found = evaluate(rule.when, log, facts, window)
    assert found.holds == {"unknown": None}.get(str(vector.fires), vector.fires)
    if found.holds is None:
        assert found.missing
    for reading in found.readings:  # a ratio to nothing has no value, and never holds
        assert reading.value is not None or found.holds is False


@EVERY_RULE
def test_every_rule_has_an_example_that_fires_and_one_that_does_not(rule: Rule) -> None:
    assert {True, False} <= {vector.fires for vector in rule.vector}


@EVERY_RULE
def test_without_its_counters_no_rule_holds(rule: Rule) -> None:
    found = evaluate(rule.when, frame({"web.requests": 3}), Facts(4, 8e9, 2), (0, float("inf")))
    assert found.holds is None
    assert set(found.missing) <= set(rule.when.counters())


@EVERY_RULE
def test_texts_are_sentences(rule: Rule) -> None:
    assert re.match(r"[A-Z0-9]|%|nginx|worker_", rule.title), rule.title
    assert not rule.title.endswith(".")
    for text in (rule.verdict, rule.remark):
        assert not text or text.endswith("."), text
    assert explain.condition_text(rule.when)


def test_conflicts_are_named_by_both_sides() -> None:
    for rule in LIBRARY.rules.values():
        for other in rule.conflicts:
            assert rule.id in LIBRARY.rules[other].conflicts, (rule.id, other)


def test_the_conflicts_of_the_papers_are_all_there() -> None:
    pairs = [("M-02", "T-03"), ("M-03", "T-03"), ("I-03", "T-17"), ("I-01", "T-16")]
    pairs += [("C-01", "T-10"), ("C-02", "T-11"), ("M-05", "T-07"), ("M-07", "T-08")]
    for one, other in pairs:
        assert other in LIBRARY.rules[one].conflicts


def test_exceptions_are_marked_as_such() -> None:
    for rule in LIBRARY.rules.values():
        for name in rule.excepted_by:
            assert LIBRARY.rules[name].exception
    assert LIBRARY.rules["M-02"].excepted_by == LIBRARY.rules["M-03"].excepted_by == ("M-04",)


def test_old_rules_are_marked_and_their_advice_too() -> None:
    for thing in (*LIBRARY.rules.values(), *LIBRARY.advice.values()):
        if thing.source in {"sas", "mcs"}:
            assert thing.era == "historic", thing.id
    assert [f"A-{n:02}" in LIBRARY.advice for n in range(1, 28)] == [True] * 27


def test_every_source_is_used() -> None:
    used = {one.source for one in (*LIBRARY.rules.values(), *LIBRARY.advice.values())}
    assert used | {"psi"} == set(LIBRARY.sources)


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0.67, "1", "67%"),
        (300, "ms", "300 ms"),
        (2, "{operation}", "2"),
        (4 * 2**20, "By", "4 MiB"),
        (20e3, "By/s", "0.02 MB/s"),
        (500, "{page}/s", "500/s"),
        (1000, "{page}/s", "1,000/s"),
        (5000, "s", "5,000"),
    ],
)
def test_thresholds_are_written_without_needless_zeros(value, unit, written) -> None:
    assert units.limit(value, unit) == written
