"""Repeats tests that failed while the hypervisor had given the CPUs to other machines.

A machine that stands still for a tenth of a second breaks limits of time through no fault of the
code. Only what the kernel says itself counts: time stolen in the seconds of the test (proc(5)).
Where nothing was stolen a failure is one at once, and every repetition is listed at the end.
"""

import functools
import threading
import time
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

BURST = 0.10
"""Share of half a second that must have been stolen at least once."""
TRIES = 3
EVERY_S = 0.5
_FAILED = pytest.StashKey[list[str]]()
_PROPERTY = "failed while its CPUs were stolen"


class Thief:
    """Watches how much of the CPUs is stolen, from a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._largest = 0.0
        self._last = _ticks()
        threading.Thread(target=self._watch, daemon=True).start()

    def largest(self) -> float:
        """Return the largest share in any half second since the last call."""
        with self._lock:
            found, self._largest = self._largest, 0.0
        return found

    def _watch(self) -> None:
        while True:
            time.sleep(EVERY_S)
            stolen, total = _ticks()
            share = (stolen - self._last[0]) / max(total - self._last[1], 1)
            self._last = (stolen, total)
            with self._lock:
                self._largest = max(self._largest, share)


def _ticks() -> tuple[int, int]:
    """Return what was stolen and all there was, of all CPUs since the machine's start."""
    words = Path("/proc/stat").read_text("ascii").splitlines()[0].split()[1:9]
    ticks = [int(word) for word in words]
    return ticks[7], sum(ticks)


@functools.cache
def _thief() -> Thief:
    return Thief()


def repeated(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test; again, with everything set up again, if it failed while its CPUs were away."""
    _thief().largest()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    before = item.stash.setdefault(_FAILED, [])
    failed = [report for report in reports if report.failed]
    if failed:
        time.sleep(EVERY_S)  # until what a short test met has been looked at, too
    away = _thief().largest()
    if failed and len(before) + 1 < TRIES and away >= BURST:
        how = f"{item.nodeid}: {away:.0%} of the CPUs were stolen\n{failed[0].longreprtext}"
        before.append(how)
        item.session._setupstate.teardown_exact(None)
        again: bool = item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        return again
    # With the report it also comes from a worker of several to the one that prints.
    reports[-1].user_properties += [(_PROPERTY, how) for how in before]
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def repetitions(reporter: pytest.TerminalReporter) -> list[str]:
    """Return what was repeated, and how it had failed."""
    every = (report for reports in reporter.stats.values() for report in reports)
    properties = (pair for report in every for pair in getattr(report, "user_properties", ()))
    return [how for name, how in properties if name == _PROPERTY]
