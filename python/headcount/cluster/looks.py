"""What each machine of a hosts file is and has: asked before anything starts."""

from dataclasses import dataclass
from typing import Any

from headcount.cluster import ports
from headcount.cluster.hosts import Host, HostsFile
from headcount.cluster.login import HERE, Login
from headcount.cluster.machines import Machines
from headcount.errors import SystemLimitError

LOCAL = ("127.0.0.1", "::1")
"""Ray replaces them, because no other machine reaches them."""


@dataclass(frozen=True)
class Place:
    """A machine of a cluster that is about to start.

    Attributes:
        number: The number of its login.
        host: As the file has it; None for this machine.
        is_head: Whether the others join it.
        look: What it reports about itself.
        ip: The address at which the others reach it.

    """

    number: int
    host: Host | None
    is_head: bool
    look: dict[str, Any]
    ip: str

    @property
    def name(self) -> str:
        """For people."""
        return HERE if self.host is None else self.host.login.place


def members(hosts: HostsFile) -> list[Host | None]:
    """The machines, with this one first if no host is the head."""
    has_head = any(one.head for one in hosts.host)
    return [*([] if has_head else [None]), *hosts.host]


def ports_of(hosts: HostsFile, host: Host | None) -> str:
    """The ports of a machine."""
    return (host.ports if host is not None else None) or hosts.cluster.ports


def cpus_of(host: Host | None, all_cpus: int) -> int:
    """How many CPUs a machine gives to agents: none of the head's unless the file says so."""
    if host is not None and host.cpus is not None:
        return host.cpus
    return 0 if host is None or host.head else all_cpus


def look(hosts: HostsFile, host: Host | None, login: Login) -> dict[str, Any]:
    """What a machine reports about itself."""
    is_head = host is None or host.head
    wanted = [*([hosts.cluster.port] if is_head else []), *ports.range_of(ports_of(hosts, host))]
    found: dict[str, Any] = login.ask("look", ports=wanted, folder=hosts.cluster.folder)
    return found


def places(hosts: HostsFile, machines: Machines) -> list[Place]:
    """All machines, with the IP addresses by which they reach each other.

    Raises HeadcountError if one is not reached, or an address is not known.
    """
    looks = machines.all(lambda number, login: look(hosts, machines.hosts[number], login))
    ips = machines.all(
        lambda number, login: reached_as(hosts, machines.hosts[number], looks, number, login)
    )
    return [
        Place(number, host, host is None or host.head, looks[number], ips[number])
        for number, host in enumerate(machines.hosts)
    ]


def reached_as(
    hosts: HostsFile,
    host: Host | None,
    looks: dict[int, dict[str, Any]],
    number: int,
    login: Login,
) -> str:
    """The IP address at which others reach a machine; raises SystemLimitError without one."""
    ip = _ip(hosts, host, looks, number)
    if ip and ip not in LOCAL and login.ask("has_address", address=ip):
        return ip
    is_head = host is None or host.head
    key = "head_ip = in [cluster]" if is_head else "node_ip = at its [[host]]"
    also = ", or make a host that the others reach the head (head = true)" if host is None else ""
    what = (
        f"no other machine reaches {login.name} at {ip}"
        if ip in LOCAL
        else f"{login.name} has no interface with the address {ip or 'that it is reached by'}"
    )
    raise SystemLimitError(f"{what}: give another with {key}{also}")


def taken_ports(place: Place) -> str | None:
    """Pinned ports that are in use; None if all are free."""
    return ports.listed(place.look["taken"]) if place.look["taken"] else None


def _ip(hosts: HostsFile, host: Host | None, looks: dict[int, dict[str, Any]], number: int) -> str:
    if host is not None:
        own = host.node_ip or (hosts.cluster.head_ip if host.head else None)
        return own or str(looks[number]["server"])
    if hosts.cluster.head_ip is not None:
        return hosts.cluster.head_ip
    seen = sorted({str(one["client"]) for one in looks.values() if one["client"]})
    if len(seen) != 1:
        raise SystemLimitError(
            f"hosts see this machine as {' and '.join(seen) or 'nobody'}: give the address that "
            "all of them reach with head_ip = in [cluster]"
        )
    return seen[0]
