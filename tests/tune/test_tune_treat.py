"""The functions that treat processes, with the tools of small systems, too."""

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

TREAT = files("headcount.tune").joinpath("scripts").joinpath("treat.sh").read_text("ascii")
BUSYBOX = """#!/bin/sh
if [ "$1" = -n ]; then
    shift
    set -- $(($1 + $(cut -d' ' -f19 "/proc/$3/stat"))) "$2" "$3"
fi
exec {renice} "$@"
"""
"""BusyBox adds what follows `-n` to the present value."""


def test_a_nice_value_is_the_same_however_often_it_is_set(tmp_path: Path) -> None:
    renice = tmp_path / "renice"
    renice.write_text(BUSYBOX.format(renice=shutil.which("renice")), "utf-8")
    renice.chmod(0o755)
    wanted = os.getpriority(os.PRIO_PROCESS, 0) + 3
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            for _ in range(2):
                script = f"{TREAT}treat {wanted} - - - - {process.pid}"
                subprocess.run(["sh", "-c", script], check=True, env=environment)
                assert os.getpriority(os.PRIO_PROCESS, process.pid) == wanted
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (os.SCHED_OTHER, os.SCHED_OTHER),
        (os.SCHED_BATCH, os.SCHED_OTHER),
        (os.SCHED_IDLE, os.SCHED_IDLE),  # as it is with real time, which only root may set
    ],
)
def test_a_policy_that_is_never_changed_is_not_put_back(before: int, after: int) -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            os.sched_setscheduler(process.pid, before, os.sched_param(0))
            script = f"{TREAT}treat - {os.SCHED_OTHER} - - - {process.pid}"
            subprocess.run(["sh", "-c", script], check=True)
            assert os.sched_getscheduler(process.pid) == after
        finally:
            process.kill()
