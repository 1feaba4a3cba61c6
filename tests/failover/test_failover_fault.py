"""Faults and commands, on processes of the test's own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Timer

import pytest

from headcount.errors import InputError, TargetError
from headcount.failover import command
from headcount.failover.fault import Command, FaultTarget
from headcount.failover.kinds import fault_of
from headcount.failover.process_faults import Kill, Stop
from processes import wait_for

FAMILY = """
import subprocess, sys
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
child.wait()
"""

CROWD = """
import os, time
for number in range(600):
    if not os.fork():
        time.sleep(60)
        os._exit(0)
    if number == 40:
        print(flush=True)
    time.sleep(0.002)
time.sleep(60)
"""
"""Starts children all the time."""


@pytest.fixture
def crowd() -> Iterator[int]:
    """The parent of ever more children; all are in its session."""
    line = [sys.executable, "-S", "-c", CROWD]
    with subprocess.Popen(line, stdout=subprocess.PIPE, start_new_session=True) as one:
        assert one.stdout is not None
        one.stdout.readline()
        yield one.pid
        with suppress(ProcessLookupError):
            os.killpg(one.pid, 9)


def states_of(session: int) -> set[str]:
    """The states of all processes of a session."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            found |= {words[0]} if int(words[3]) == session else set()
    return found - {"Z"}


@pytest.fixture
def family() -> Iterator[tuple[int, int]]:
    """A process and its child."""
    with subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        child = int(one.stdout.readline())
        yield one.pid, child
        for pid in (one.pid, child):
            if state(pid) not in ("gone", "Z"):
                os.kill(pid, 9)


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def target(pid: int, restarts: list[int] | None = None) -> FaultTarget:
    restart = None if restarts is None else (lambda: restarts.append(pid))
    return FaultTarget("web", lambda: [pid], restart)


def test_kill_ends_all_processes_and_recovery_starts_the_server(family: tuple[int, int]) -> None:
    restarts: list[int] = []
    fault = Kill(target(family[0], restarts), None)
    fault.prepare()
    fault.inject(Event())
    wait_for(lambda: all(state(pid) in ("gone", "Z") for pid in family))
    fault.recover()
    assert restarts == [family[0]]
    assert (fault.text, fault.recovery) == ("kill web (SIGKILL)", "start web again")


def test_stop_suspends_all_processes_until_recovery(family: tuple[int, int]) -> None:
    fault = Stop(target(family[0]), None)
    fault.prepare()
    fault.inject(Event())
    wait_for(lambda: all(state(pid) == "T" for pid in family))
    fault.recover()
    wait_for(lambda: all(state(pid) == "S" for pid in family))


def test_children_that_are_started_meanwhile_are_hit_too(crowd: int) -> None:
    stop = Stop(target(crowd), None)
    stop.prepare()
    stop.inject(Event())
    wait_for(lambda: states_of(crowd) == {"T"})
    stop.recover()
    wait_for(lambda: "T" not in states_of(crowd))
    kill = Kill(target(crowd, []), None)
    kill.prepare()
    kill.inject(Event())
    wait_for(lambda: states_of(crowd) == set())


def test_a_server_that_has_gone_cannot_be_hit() -> None:
    with subprocess.Popen(["true"]) as one:
        one.wait()
    for kind in ("kill", "stop"):
        with pytest.raises(TargetError, match="web has no process that a fault could hit"):
            fault_of(kind, "true", target(one.pid)).prepare()


def test_a_fault_that_nobody_can_recover_from_is_refused() -> None:
    with pytest.raises(InputError, match="Headcount cannot start the server again"):
        fault_of("kill", None, target(1))
    with pytest.raises(InputError, match="processes of this machine"):
        fault_of("stop", None, None)
    assert isinstance(fault_of("kill", "start it", target(1)), Kill)
    assert isinstance(fault_of("reboot", None, None), Command)


@pytest.mark.parametrize("kind", ["cut", "cut-in", "cut-out", "node"])
def test_nodes_outside_the_lab_are_cut_by_a_command(kind: str) -> None:
    message = rf'--fault {kind}: web is not on .* --recover "ssh node1 nft delete table inet cut"'
    with pytest.raises(InputError, match=message):
        fault_of(kind, None, target(1, []))


def test_services_outside_the_lab_are_moved_by_a_command() -> None:
    with pytest.raises(InputError, match=r'--fault move: .* --planned --fault "ssh node1 crm_'):
        fault_of("move", None, target(1, []))


def test_a_command_that_fails_says_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"--fault: .* exit code 3: no such node \(echo"):
        Command("echo one; echo no such node >&2; exit 3", None).inject(Event())
    Command("true", None).recover()
    done = tmp_path / "done"
    Command("true", f"touch {done}").recover()
    assert done.exists()


def test_a_command_that_takes_too_long_ends_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    began_s = time.monotonic()
    with pytest.raises(TargetError, match=r"took longer than 0.5 s"):
        command.run(f"sleep 61 & echo $! > {pids}; wait", "--recover", 0.5)
    assert time.monotonic() - began_s < 30
    wait_for(lambda: state(int(pids.read_text())) in ("gone", "Z"))


def test_background_processes_of_a_command_go_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command.run(f"sleep 61 & echo $! > {pids}", "--recover", 30.0)
    pid = int(pids.read_text())
    wait_for(lambda: state(pid) == "S")
    os.kill(pid, 9)


def test_a_command_can_be_interrupted() -> None:
    ended = Event()
    Timer(0.3, ended.set).start()
    began_s = time.monotonic()
    with pytest.raises(TargetError, match="--fault: the command was interrupted: sleep 62"):
        Command("sleep 62", None).inject(ended)
    assert time.monotonic() - began_s < 30
    assert command.succeeds("true", 30.0)
    assert not command.succeeds("false", 30.0)


def test_a_node_is_isolated_by_stopping_its_lines_to_the_others(
    family: tuple[int, int],
) -> None:
    with pytest.raises(
        InputError, match="--fault isolate: Headcount does not know the lines of web"
    ):
        fault_of("isolate", None, target(1))
    lines = FaultTarget("the first node", list, None, lines=lambda: [family[1]])
    fault = fault_of("isolate", None, lines)
    assert fault.text == "cut the first node off from the others, not from users"
    fault.prepare()
    fault.inject(Event())
    wait_for(lambda: state(family[1]) == "T")
    assert state(family[0]) != "T"
    fault.recover()
    wait_for(lambda: state(family[1]) == "S")
