"""The process of a delay line: it makes two network devices, and carries packets between them.

`python -m headcount.lab.squeeze.line NEAR FAR --latency-s 0.015 ...` prints `{"ready": true}` when
the devices are there, or `{"error": ...}`. For each line on its standard input it prints what it
has done so far, and it ends when that ends.
"""

import argparse
import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence

from headcount._engine import Line
from headcount.errors import HeadcountError
from headcount.lab import keeper

PRIORITY = 2
"""Real-time priority: above that of the generator's workers, so that packets never wait for the
users that they are for."""
NICE = -20
"""The nice value if the real-time policy is refused."""
PR_SET_TIMERSLACK = 29
"""linux/prctl.h: how late the kernel may wake a thread, in ns; 50,000 unless asked for."""


def main(arguments: Sequence[str]) -> int:
    """Carry packets until standard input ends; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m headcount.lab.squeeze.line")
    parser.add_argument("near", help="name of one device")
    parser.add_argument("far", help="name of the other")
    parser.add_argument("--latency-s", type=float, default=0.0, help="added to round trips")
    parser.add_argument("--jitter-s", type=float, default=0.0, help="by which that varies")
    parser.add_argument("--loss", type=float, default=0.0, help="share of packets, each way")
    parser.add_argument("--reorder", type=float, default=0.0, help="share of packets, each way")
    parser.add_argument("--seed", type=int, default=1, help="of what is lost and when")
    options = parser.parse_args(arguments)
    for name in keeper.ENDS:  # what ends the run's programs ends the run first
        signal.signal(name, signal.SIG_IGN)
    try:
        line = Line(
            options.near,
            options.far,
            options.latency_s,
            options.jitter_s,
            options.loss,
            options.reorder,
            options.seed,
        )
    except HeadcountError as error:
        _print_json({"error": str(error)})
        return 1
    _hurry()
    threading.Thread(target=_report, args=(line,), daemon=True).start()
    _print_json({"ready": True})
    try:
        line.carry()
    except HeadcountError:
        return 1
    return 0


def _hurry() -> None:
    """Make this process wake on time, as far as this machine allows it."""
    with contextlib.suppress(OSError):
        keeper.prctl(PR_SET_TIMERSLACK, 1)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
    except OSError:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICE)


def _report(line: Line) -> None:
    """Print what was done at each request; stop the line when nobody can ask any more."""
    with contextlib.suppress(BrokenPipeError):
        while os.read(sys.stdin.fileno(), 4096):  # no request comes before the last answer
            counts = json.loads(line.counts())
            _print_json({**counts, "cpu_s": time.process_time(), "at_s": time.monotonic()})
    line.stop()


def _print_json(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
