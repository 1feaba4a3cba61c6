"""Namespaces: the private network of a run, and Apache for root."""

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, missing, ok
from headcount.errors import SystemLimitError
from headcount.lab import iproute
from headcount.lab.installed import NotInstalledError, apt_command


def network(machine: Machine) -> Outcome:
    """Whether a run can have a network of its own."""
    try:
        machine.network()
    except SystemLimitError as error:
        read = "need root" if machine.uid != 0 else _first(error)
        return missing(read, "--limit network does not work.", _network_fix(machine, error))
    return ok("can be made", "--limit network works.")


def line(machine: Machine) -> Outcome:
    """Whether a delay line can be put between users and a lab server."""
    try:
        machine.line()
    except SystemLimitError as error:
        if machine.uid != 0:
            fix = _network_fix(machine, error)
        else:
            fix = "modprobe tun; in a container, start it with --device /dev/net/tun"
        read = "needs root" if machine.uid != 0 else _first(error)
        return missing(read, "--limit latency, jitter, loss and reorder do not work.", fix)
    return ok("can be laid", "--limit latency, jitter, loss and reorder work.")


def _network_fix(machine: Machine, error: SystemLimitError) -> str:
    if isinstance(error, NotInstalledError):
        return machine.as_root(apt_command(iproute.PACKAGES.debian.split()))
    if machine.uid != 0:
        return "sudo headcount run ..."
    return "start the container with --cap-add NET_ADMIN --cap-add SYS_ADMIN"


def user(machine: Machine) -> Outcome:
    """Whether Apache can run as a user of its own."""
    if machine.uid != 0:
        return ok("not needed", "Only root needs one, for lab:apache.")
    try:
        machine.user_namespace()
    except SystemLimitError as error:
        return missing(
            _first(error),
            "Root cannot start lab:apache.",
            "run lab:apache as another user: runuser -u USER -- headcount run ...",
        )
    return ok("can be made", "Root can start lab:apache.")


def _first(error: SystemLimitError) -> str:
    return str(error).partition(";")[0]
