"""Rules: named lists of criteria, and the plan of a run that is judged by one."""

from typing import Any

import pytest
from plan_cases import plan, workload

from headcount.analyse.verdict import of_levels
from headcount.errors import InputError
from headcount.plan.resolve import Overrides, resolve
from headcount.report.answer_sentences import judged

RULES = {"mean": ["mean<=1s"], "service-level": ["p99<=2s", "read:errors<1%"]}


def test_a_rule_replaces_the_criteria_and_is_named_in_plan_and_verdict() -> None:
    made = resolve(workload("rules", RULES), "lab:app", Overrides(users=2, rule="service-level"))
    assert [criterion.text for criterion in made.criteria] == ["p99<=2s", "read:errors<1%"]
    assert 'rule = "service-level"' in made.to_toml()
    verdict = of_levels(made, [], 1.0, "unfinished")
    assert verdict.rule == "service-level"
    assert judged(verdict) == 'Judged by the rule "service-level" of the workload.'
    usual = resolve(workload("rules", RULES), "lab:app", Overrides(users=2))
    assert usual.workload.criteria == ["p95<=1s", "errors<1%"]
    assert judged(of_levels(usual, [], 1.0, "unfinished")) is None


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"rule": "service"}, 'has no rule "service"; did you mean "service-level"?'),
        ({"rule": "x"}, 'has no rule "x" (it has: mean, service-level)'),
        ({"rule": "mean", "criteria": ["p95<=1s"]}, "--criteria and --rule exclude each other"),
    ],
)
def test_unknown_rules_are_refused(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(workload("rules", RULES), "lab:app", Overrides(users=2, **overrides))
    assert message in str(caught.value)


def test_a_workload_without_rules_says_so() -> None:
    with pytest.raises(InputError, match=r'"small" has no \[rules\], so there is no rule "mean"'):
        resolve(workload(), "lab:app", Overrides(users=2, rule="mean"))


@pytest.mark.parametrize("texts", [[], ["p95<=1%"], ["write:p95<=1s"], ["mean<=1s", "mean<=1s"]])
def test_the_criteria_of_every_rule_are_checked(texts: list[str]) -> None:
    with pytest.raises(InputError, match=r"rules\.odd: "):
        workload("rules", {**RULES, "odd": texts})


def test_a_plan_whose_criteria_are_not_its_rules_is_refused() -> None:
    with pytest.raises(InputError, match='the criteria are not those of the rule "mean"'):
        plan(rule="mean")
