"""Measures while the machine is undisturbed: CPU stolen by its hypervisor would be another limit.

The rule looks at the kernel's count of stolen time alone (proc(5)), never at a bundle: a play in
which more was stolen than `STOLEN` is played again, and void after `TRIES`.
"""

import os
import time
from collections.abc import Callable

from bench.machine import load

STOLEN = 0.10
"""Share of all CPU time. An injected limit leaves a server at most half of what it could do, so it
still binds with a tenth gone."""
TRIES = 3
PATIENCE_S = 120.0
LOOK_S = 5.0


def undisturbed(play: Callable[[], None]) -> float | None:
    """Play until the machine was undisturbed; returns the share stolen, None if it never was."""
    for _ in range(TRIES):
        _wait()
        taken = _Taken()
        play()
        share = taken.share()
        if share <= STOLEN:
            return share
    return None


class _Taken:
    """Counts what is stolen from now on."""

    def __init__(self) -> None:
        self._stolen_s, self._began_s = load().stolen_s, time.monotonic()

    def share(self) -> float:
        """Of the time of all CPUs."""
        passed_s = (time.monotonic() - self._began_s) * (os.cpu_count() or 1)
        return (load().stolen_s - self._stolen_s) / max(passed_s, 1e-9)


def _wait() -> None:
    """Wait, for a limited time, for seconds in which little is stolen."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        taken = _Taken()
        time.sleep(LOOK_S)
        if taken.share() <= STOLEN:
            return
