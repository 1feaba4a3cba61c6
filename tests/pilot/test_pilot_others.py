"""CPU time of the programs beside a server, against what the kernel says of single processes."""

import os
import subprocess
from pathlib import Path

import pytest

from headcount.counters.proc.process import TICKS_PER_S
from headcount.pilot.others import by_name_s, read, used_s

# A name of its own: "sh" may run elsewhere on this machine.
BUSY = "x=0; while [ $x -lt 300000 ]; do x=$((x+1)); done; echo done; read line"
NAME = "hc-busy-shell"
TICK_S = 1 / TICKS_PER_S


@pytest.fixture
def shell(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    path.symlink_to("/bin/sh")
    return path


def start_shell(shell: Path, script: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(shell), "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def wait_done(one: subprocess.Popen[str]) -> None:
    assert one.stdout is not None
    assert one.stdout.readline() == "done\n"


def times_of(pid: int) -> list[float]:
    """User and system time of a process, then those of its children that it waited for."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(word) * TICK_S for word in words[11:15]]


def end(one: subprocess.Popen[str]) -> None:
    one.communicate("on\n")


def test_a_process_that_ends_does_not_hide_another_of_its_name(shell: Path) -> None:
    with start_shell(shell, BUSY) as first:
        wait_done(first)
        before = read([])
        with start_shell(shell, BUSY) as second:
            wait_done(second)
            end(first)
            expected_s = sum(times_of(second.pid)[:2])
            after = read([])
            end(second)
    assert expected_s > 5 * TICK_S
    assert by_name_s(before, after)[NAME] == pytest.approx(expected_s, abs=2 * TICK_S)
    assert used_s(before, after) >= expected_s - 2 * TICK_S


def test_processes_that_came_and_went_are_in_the_sum(shell: Path) -> None:
    with start_shell(shell, f"read line; {shell} -c '{BUSY}' </dev/null; read line") as parent:
        before = read([])
        assert parent.stdin is not None
        parent.stdin.write("on\n")
        parent.stdin.flush()
        wait_done(parent)
        while sum(times_of(parent.pid)[2:]) == 0:  # until its child was waited for
            assert parent.poll() is None
        expected_s = sum(times_of(parent.pid)[2:])
        after = read([])
        end(parent)
    assert expected_s > 5 * TICK_S
    assert used_s(before, after) >= expected_s - 2 * TICK_S
    assert by_name_s(before, after).get(NAME, 0.0) < expected_s / 2


def test_the_server_is_left_out(shell: Path) -> None:
    with start_shell(shell, BUSY) as one:
        before = read([one.pid])
        wait_done(one)
        after = read([one.pid])
        assert one.pid not in after.tree.processes
        assert os.getpid() in after.tree.processes
        assert NAME not in by_name_s(before, after)
        end(one)
