"""A pilot's run, from the named server until everything is put back."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.controller.local_server import LocalServer
from headcount.counters.proc.cgroup import folders
from headcount.errors import InputError, SystemLimitError
from headcount.pilot.journal import Journal
from headcount.pilot.modules import MODULES, Module
from headcount.pilot.pilot import BLOCK_S, Event, Pilot
from headcount.pilot.prepared import KIND, SYS, prepare
from headcount.pilot.work import lives
from headcount.tune.host import ThisHost
from headcount.tune.left import Left, left, restore

LOOK_S = 1.0
"""How often a pause looks whether the server still runs."""
UNDONE = (
    "the guard did not hear from the pilot in time and has put everything back: the machine was "
    "stopped, or badly overloaded; start again"
)
"""The message if the guard has acted."""


@dataclass(frozen=True)
class Wanted:
    """How the pilot is to run.

    Attributes:
        modules: Names of those that may be tried; empty for all.
        for_s: How long; None until it is stopped.
        block_s: Length of half a pair.

    """

    modules: Sequence[str] = ()
    for_s: float | None = None
    block_s: float = BLOCK_S


def run(server: LocalServer, wanted: Wanted, happened: Callable[[Event], None]) -> str | None:
    """Run a pilot to its end or Ctrl-C; returns what could not be put back, if anything.

    Raises InputError if there is no such server, or if this user may not change its treatment.
    """
    modules = _modules(wanted.modules)
    host = ThisHost()
    if host.run(["id", "-u"]).output.strip() != "0":
        raise InputError(
            "only root may give a server priority over others: run headcount pilot as root"
        )
    check_alone(host)
    found = server.first
    if not found.pids:
        raise InputError(found.missing or "no such server runs here; start it first")
    roots = tuple(found.pids)
    name = found.names.get(roots[0], str(roots[0]))
    prepared = prepare(host, roots, folders(SYS, found.control_group))
    journal = prepared.journal
    pilot = Pilot(
        name,
        roots,
        prepared.treatment,
        _stop(roots, wanted.for_s, journal),
        happened,
        modules=modules,
        scheduler=prepared.scheduler,
        block_s=wanted.block_s,
        places=prepared.places,
        obstacles=prepared.obstacles,
    )
    was_undone = False
    try:
        pilot.run()
        was_undone = journal.is_undone
    except KeyboardInterrupt:
        pass
    finally:
        problem = journal.close()
    if was_undone:
        raise SystemLimitError(UNDONE)
    happened(Event("end", _end_text(name, pilot.kept, problem)))
    return problem


def _end_text(name: str, kept: Sequence[Module], problem: str | None) -> str:
    was_on = " and ".join(one.name for one in kept)
    helped = f"{was_on} helped {name}" if kept else f"nothing was found that helps {name}"
    state = "everything was put back" if problem is None else problem
    return f"{helped}; {state}"


def put_back() -> Sequence[str]:
    """Undo what interrupted pilots have left; returns their folders.

    Raises InputError if one is at work, or if something cannot be put back.
    """
    host = ThisHost()
    found = left(host, KIND)
    for one in found:
        _check_unguarded(one)
        if (problem := restore(host, one)) is not None:
            raise InputError(f"not everything could be put back: {problem}; see {one.folder}")
    return [one.folder for one in found]


def _stop(roots: Sequence[int], for_s: float | None, journal: Journal) -> Callable[[float], bool]:
    """Waits; returns whether the time is over, the server has ended, or all was put back."""
    end_s = None if for_s is None else time.monotonic() + for_s

    def is_over() -> bool:
        over = end_s is not None and time.monotonic() >= end_s
        return over or not all(map(lives, roots)) or journal.is_undone

    def stop(wait_s: float) -> bool:
        until_s = time.monotonic() + wait_s
        if end_s is not None:
            until_s = min(until_s, end_s)
        while (left_s := until_s - time.monotonic()) > 0:
            time.sleep(min(left_s, LOOK_S))
            if is_over():
                return True
        return is_over()

    return stop


def _modules(names: Sequence[str]) -> Sequence[Module]:
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        raise InputError(f'there is no module "{unknown[0]}"; there are: {", ".join(MODULES)}')
    return [one for name, one in MODULES.items() if not names or name in names]


def check_alone(host: ThisHost) -> None:
    """Undo what an interrupted pilot has left; raises InputError if one is at work."""
    for one in left(host, KIND):
        _check_unguarded(one)
        restore(host, one)


def _check_unguarded(one: Left) -> None:
    if one.is_guarded:
        raise InputError(
            f"another pilot runs on this machine, or was just interrupted: {one.folder}"
        )
