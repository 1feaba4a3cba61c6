"""Runs on web servers that are interrupted, resumed or killed: nothing is left of the servers."""

from signal import SIGINT, SIGKILL

import pytest

from file_server import alive, events, lab_processes
from headcount.bundle import reader
from processes import Command, Headcount, phase, wait_for

pytestmark = pytest.mark.e2e

RUN = ("--scale", "0.2", "--think", "20ms", "--ramp", "0s", "--settle", "0s")
BOTH = pytest.mark.parametrize(
    ("workload", "name"), [("web-static", "nginx"), ("web-cgi20", "apache")]
)


@pytest.fixture
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Headcount:
    return Headcount(tmp_path_factory.mktemp("web"))


def start(headcount: Headcount, workload: str, name: str, *options: str) -> Command:
    return headcount.start("run", workload, "--target", f"lab:{name}", *RUN, *options)


@BOTH
def test_killed_with_its_server_under_load(headcount: Headcount, workload: str, name: str) -> None:
    run = start(headcount, workload, name, "--users", "4", "--duration", "60s")
    run.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == "steady")
    server = lab_processes(headcount)
    assert len(server) >= 2
    run.send(SIGKILL)
    run.ended()
    wait_for(lambda: not alive(server))
    wait_for(lambda: not headcount.leftovers())


@BOTH
def test_ctrl_c_during_a_level_and_resumed(headcount: Headcount, workload: str, name: str) -> None:
    run = start(headcount, workload, name, "--levels", "2,3", "--duration", "2s")
    run.reach(lambda: len(events(headcount.bundle, "level-start")) == 2 if run.err else False)
    server = lab_processes(headcount)
    run.send(SIGINT)
    assert run.ended().code == 130
    assert alive(server) == []
    assert headcount.leftovers() == []
    first = reader.load(headcount.bundle)
    assert [level.users for level in first.levels] == [2]
    resumed = headcount.run("resume", str(headcount.bundle), "--json")
    assert resumed.code in (0, 1, 4), resumed
    again = reader.load(headcount.bundle)
    assert [level.users for level in again.levels] == [2, 3]
    assert again.levels[0] == first.levels[0]
    # A new server has the pages written again.
    assert len(events(headcount.bundle, "prepared")) == 2
    assert headcount.leftovers() == []
