"""What `explain` says about a counter."""

import doctest

import pytest

from headcount.analyse.rules import explain, nineties, tips, units
from headcount.analyse.rules.library import builtin
from headcount.counters.catalogue import catalogue


def test_a_counter_is_explained_with_every_threshold_and_its_source() -> None:
    found = explain.explain("system.disk.queue_length{system.device=sda}")
    assert found is not None
    assert found.counter.label == "Disk queue"
    thresholds = {(one.rule.id, one.text) for one in found.thresholds}
    assert ("I-03", "above 2 per spindle, consistently") in thresholds
    assert ("T-17", "above 3 per spindle, on average") in thresholds
    sources = {one.source for one in found.thresholds}
    assert '"Help! My NT Server Is Too Slow", SAS Institute, 1998, p. 13' in sources


def test_an_unknown_counter_is_not_explained() -> None:
    assert explain.explain("system.nothing") is None


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_counter_has_an_explanation(name: str) -> None:
    assert explain.explain(name) is not None


def test_every_rule_is_part_of_the_explanation_of_each_of_its_counters() -> None:
    for rule in builtin().rules.values():
        for counter in rule.when.counters():
            found = explain.explain(counter)
            assert found is not None
            assert rule.id in {one.rule.id for one in found.thresholds}


@pytest.mark.parametrize("module", [explain, units, nineties, tips])
def test_the_examples_in_the_docstrings(module) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
