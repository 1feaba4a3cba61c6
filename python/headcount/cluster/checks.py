"""Whether machines can play users together: checks each, and lists what is wrong."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headcount.cluster import ports, state
from headcount.cluster.hosts import Host, HostsFile
from headcount.cluster.login import HERE, Login
from headcount.cluster.looks import cpus_of, look, members, ports_of, reached_as
from headcount.cluster.machines import Machines
from headcount.cluster.shipping import Build
from headcount.errors import HeadcountError
from headcount.generator.clock import ClockOffset

LEAST_HANDLES = 16_384
"""Least limit of open files: a machine plays thousands of users with a connection or more each."""
USUAL_PORTS = 28_232
"""Local ports for connections to one target, by Linux's default."""
MOST_CLOCK_S = 60.0
"""Certificates are valid from an hour earlier; a clock that is a minute off is not synchronised."""
DISTURBING_CORES = 0.5
CLOCKS = 5
"""Questions for the time; the fastest answer counts."""


@dataclass(frozen=True)
class Checked:
    """A machine.

    Attributes:
        machine: For people.
        is_reached: Whether its login works.
        figures: What was seen, by name; missing if it was not seen.
        problems: What must be fixed, each a sentence.
        notes: What may disturb a measurement.

    """

    machine: str
    is_reached: bool
    figures: dict[str, Any] = field(default_factory=dict)
    problems: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """What to check.

    Attributes:
        hosts: The machines.
        name: The cluster's name.
        build: What they must have.
        target: Host and port to which they must connect; None without one.

    """

    hosts: HostsFile
    name: str
    build: Build
    target: tuple[str, int] | None


def checked(asked: Asked) -> list[Checked]:
    """All machines of a hosts file, checked in parallel."""
    hosts = members(asked.hosts)
    with Machines(hosts) as machines:
        seen = machines.each(lambda number, login: _figures(asked, hosts[number], login))
        looks = {n: one["look"] for n, one in seen.items() if not isinstance(one, HeadcountError)}
        reached = machines.each(
            lambda number, login: reached_as(asked.hosts, hosts[number], looks, number, login),
            list(looks),
        )
    found = []
    for number, host in enumerate(hosts):
        name = HERE if host is None else host.login.place
        one = seen[number]
        if isinstance(one, HeadcountError):
            found.append(Checked(name, is_reached=False, problems=[str(one)]))
            continue
        problems = problems_of(one, asked)
        if isinstance(why := reached[number], HeadcountError):
            problems.append(str(why))
        figures = _flat(one)
        found.append(
            Checked(name, is_reached=True, figures=figures, problems=problems, notes=_notes(one))
        )
    return found


def _figures(asked: Asked, host: Host | None, login: Login) -> dict[str, Any]:
    seen = look(asked.hosts, host, login)
    folder = f"{seen['folder']}/{asked.name}"
    clock = ClockOffset()
    for _ in range(CLOCKS):
        at_s = time.time()
        clock.answer(at_s, login.ask("clock"), time.time())
    found = {
        "look": seen,
        "ports": ports_of(asked.hosts, host),
        "agent_cpus": cpus_of(host, seen["cpus"]),
        "ahead_s": clock.ahead_s,
        "error_s": clock.error_s,
        "has_build": host is None or login.ask("has_build", folder=folder, build=asked.build.hash),
        "busy": login.ask("busy"),
        "is_up": _is_up(asked.name, host, login),
    }
    if asked.target is not None:
        try:
            name, port = asked.target
            found["connect_s"] = login.ask("connect", host=name, port=port)
        except HeadcountError as error:
            found["refused"] = str(error).partition(": ")[2]
    return found


def _is_up(name: str, host: Host | None, login: Login) -> bool:
    """Whether a node of this cluster runs there, and uses the ports."""
    if name not in state.names():
        return False
    address = None if host is None else host.address
    nodes = [one for one in state.load(name).nodes if one.address == address]
    return bool(nodes and login.ask("alive", run=nodes[0].run))


def _flat(one: dict[str, Any]) -> dict[str, Any]:
    """What is shown."""
    seen, busy = one["look"], one["busy"]
    low, high = seen["local_ports"]
    return {
        "python": seen["python"],
        "has_build": one["has_build"],
        "is_up": one["is_up"],
        "clock_ahead_ms": one["ahead_s"] * 1000,
        "clock_error_ms": one["error_s"] * 1000,
        "cpus": seen["cpus"],
        "handles": seen["handles"],
        "local_ports": high - low + 1,
        "pinned_taken": [] if one["is_up"] else seen["taken"],
        "load": busy["load"],
        "other_cpus": sum(cores for _, cores in busy["programs"]),
        **({"connect_ms": one["connect_s"] * 1000} if "connect_s" in one else {}),
    }


def problems_of(one: dict[str, Any], asked: Asked) -> list[str]:
    """What must be fixed on a machine with these figures; a head may play no users."""
    seen, plays = one["look"], one["agent_cpus"] > 0
    low, high = seen["local_ports"]
    found = []
    if abs(one["ahead_s"]) > MOST_CLOCK_S:
        side = "ahead" if one["ahead_s"] > 0 else "behind"
        found.append(
            f"set its clock, which is {abs(one['ahead_s']):,.0f} s {side}: timedatectl set-ntp true"
        )
    if plays and seen["handles"] < LEAST_HANDLES:
        found.append(
            f"raise nofile: a program may open {seen['handles']:,} files, and each user takes one "
            'or more; add "* hard nofile 1048576" to /etc/security/limits.conf there'
        )
    if plays and high - low + 1 < USUAL_PORTS:
        found.append(
            f"widen its range of local ports, now {high - low + 1:,}: "
            'sysctl -w net.ipv4.ip_local_port_range="32768 60999"'
        )
    if seen["taken"] and not one["is_up"]:
        found.append(
            f"another program uses port {ports.listed(seen['taken'])}: end it, or choose others "
            "with port = and ports = in the hosts file"
        )
    if (lack := ports.lack(one["ports"], one["agent_cpus"])) is not None:
        found.append(lack)
    if not one["has_build"] and seen["free_bytes"] < 2 * asked.build.size_bytes:
        found.append(
            f"free some space for {seen['folder']}: {seen['free_bytes'] / 1e6:,.0f} MB are free, "
            f"and Headcount with its libraries takes {asked.build.size_bytes / 1e6:,.0f} MB"
        )
    if "refused" in one and asked.target is not None:
        name, port = asked.target
        found.append(f"let it connect to {name}:{port}: {one['refused']}")
    return found


def _notes(one: dict[str, Any]) -> list[str]:
    busy, cpus = one["busy"]["programs"], one["look"]["cpus"]
    used = sum(cores for _, cores in busy)
    low, high = one["look"]["local_ports"]
    pinned = ports.range_of(one["ports"])
    found = []
    if used >= DISTURBING_CORES:
        most = ", ".join(f"{name} {cores:.1f}" for name, cores in busy[:3])
        found.append(f"other programs use {used:.1f} of {cpus} CPUs ({most})")
    if pinned.start <= high and pinned.stop > low:
        found.append(
            f"ports {one['ports']} are in the range of local ports ({low}-{high}), and may be in "
            "use when Ray needs them: choose others"
        )
    return found
