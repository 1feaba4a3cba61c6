"""Whose CPU time it is: the server's, other programs', of interrupts, or stolen."""

import pytest
from diagnosis_levels import CPUS, QUIET, Server, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.diagnosis.evidence.cpu import cores
from headcount.analyse.diagnosis.observation import observe
from headcount.analyse.neighbours import foreign_cores, neighbours
from headcount.bundle.diagnosis import Diagnosis

CPU = "cgroup.pressure{resource=cpu,kind=some}"
FORKS = {
    "system.cpu.utilization": 1.0,
    "process.cpu.utilization": 0.9,
    "process.cpu.run_delay": 0.5,
    "cgroup.cpu.utilization": 3.5,
    CPU: 0.95,
}
"""A server that starts a program for each request: its processes have ended before they are read,
and its control group has counted them."""


def diagnosed(server: Server) -> Diagnosis:
    levels = server.levels()
    found = of_levels(levels, seconds(levels))
    assert found is not None
    return found


def test_short_lived_programs_belong_to_the_server() -> None:
    found = diagnosed(Server(loud=FORKS, quiet=QUIET | {"system.cpu.foreign": 2.7}))
    assert (found.limit, found.detail) == ("cpu", "all cores")
    other = diagnosed(
        Server(
            loud={**FORKS, "cgroup.cpu.utilization": 0.9}, quiet=QUIET | {"system.cpu.foreign": 2.7}
        )
    )
    assert (other.limit, other.detail) == ("cpu", "neighbour")


def test_a_machine_may_have_a_single_cpu() -> None:
    counters = {
        "system.cpu.utilization": 0.9,
        "system.cpu.logical.count": 1.0,
        "process.cpu.utilization": 0.3,
    }
    one = level(1, 40, 10.0, 0.1, 1.0, counters, generator={"process.cpu.utilization": 0.0})
    (doubt,) = neighbours([one])
    assert doubt.startswith("other programs used 0.600 of 1 CPU during 1 of 1 level; ")


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ({"process.cpu.utilization": 1.0}, CPUS - 1.0 - 0.2),
        ({"process.cpu.utilization": 1.0, "cgroup.cpu.utilization": 3.0}, CPUS - 3.0 - 0.2),
        ({"cgroup.cpu.utilization": 3.0}, CPUS - 3.0 - 0.2),
        ({"process.cpu.utilization": 1.0, "system.cpu.utilization{cpu.mode=softirq}": 0.25}, 1.8),
        (
            {
                "process.cpu.utilization": 1.0,
                "system.cpu.utilization{cpu.mode=steal}": 0.25,
                "system.cpu.utilization{cpu.mode=interrupt}": 0.125,
            },
            1.3,
        ),
        ({}, None),
    ],
)
def test_the_rest_is_other_programs(counters: dict[str, float], expected: float | None) -> None:
    """Of four CPUs without idle time, of which the generator uses 0.2."""
    machine = {"system.cpu.utilization": 1.0, "system.cpu.logical.count": 4.0, **counters}
    one = level(1, 10, 100.0, 0.01, 1.0, machine)
    assert foreign_cores(one) == (None if expected is None else pytest.approx(expected))
    assert cores(observe(one)).foreign == foreign_cores(one)


@pytest.mark.parametrize("runnable", [0.1, 0.0])
def test_a_server_that_sleeps_beside_busy_programs_is_not_short_of_cpu(runnable: float) -> None:
    """Four workers that wait for something else, and hardly want the CPU."""
    quiet = QUIET | {
        "system.cpu.utilization": 1.0,
        "system.cpu.utilization.busiest": 1.0,
        "system.cpu.foreign": 3.6,
        "process.cpu.utilization": 0.1,
        "process.threads.runnable": runnable,
        "process.cpu.run_delay": 0.4,
    }
    del quiet[CPU]
    found = diagnosed(Server(loud={}, quiet=quiet, places=4, accept=True))
    assert found.limit != "cpu"


def test_a_full_machine_whose_server_is_not_known_is_doubted() -> None:
    known = ("process.", "cgroup.", "system.cpu.foreign")
    unknown = {name: value for name, value in QUIET.items() if not name.startswith(known)}
    loud = {
        "system.cpu.utilization": 1.0,
        "system.linux.pressure{resource=cpu,kind=some}": 0.95,
    }
    found = diagnosed(Server(loud=loud, quiet=unknown))
    assert (found.limit, found.detail) == ("cpu", "all cores")
    assert any("--pid" in doubt for doubt in found.doubts)
    assert not any("--pid" in doubt for doubt in diagnosed(Server(loud=FORKS, quiet=QUIET)).doubts)


def test_a_cpu_that_others_use_is_not_the_next_limit() -> None:
    """The machine's use grows with the users, most of it that of other programs."""
    loud = {"system.cpu.utilization": 0.6, "process.cpu.utilization": 0.2}
    alone = diagnosed(Server(places=4, accept=True, loud=loud, quiet=QUIET))
    assert alone.next is not None
    assert alone.next.limit == "cpu"
    shared = QUIET | {"system.cpu.foreign": 1.9}
    beside = diagnosed(Server(places=4, accept=True, loud=loud, quiet=shared))
    assert beside.limit == alone.limit
    assert beside.next is None or beside.next.limit != "cpu"


def test_of_two_levels_that_disagree_the_stronger_evidence_names_the_kind() -> None:
    """Other programs came only at the second: at the first the CPUs were hardly waited for."""
    first = QUIET | {
        "system.cpu.utilization": 0.64,
        "system.cpu.utilization.busiest": 0.95,
        "process.cpu.utilization": 1.2,
        CPU: 0.06,
    }
    second = first | {
        "system.cpu.utilization": 1.0,
        "process.cpu.utilization": 1.8,
        "system.cpu.foreign": 2.0,
        CPU: 0.95,
    }
    levels = [
        level(1, 2, 16.0, 0.02, 0.1, QUIET),
        level(2, 6, 47.0, 0.03, 0.1, first),
        level(3, 20, 47.0, 0.3, 0.1, second),
    ]
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert (found.limit, found.detail) == ("cpu", "neighbour")


@pytest.mark.parametrize(("used", "kind"), [(0.497, "quota"), (0.2, "neighbour")])
def test_a_group_that_used_up_its_quota_is_limited_by_it(used: float, kind: str) -> None:
    """Beside programs that fill the machine; bursts are throttled even if most of it is left."""
    loud = {
        "system.cpu.utilization": 1.0,
        "process.cpu.run_delay": 0.95,
        "process.threads.runnable": 2.0,
        "cgroup.cpu.utilization": used,
        "cgroup.cpu.throttled": 0.75 if kind == "quota" else 0.2,
    }
    quiet = QUIET | {"cgroup.cpu.limit": 0.5, "system.cpu.foreign": 3.2}
    del quiet[CPU]
    found = diagnosed(Server(loud=loud, quiet=quiet))
    assert (found.limit, found.detail) == ("cpu", kind)
