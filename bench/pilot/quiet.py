"""Whether other programs use the machine, and so disturb a server that should be undisturbed."""

import os
import time
from collections.abc import Sequence

from headcount.pilot.others import read, used_s
from headcount.pilot.work import descendants

QUIET = 0.2
"""CPUs that others may use: less than the pilot and the users do."""
LOOK_S = 2.0


def others_cpus(roots: Sequence[int], patience_s: float) -> float:
    """CPUs that programs other than a server use, once that is little or the patience is exhausted.

    `roots` are the first processes of the server.
    """
    end_s = time.monotonic() + patience_s
    while True:
        found = _others_cpus(roots)
        if found <= QUIET or time.monotonic() >= end_s:
            return found


def _others_cpus(roots: Sequence[int]) -> float:
    own = [os.getpid(), *descendants(roots)]
    before, began_s = read(own), time.monotonic()
    time.sleep(LOOK_S)
    after, took_s = read(own), time.monotonic() - began_s
    return used_s(before, after) / took_s
