"""Removes the groups and the networks of a run, however the run ends.

`python -m headcount.lab.squeeze.janitor [--group FOLDER ...] [--network NAMESPACE DEVICE]
[--segment TAG]` waits for the end of its standard input. By then the run has removed them itself,
or it was killed. In that case its server's keeper is about to end the server: this waits for that,
ends what is left in the groups, and removes them.
"""

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from headcount.lab import keeper, segment
from headcount.lab.squeeze import link
from headcount.lab.squeeze.files import numbers
from headcount.lab.squeeze.group import PROCS, remove

PATIENCE_S = keeper.TERM_S + keeper.KILL_S + 1.0
"""How long the keeper may take to end the server."""


def main(arguments: Sequence[str]) -> int:
    """Wait, and clean up; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--group", action="append", type=Path, default=[])
    parser.add_argument("--network", nargs=2)
    parser.add_argument("--segment")
    options = parser.parse_args(arguments)
    for name in keeper.ENDS:  # what ends the run's programs ends the run first
        signal.signal(name, signal.SIG_IGN)
    sys.stdin.buffer.read()
    if not remove(options.group, PATIENCE_S):
        for folder in options.group:
            with contextlib.suppress(OSError):
                for pid in numbers(folder / PROCS):
                    os.kill(pid, signal.SIGKILL)
        remove(options.group)
    if options.network:
        link.remove(*options.network)
    if options.segment:
        segment.remove(options.segment)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
