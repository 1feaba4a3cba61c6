"""The functions that treat processes, with the tools of small systems, too."""

import os
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

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
