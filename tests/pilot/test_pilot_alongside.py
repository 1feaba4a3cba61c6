"""The pilot beside a tuning, on a real process that a busy one deprives of its CPU."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.pilot.alongside import Alongside
from headcount.pilot.modules import MODULES, NICE
from headcount.pilot.trial import Verdict
from headcount.tune.host import ThisHost
from headcount.tune.left import left
from headcount.tune.processes.attributes import read

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]
ROOT = os.geteuid() == 0
SPIN = "while True: pass"
BLOCK_S = 0.5


@pytest.fixture
def starved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A process that shares one CPU with another one of its session."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))  # another may be at work
    cpu = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        pids = []
        for _ in range(2):
            one = stack.enter_context(subprocess.Popen([sys.executable, "-c", SPIN]))
            stack.callback(one.kill)
            os.sched_setaffinity(one.pid, {cpu})
            pids.append(one.pid)
        yield pids[0]


def alongside(pid: int, notes: list[str], *names: str) -> Alongside:
    modules = [MODULES[name] for name in names]
    return Alongside(lambda: [pid], dict, notes.append, modules=modules, block_s=BLOCK_S)


if ROOT:  # nobody else may raise a priority

    def test_modules_that_help_are_found_and_switched_on_for_a_turn(
        starved: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Whether trials this short are decided depends on what else the machine does.
        helps = Verdict(True, 1.5, 1.2, 1.9, 6)
        monkeypatch.setattr("headcount.pilot.pilot.judge", lambda _: helps)
        notes: list[str] = []
        before = read(starved)
        pilot = alongside(starved, notes, "priority", "affinity")
        turns: list[float] = []

        def play() -> None:
            turns.append(time.monotonic())
            time.sleep(0.2)

        assert pilot.find(play) == ["priority"], notes
        assert len(turns) > 10
        assert notes[0].startswith("pilot: python")
        assert read(starved) == before
        with pilot.on():
            now = read(starved)
            assert now is not None
            assert now.nice == NICE
        assert read(starved) == before
        assert not left(ThisHost(), "pilot")

    def test_a_turn_that_fails_ends_the_search_and_all_is_put_back(starved: int) -> None:
        before = read(starved)

        def fails() -> None:
            raise InputError("no more users")

        with pytest.raises(InputError, match="no more users"):
            alongside(starved, [], "priority").find(fails)
        assert read(starved) == before

    def test_another_pilot_at_work_is_named(starved: int) -> None:
        pilot = alongside(starved, [], "priority")
        with pilot.on(), pytest.raises(InputError, match="another pilot runs on"):
            alongside(starved, [], "priority")
