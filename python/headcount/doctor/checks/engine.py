"""What plays users: the load engine, the loopback interface to lab servers, io_uring."""

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok, stopping


def engine(machine: Machine) -> Outcome:
    """Whether the compiled part of Headcount loads."""
    error = machine.engine()
    if error is None:
        return ok("loads", "Headcount can play users.")
    return stopping(
        f"does not load: {error}",
        "Headcount cannot play users.",
        "install Headcount again with Rust (rustup.rs): pip install --force-reinstall .",
    )


def loopback(machine: Machine) -> Outcome:
    """Whether lab servers can be reached."""
    try:
        machine.loopback()
    except OSError as error:
        return stopping(
            f"does not work: {error.strerror}",
            "Lab servers listen there.",
            machine.as_root("ip link set lo up"),
        )
    return ok("works", "Lab servers listen there.")


def ring(machine: Machine) -> Outcome:
    """Whether files can be read and written through io_uring."""
    if machine.engine() is not None:
        return limited("not known without the load engine", "Targets file:///folder cannot run.")
    error = machine.ring()
    if error is None:
        return ok("works", "Targets file:///folder and headcount disk use it.")
    reason, _, fix = error.partition("; ")
    fixes = (fix,) if fix else ("use Linux 5.11 or later",)
    return limited(
        reason, "Targets file:///folder use threads instead, which cost more CPU.", *fixes
    )
