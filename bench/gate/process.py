"""Processes that are measured: what the kernel says they used, and where they run."""

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.example import ROOT

LONGEST_S = 300.0
TAIL = 400
"""Characters of a message that are quoted: its end says what failed."""


class MeasureError(Exception):
    """A side that did not measure; the message says why."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a command used, user and system CPU of all its processes, and what it printed."""

    cpu_s: float
    output: str


def use(command: Sequence[str | Path], given: str = "", *, errors: bool = False) -> Used:
    """Run a command to its end; raises MeasureError if it fails or takes too long.

    Args:
        command: The program and its arguments.
        given: Its standard input.
        errors: Whether what it prints is on standard error.

    """
    with (
        tempfile.TemporaryFile("w+") as stdin,
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
    ):
        stdin.write(given)
        stdin.seek(0)
        process = subprocess.Popen(command, cwd=ROOT, stdin=stdin, stdout=stdout, stderr=stderr)
        timer = threading.Timer(LONGEST_S, process.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (stdout, stderr):
            file.seek(0)
        output, message = stdout.read(), stderr.read()
    if process.returncode != 0:
        text = (message.strip() or output.strip())[-TAIL:]
        raise MeasureError(f"{command[0]} ended with {process.returncode}: {text}")
    return Used(usage.ru_utime + usage.ru_stime, message if errors else output)


def marginal_us(
    run: Callable[[float], tuple[float, float]], short_s: float, long_s: float
) -> float:
    """CPU for an operation in µs, without what starting and ending costs.

    Args:
        run: Plays for so many seconds; returns CPU in seconds, and operations.
        short_s: The length of a run that is subtracted.
        long_s: The length of the other.

    """
    short, long = run(short_s), run(long_s)
    cpu_s, operations = long[0] - short[0], long[1] - short[1]
    if operations <= 0 or cpu_s <= 0:
        raise MeasureError(f"{long_s:g} s cost no more than {short_s:g} s")
    return 1e6 * cpu_s / operations


@contextmanager
def apart() -> Iterator[Callable[[], None]]:
    """Pin a server to the first processor, and clients to the others, if there are others.

    Processes started within are on the first processor until the yielded function is called.
    """
    before = os.sched_getaffinity(0)
    first, *others = sorted(before)
    try:
        if others:
            os.sched_setaffinity(0, {first})
        yield lambda: os.sched_setaffinity(0, others or before)
    finally:
        os.sched_setaffinity(0, before)


def missing(programs: dict[str, str]) -> dict[str, str]:
    """Those of the programs that are not on the PATH, each with the reason and how to install it.

    Args:
        programs: What installs each, such as `apt install wrk`.

    """
    return {
        name: f"{name} is not installed ({install})"
        for name, install in programs.items()
        if shutil.which(name) is None
    }
