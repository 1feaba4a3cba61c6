"""Groups of scenarios: what they stand for, and what is refused."""

from copy import deepcopy
from typing import Any

import pytest
from plan_cases import WORKLOAD

from headcount.errors import InputError
from headcount.plan.plan import validate
from headcount.plan.workload import Workload

NAMES = ("get-text-64k", "get-office-1m", "put-text-64k", "look")


def grouped(groups: Any, *criteria: str) -> Workload:
    values = deepcopy(WORKLOAD)
    (scenario,) = values["scenarios"]
    values["scenarios"] = [scenario | {"name": name} for name in NAMES]
    values |= {"groups": groups, "criteria": [*criteria] or ["errors<1%"]}
    return validate(Workload, values, "the workload")


def test_patterns_and_names_stand_for_scenarios() -> None:
    groups = {
        "small": ["*-64k"],
        "gets": ["get-*"],
        "one": ["look"],
        "some": ["look", "put-*", "look"],
        "everything": ["*"],
    }
    assert grouped(groups).members == {
        "small": (0, 2),
        "gets": (0, 1),
        "one": (3,),
        "some": (2, 3),
        "everything": (0, 1, 2, 3),
    }
    assert grouped({}).members == {}


def test_criteria_name_groups_like_scenarios() -> None:
    assert grouped({"small": ["*-64k"]}, "small:mean<=1s", "look:p95<=1s").criteria
    with pytest.raises(InputError, match="names a scenario that the workload does not have"):
        grouped({"small": ["*-64k"]}, "smal:mean<=1s")


@pytest.mark.parametrize(
    ("groups", "part"),
    [
        ({"look": ["*"]}, 'groups.look: "all" and names of scenarios are taken'),
        ({"all": ["*"]}, "groups.all:"),
        ({"none": []}, "groups.none: it has no scenarios"),
        ({"large": ["*-2m"]}, 'groups.large: no scenario is called "*-2m"'),
        ({"typo": ["lok"]}, 'no scenario is called "lok"; did you mean "look"?'),
        ({"two words": ["*"]}, "groups.two words"),
        ({"text": "get-*"}, "groups.text:"),
    ],
)
def test_a_mistake_is_named(groups: Any, part: str) -> None:
    with pytest.raises(InputError) as caught:
        grouped(groups)
    assert part in str(caught.value)
