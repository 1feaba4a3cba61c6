"""Examining a machine."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict

from headcount import __version__
from headcount.doctor.checks.table import CHECKS
from headcount.doctor.examination import CheckResult, Examination
from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited


def examination(
    machine: Machine, checks: Mapping[str, Callable[[Machine], Outcome]] = CHECKS
) -> Examination:
    """The results of all checks on a machine."""
    began_s = time.monotonic()
    _ = machine.window  # opens it, so that other checks run meanwhile
    results = tuple(
        CheckResult(name=name, **asdict(_outcome(check, machine))) for name, check in checks.items()
    )
    return Examination(
        headcount_version=__version__,
        plain_run_works=not any(result.stops_runs for result in results),
        seconds=time.monotonic() - began_s,
        checks=results,
    )


def _outcome(check: Callable[[Machine], Outcome], machine: Machine) -> Outcome:
    """The outcome of a check; if the system denies a reading, an outcome that says so."""
    try:
        return check(machine)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return limited(
            f"not readable:{where} {error.strerror}", "A run may end with the same error."
        )
