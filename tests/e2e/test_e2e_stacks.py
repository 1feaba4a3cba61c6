"""Stacks of a server that somebody else started: what a run says that its threads wait for."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headcount.bundle import manifest, reader, stacks
from processes import Headcount

pytestmark = pytest.mark.e2e

SERVER = Path(__file__).with_name("lock_server.py")
USERS = 12
WORKLOAD = """
name = "locked"
title = "Pages behind a lock"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["errors<50%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1ms" } }

[run]
ladder = [1, 12]
ramp = "0s"
settle = "0s"
duration = "6s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""


@contextmanager
def served(*how: str) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, SERVER, *how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


@pytest.fixture
def target() -> Iterator[str]:
    with served() as address:
        yield address


def run(headcount: Headcount, folder: Path, target: str, *more: str) -> Path:
    workload = folder / "locked.toml"
    workload.write_text(WORKLOAD)
    ended = headcount.run("run", str(workload), "--target", target, "--json", *more)
    assert ended.code == 0, ended
    return Path(ended.json["bundle"])


def test_a_lock_that_threads_wait_for_is_named_with_their_number(
    headcount: Headcount, target: str, tmp_path: Path
) -> None:
    folder = run(headcount, tmp_path, target)
    bundle = reader.load(folder)
    assert bundle.verdict is not None
    assert bundle.verdict.diagnosis is not None
    waits = bundle.verdict.diagnosis.waits
    assert waits is not None
    assert (waits.few_users, waits.users) == (1, USERS)
    # One user's thread holds the lock, in a sleep; all others wait for it, except those that are
    # on their way to or from their user.
    first = waits.waits[0]
    assert (first.kind, first.object) == ("lock", None)
    assert USERS / 2 < first.threads < USERS
    # Its own three: the first, the one that accepts, and no other.
    assert USERS + 1 < waits.threads < USERS + 4
    assert "wait for a lock" in waits.sentence

    names = {path.name for path in folder.glob("stacks-*")}
    assert "stacks-002-off-proc.folded.gz" in names
    listed = manifest.read(folder)
    assert listed is not None
    assert names <= listed.files.keys()
    (off,) = [one for one in stacks.read(folder) if (one.level, one.kind) == (2, "off")]
    assert all(len(stack) >= 3 for stack in off.stacks)
    events = [one for one in bundle.events if one["event"] == "stacks"]
    assert [one["level"] for one in events] == [1, 2]
    # The sum of all threads of all snapshots, from the file and from the answer.
    on = [one for one in stacks.read(folder) if (one.level, one.kind) == (2, "on")]
    total = sum(sum(one.stacks.values()) for one in (off, *on))
    assert total / events[1]["snapshots"] == pytest.approx(waits.threads, abs=0.01)

    shown = headcount.run("diagnose", str(folder))
    assert "wait for a lock" in " ".join(shown.out.split())
    page = (folder / "report.html").read_text()
    assert 'id="flame-off"' in page
    assert "wait for a lock" in page.replace("\N{NO-BREAK SPACE}", " ")
    assert headcount.run("audit", str(folder)).code == 0
    for name in names:
        (folder / name).unlink()
    older = headcount.run("report", str(folder), "--output", str(tmp_path / "older.html"))
    assert older.code == 0, older
    assert 'id="flame-off"' not in (tmp_path / "older.html").read_text()
    again = headcount.run("diagnose", str(folder), "--json").json
    assert again["diagnosis"]["waits"] is None


def test_no_stacks_are_recorded_when_they_are_off(
    headcount: Headcount, target: str, tmp_path: Path
) -> None:
    folder = run(headcount, tmp_path, target, "--stacks", "off", "--users", "2")
    assert not list(folder.glob("stacks-*"))
    assert 'stacks = "off"' in (folder / "plan.toml").read_text()


def test_perf_records_the_functions_that_use_the_cpu(headcount: Headcount, tmp_path: Path) -> None:
    # perf has 0.4 of the level, and on a busy machine it needs a second of that to start.
    more = ["--stacks", "all", "--users", "8", "--duration", "8s"]
    with served("busy") as target:
        folder = run(headcount, tmp_path, target, *more)
    found = {(one.kind, one.tool): one.stacks for one in stacks.read(folder)}
    by_perf = found["on", "perf"]
    frames = {frame for stack in by_perf for frame in stack}
    # Whatever a Python program does, its interpreter and the kernel's calls are part of it.
    assert any("PyEval" in frame or "python" in frame for frame in frames)
    assert any(frame.endswith("_[k]") for frame in frames) or os.geteuid() != 0
    assert {stack[0] for stack in by_perf} == {stack[0] for stack in found["off", "proc"]}
