"""`headcount pilot`: adjusts how Linux treats a running server, and keeps what helps."""

import dataclasses
from dataclasses import dataclass
from json import dumps as json_text
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out
from headcount.cli.grouped import grouped
from headcount.errors import InputError, SystemLimitError
from headcount.fields.units import seconds
from headcount.secret_text import redacted_json

if TYPE_CHECKING:
    from headcount.controller.local_server import LocalServer
    from headcount.pilot.pilot import Event

EPILOG = """
Examples:

headcount pilot http://127.0.0.1:80  # the server that listens there, until Ctrl-C

headcount pilot --unit smbd --for 1h  # a systemd unit, for an hour

headcount pilot --pid 1234 --module priority  # nothing but its priority
"""
LEAST_TURN_S, MOST_TURN_S = 1.0, 60.0


@dataclass(frozen=True)
class Which:
    """The server."""

    pid: Annotated[
        list[int] | None,
        typer.Option(
            "--pid",
            metavar="PID",
            min=1,
            help="A process of the server. Repeatable.",
            rich_help_panel=options.TARGET,
        ),
    ] = None
    unit: options.Unit = None
    cgroup: options.Cgroup = None
    container: options.Container = None


@dataclass(frozen=True)
class How:
    """What is tried, and how long."""

    module: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Try only this: priority, starvation, affinity, convoy, memory, writeback or "
            "interrupts. Repeatable.",
        ),
    ] = None
    for_: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="End after this time, such as 1h.")
    ] = None
    turn: Annotated[
        str, typer.Option(metavar="TIME", help="Length of one turn with a change, or without it.")
    ] = "5s"
    restore: Annotated[
        bool, typer.Option("--restore", help="Put back what an interrupted pilot has left.")
    ] = False


@grouped
def pilot(
    which: Which,
    how: How,
    target: Annotated[
        str | None,
        typer.Argument(metavar="[TARGET]", help="Where the server listens on this machine."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Adjust how Linux schedules a running server, and keep what makes its work faster.

    Re-creates AutoPilot for Windows NT. It plays no load: it watches how long the server's work
    takes, and how long it waits for CPUs and disks. What may help (priority, I/O priority, its own
    CPUs, batch scheduling, protected memory, early writes, moved interrupts) is switched on and off
    in turn, six times each; it stays on if the work becomes 10% faster or more, with 99%
    confidence. However it ends, everything is put back.
    """
    from headcount.pilot.start import Wanted, put_back, run

    if how.restore:
        folders = put_back()
        for folder in folders:
            out.print(f"put back: {folder}", markup=False)
        if not folders:
            out.print("nothing to put back")
        return
    turn_s = seconds(how.turn, "--turn")
    if not LEAST_TURN_S <= turn_s <= MOST_TURN_S:
        raise InputError(f"--turn {how.turn}: give {LEAST_TURN_S:g} s to {MOST_TURN_S:g} s")
    for_s = None if how.for_ is None else seconds(how.for_, "--for")
    wanted = Wanted(how.module or (), for_s, turn_s)
    problem = run(_server(which, target), wanted, _print_json if json else _print)
    if problem is not None:
        raise SystemLimitError(f"not everything could be put back: {problem}")


def _server(which: Which, target: str | None) -> "LocalServer":
    from headcount.cli import running
    from headcount.controller.local_server import LocalServer
    from headcount.plan import gate
    from headcount.plan import target as targets

    named = running.named(which.pid, which.unit, which.cgroup, which.container)
    if target is None:
        if not named:
            raise InputError(
                "name the server: headcount pilot http://127.0.0.1:80, or --pid, --unit, --cgroup"
            )
        return LocalServer([], named)
    asked = targets.parse(target)
    if asked.host is None:
        raise InputError(f"{target} is not the address of a running server; give one, or --pid")
    address = gate.answering_first(gate.addresses(asked.host, asked.port))[0]
    if not gate.is_own(address):
        raise InputError(f"{target} is on another machine; run headcount pilot there")
    return LocalServer([address], named)


def _print(event: "Event") -> None:
    out.print(event.text, markup=False, soft_wrap=True)


def _print_json(event: "Event") -> None:
    """Print an event as a line of JSON, unbuffered."""
    known = {name: one for name, one in dataclasses.asdict(event).items() if one is not None}
    print(redacted_json(json_text(known)), flush=True)
