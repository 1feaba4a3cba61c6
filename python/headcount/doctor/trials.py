"""Tries what a run would do, with the same code, and undoes it at once."""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headcount.counters.proc import netlink
from headcount.counters.proc.netlink import Netlink
from headcount.lab import (
    account,
    apache,
    certificate,
    dovecot,
    installed,
    iproute,
    nginx,
    port,
    postfix,
    postgresql,
    samba,
)
from headcount.lab.installed import Packages
from headcount.lab.squeeze import Line
from headcount.lab.squeeze.link import Link

LOOPBACK_S = 1.0
"""Longest wait for the loopback interface, which answers at once or not at all."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that something needs.

    Attributes:
        look: Raises NotInstalledError if it is missing, SystemLimitError if it cannot run.
        packages: The packages that contain it.
        purpose: What needs it.
        for_root: Whether only root can use it.

    """

    look: Callable[[], object]
    packages: Packages
    purpose: str = ""
    for_root: bool = False


def engine_error() -> str | None:
    """Why the load engine does not load; None if it does."""
    try:
        from headcount import _engine  # noqa: PLC0415 - it may not be there
    except ImportError as error:
        return str(error)
    return None if hasattr(_engine, "Engine") else "it has no engine in it"


def try_loopback() -> None:
    """Connect to a server at the address of lab servers; raises OSError."""
    with (
        socket.create_server((port.LOOPBACK, 0)) as server,
        socket.create_connection(server.getsockname(), timeout=LOOPBACK_S),
    ):
        pass


def ring_error() -> str | None:
    """Why io_uring cannot be used; None if it can."""
    from headcount import _engine  # noqa: PLC0415 - it may not be there

    return _engine.io_uring_unavailable()


def try_network() -> None:
    """Make the network of a run and remove it; raises SystemLimitError."""
    Link().close()


def try_line() -> None:
    """Make a delay line and remove it; raises SystemLimitError."""
    Link(Line(latency_s=0.001)).close()


def try_user_namespace() -> None:
    """Enter a user namespace as nobody; raises SystemLimitError."""
    apache.namespace_command()


def try_netlink() -> None:
    """Open a socket to the kernel's tables of sockets; raises OSError."""
    Netlink(netlink.SOCK_DIAG).close()


def _mail() -> None:
    dovecot.program()
    account.unprivileged("Dovecot")


def _postgresql() -> None:
    postgresql.programs()
    account.unprivileged("PostgreSQL")


def _named(program: str, packages: Packages, purpose: str) -> Program:
    return Program(lambda: installed.find(program, packages.advice(purpose)), packages, purpose)


SERVERS: Mapping[str, Program] = {
    "lab:samba": Program(samba.program, samba.PACKAGES),
    "lab:nginx": Program(nginx.program, nginx.PACKAGES),
    "lab:apache": Program(apache.program, apache.PACKAGES),
    "lab:mail": Program(_mail, dovecot.PACKAGES),
    "lab:postgresql": Program(_postgresql, postgresql.PACKAGES),
}
"""Lab servers that need a program of this machine; Headcount itself is lab:app and lab:files."""

HELPERS: Mapping[str, Program] = {
    "postfix": Program(postfix.program, postfix.PACKAGES, "lab:mail run by root", for_root=True),
    "openssl": _named("openssl", certificate.PACKAGES, "lab servers with tls=on"),
    "ip": Program(iproute.program, iproute.PACKAGES, "--limit network"),
    "ssh": _named("ssh", Packages("openssh-client", "openssh-clients"), "--source ssh://HOST"),
    "sadf": _named("sadf", Packages("sysstat", "sysstat"), "logs of sysstat"),
    "pmdumplog": _named("pmdumplog", Packages("pcp", "pcp"), "logs of PCP"),
}
"""Programs that some options need."""
