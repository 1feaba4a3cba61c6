"""Workloads of file servers whose paths are their own."""

from typing import Any

import pytest

from headcount.errors import FileError, InputError
from headcount.plan.plan import Plan
from headcount.plan.playable import check_identity, check_playable
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.workload import Workload

READ = {"name": "read", "op": "read"}
OWN = {"name": "open", "op": "open", "path": "reports/{n}.txt"}
SAME = {"name": "keep", "op": "rename", "to": {"file": "same", "after": ".bak"}}
DRAWN = {"name": "draw", "op": "open", "path": {"file": "home"}}


def workload(*steps: dict[str, Any]) -> Workload:
    return Workload.model_validate(
        {
            "name": "own",
            "title": "Files of our own",
            "protocol": "smb",
            "criteria": ["errors<1%"],
            "pace": {"kind": "closed", "time": {"draw": "exponential", "mean": "1s"}},
            "run": {"duration": "10s"},
            "scenarios": [{"name": "work", "weight": 1, "limit": "1s", "steps": list(steps)}],
        }
    )


def plan_of(target: str, *steps: dict[str, Any]) -> Plan:
    return resolve(workload(*steps), target, Overrides(users=1))


@pytest.mark.parametrize("target", ["file:///srv", "smb://127.0.0.1/data"])
def test_own_paths_need_no_data_set(target: str) -> None:
    plan = plan_of(target, OWN, READ, SAME)
    assert plan.data_set is None
    check_playable(plan, "own.toml")


def test_steps_that_draw_a_file_need_one() -> None:
    for steps in ([OWN, DRAWN], [{"name": "turn", "op": "turn"}]):
        with pytest.raises(ValueError, match=r"needs a \[tree\] or a \[library\]"):
            workload(*steps)


@pytest.mark.parametrize(
    ("step", "place", "part"),
    [
        ({**OWN, "path": "../{n}.txt"}, "steps.0.path", "leads elsewhere"),
        ({**OWN, "path": "/etc/passwd"}, "steps.0.path", "an empty part"),
        ({**OWN, "path": "a/{nn}"}, "steps.0.path", 'do you mean "n"?'),
        ({**SAME, "to": r"a\..\b"}, "steps.0.to", "leads elsewhere"),
        ({**READ, "text": "a"}, "steps.0.text", "a read has none"),
        ({"name": "w", "op": "write", "text": "{x y}"}, "steps.0.text", "not a placeholder"),
    ],
)
def test_mistakes_are_found_before_a_run(step: dict[str, Any], place: str, part: str) -> None:
    with pytest.raises(FileError) as caught:
        check_playable(plan_of("file:///srv", step), "own.toml")
    assert place in str(caught.value)
    assert part in str(caught.value)


def test_users_of_a_folder_have_no_names() -> None:
    step = {**OWN, "path": "{username}.txt"}
    check_identity(plan_of("smb://127.0.0.1/data", step), "own.toml")
    with pytest.raises(InputError, match="nobody logs on to a folder"):
        check_identity(plan_of("file:///srv", step), "own.toml")
