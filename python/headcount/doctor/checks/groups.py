"""Control groups: a server's own counters, and limits."""

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, missing, ok
from headcount.errors import SystemLimitError
from headcount.lab.squeeze.limits import CONTROLLERS

LIMITING = frozenset(CONTROLLERS.values())
DELEGATED = "systemd-run --user --scope -p Delegate=yes headcount run ..."


def control_groups(machine: Machine) -> Outcome:
    """Whether a run can put its server into a group, and limit it."""
    try:
        version = machine.groups(frozenset())
    except SystemLimitError as error:
        return missing(
            str(error).partition(";")[0],
            "Lab servers have no counters of their own, and --limit does not work.",
            _fix(machine),
        )
    lacking = [one for one in sorted(LIMITING) if not _keeps(machine, one)]
    if lacking:
        return limited(
            f"version {version}, without {', '.join(lacking)}",
            "Lab servers have counters of their own; --limit of these does not work.",
            _fix(machine),
        )
    note = "; disk-write limits direct writes only" if version == 1 else ""
    return ok(
        f"version {version}, writable",
        f"Lab servers have counters of their own, and --limit works{note}.",
    )


def _keeps(machine: Machine, controller: str) -> bool:
    try:
        machine.groups(frozenset({controller}))
    except SystemLimitError:
        return False
    return True


def _fix(machine: Machine) -> str:
    if machine.uid != 0:
        return f"sudo headcount run ..., or, where systemd runs: {DELEGATED}"
    if machine.virtual.container is not None:
        return "start the container with --privileged --cgroupns=host, or use the machine itself"
    return "mount -t cgroup2 none /sys/fs/cgroup"
