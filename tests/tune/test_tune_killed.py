"""A tuning that is killed leaves nothing behind: a real nginx, and kills at random moments."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from headcount.lab.nginx import NginxServer
from headcount.tune.host import ThisHost
from headcount.tune.servers.registry import find

CHANGER = Path(__file__).parent / "tune_changer.py"
KILLS, PROOF_KILLS = 6, 200
LONGEST_S = 30.0


@pytest.fixture
def nginx() -> Iterator[NginxServer]:
    server = NginxServer({})
    try:
        yield server
    finally:
        server.stop()


def state(server: NginxServer) -> tuple[object, ...]:
    """The configuration's bytes, mode and owner, when it was written, and the files beside it."""
    file = server.home / "configuration"
    known = file.stat()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    names = sorted(path.name for path in server.home.iterdir())
    return digest, known.st_mode, known.st_uid, int(known.st_mtime), names


def has_workers(server: NginxServer, number: int) -> bool:
    """Whether it gets this many workers, once those of an old configuration have left."""
    deadline_s = time.monotonic() + LONGEST_S
    path = Path(f"/proc/{server.pids[0]}/task/{server.pids[0]}/children")
    while len(path.read_text().split()) != number:
        if time.monotonic() > deadline_s:
            return False
        time.sleep(0.05)
    return True


def wait_for_change(changer: subprocess.Popen[str]) -> None:
    """Wait until the changer has changed something."""
    assert changer.stdout is not None
    line = changer.stdout.readline()
    assert line == "changed\n", line + (changer.stderr.read() if changer.stderr else "")


def guard_has_ended(journal: Path) -> bool:
    """Whether the guard undoes everything and ends, within a time that no machine exceeds."""
    deadline_s = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline_s:
        if (journal / "done").exists() and not guards(journal):
            return True
        time.sleep(0.1)
    return False


def guards(journal: Path) -> list[int]:
    """The processes that guard a journal."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                line = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if str(journal / "guard.sh") in line:
                found.append(int(folder.name))
    return found


@pytest.mark.e2e
def test_everything_is_put_back_after_a_kill(
    nginx: NginxServer, tmp_path: Path, proof: bool
) -> None:
    before = state(nginx)
    random = Random(7)
    for number in range(PROOF_KILLS if proof else KILLS):
        journal = tmp_path / f"journal-{number}"
        changer = subprocess.Popen(
            [sys.executable, CHANGER, str(nginx.pids[0]), journal, str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait_for_change(changer)
            time.sleep(random.uniform(0, 1.5))
        finally:
            os.kill(changer.pid, signal.SIGKILL)
            changer.communicate()
        assert guard_has_ended(journal), list(journal.iterdir())
        assert state(nginx) == before, f"kill {number}"
        assert has_workers(nginx, len(os.sched_getaffinity(0))), f"kill {number}"
        server = find(ThisHost(), nginx.pids)
        assert server.test() is None


@pytest.mark.e2e
def test_what_somebody_else_changed_meanwhile_is_left_alone(
    nginx: NginxServer, tmp_path: Path
) -> None:
    file = nginx.home / "configuration"
    journal = tmp_path / "journal"
    changer = subprocess.Popen(
        [sys.executable, CHANGER, str(nginx.pids[0]), journal, "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_change(changer)
    os.kill(changer.pid, signal.SIGKILL)
    changer.communicate()
    theirs = file.read_text() + "# mine\n"
    file.write_text(theirs)
    deadline_s = time.monotonic() + LONGEST_S
    while guards(journal) and time.monotonic() < deadline_s:
        time.sleep(0.1)
    assert file.read_text() == theirs
    assert re.search("changed by somebody else", (journal / "guard.log").read_text())
    assert not (journal / "done").exists()
