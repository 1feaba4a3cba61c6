"""Sources of counters in a plan, and what their sides in the bundle are called."""

import pytest

from headcount import workloads
from headcount.controller.remote_counters import named_addresses
from headcount.errors import InputError
from headcount.plan import plan as plans
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.sources import MOST_SOURCES


def sides(*sources: str, local: bool) -> list[str]:
    return [name for name, _ in named_addresses(sources, local=local)]


@pytest.mark.parametrize(
    ("sources", "local", "expected"),
    [
        (["http://10.0.0.7:9100"], False, ["sut"]),
        (["ssh://db1", "ssh://ada@db2:2222"], False, ["sut", "db2:2222"]),
        (["db=ssh://db1", "http://10.0.0.7:9100"], False, ["db", "sut"]),
        (["ssh://db1", "sut=ssh://db2"], False, ["db1", "sut"]),
        (["ssh://db1", "local"], True, ["db1", "local"]),
    ],
)
def test_sides(sources: list[str], local: bool, expected: list[str]) -> None:
    assert sides(*sources, local=local) == expected


def test_two_sources_on_one_machine_need_names() -> None:
    with pytest.raises(
        InputError, match="give them names, for example --source first=ssh://ada@db1"
    ):
        sides("ssh://db1", "ssh://ada@db1", local=True)


def test_a_plan_keeps_its_sources() -> None:
    given = ["db=ssh://db1", "http://10.0.0.7:9100/metrics"]
    plan = resolve(workloads.load("app-server"), "lab:app", Overrides(sources=given))
    assert plan.sources == given
    assert 'sources = [\n    "db=ssh://db1",' in plan.to_toml()
    assert plans.validate(plans.Plan, plan.model_dump(mode="json"), "it").sources == given


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["server=ssh://db1"], 'cannot be called "server"'),
        (["a=ssh://db1", "a=ssh://db2"], 'two sources of counters are called "a"'),
        (["ssh://db1", "ssh://db1"], "given twice"),
        ([""], "has no address"),
        ([f"ssh://db{n}" for n in range(MOST_SOURCES + 1)], "at most 32 are possible"),
    ],
)
def test_a_plan_refuses_invalid_sources(sources: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve(workloads.load("app-server"), "lab:app", Overrides(sources=sources))
