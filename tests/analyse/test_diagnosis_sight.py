"""A diagnosis without counters of the server's processes does not guess."""

from collections.abc import Mapping

import pytest
from diagnosis_levels import QUIET, Server, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.environment import ServerFound

MISSING = "the processes that listen on 127.0.0.1:80 may not be looked into: run as root"
HIDDEN = ServerFound(
    addresses=["127.0.0.1:80"],
    found_by=None,
    processes={},
    control_group={},
    limits={},
    missing=MISSING,
)
OF_PROCESSES = ("process.", "cgroup.", "socket.")
MACHINE = {name: value for name, value in QUIET.items() if not name.startswith(OF_PROCESSES)}
FULL = {"system.cpu.utilization": 1.0, "system.cpu.utilization.busiest": 1.0}


def diagnosed(
    quiet: Mapping[str, float],
    loud: Mapping[str, float] | None = None,
    server: ServerFound | None = None,
    *,
    accept: bool = False,
) -> Diagnosis:
    levels = Server(places=4, loud=loud or {}, quiet=quiet, accept=accept).levels()
    found = of_levels(levels, seconds(levels), server=server)
    assert found is not None
    return found


@pytest.mark.parametrize("loud", [{}, FULL])
@pytest.mark.parametrize("accept", [False, True])
def test_on_a_shared_machine_a_hidden_server_is_not_judged(
    loud: Mapping[str, float], accept: bool
) -> None:
    found = diagnosed(MACHINE, loud, HIDDEN, accept=accept)
    assert (found.limit, found.confidence, found.runner_up) == ("unknown", 0.0, None)
    assert found.sentence == f"Cannot tell: {MISSING}."
    assert found.next is None
    assert [one.id for one in found.advice] == ["unknown-blind"]


def test_without_counters_the_sentence_says_how_to_get_them() -> None:
    found = diagnosed({})
    assert (found.limit, found.runner_up) == ("unknown", None)
    assert "--source ssh://USER@HOST" in found.sentence


def test_a_full_remote_machine_is_named_and_an_idle_one_is_not() -> None:
    full = diagnosed(MACHINE, FULL)
    assert (full.limit, full.detail) == ("cpu", "all cores")
    assert full.confidence_word != "high"
    idle = diagnosed(MACHINE)
    assert idle.limit == "unknown"
    assert idle.sentence.startswith("Cannot tell: no resource of the machine is full")


def test_a_remote_machine_with_a_hidden_server_is_judged() -> None:
    """Over SSH the machine is the server's alone, unlike one that the load generator shares."""
    hidden = HIDDEN.model_copy(update={"machine": "ssh://web1"})
    full = diagnosed(MACHINE, FULL, hidden)
    assert (full.limit, full.detail) == ("cpu", "all cores")
    idle = diagnosed(MACHINE, server=hidden)
    assert idle.limit == "unknown"
    assert f"no resource of the machine is full, and {MISSING}" in idle.sentence


def test_the_servers_own_counters_are_enough_to_judge() -> None:
    found = diagnosed(MACHINE | {"web.workers.limit": 4.0}, {"web.workers.busy": 4.0}, HIDDEN)
    assert (found.limit, found.size) == ("pool", 4)


def test_counters_of_processes_are_enough_to_judge() -> None:
    assert diagnosed(QUIET, accept=True).limit == "pool"
