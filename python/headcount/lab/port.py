"""Loopback ports for lab servers that need theirs before they start."""

import contextlib
import random
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path

from headcount.errors import SystemLimitError

LOOPBACK = "127.0.0.1"
_host = ContextVar("_host", default=LOOPBACK)
OUTGOING = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST, HIGHEST = 10_000, 65_536
"""Ports of lab servers: above those of well-known servers."""
FEWEST = 1000
"""How many ports below those of outgoing connections are enough to choose from."""
TRIES = 100
STARTS = 5
"""How often a start is tried: a port may be taken between the check and the start."""
LISTEN = "0A"
"""The state of a listening socket in `/proc/net/tcp` (the kernel's `TCP_LISTEN`)."""


def host() -> str:
    """The address that servers must listen on: loopback, unless the run has its own network."""
    return _host.get()


@contextlib.contextmanager
def listening_on(address: str) -> Iterator[None]:
    """Make servers that start within the block listen on another address of this machine."""
    token = _host.set(address)
    try:
        yield
    finally:
        _host.reset(token)


def free() -> int:
    """A port that is free now, and that the kernel does not give to outgoing connections.

    Otherwise a busy client could get it between the choice and its use.
    """
    for _ in range(TRIES):
        port = random.SystemRandom().randrange(LOWEST, _end_of_range())
        if is_free(port):
            return port
    with socket.create_server((host(), 0)) as server:
        return int(server.getsockname()[1])


def started(program: str, start: Callable[[ExitStack], bool]) -> ExitStack:
    """Start a server on free ports, and on others if another program was faster.

    Args:
        program: Its name.
        start: Chooses the ports, starts it and pushes what ends it; returns whether it listens,
            False if another program has taken a port.

    Returns:
        What ends it.

    Raises:
        SystemLimitError: If it got no port.

    """
    for _ in range(STARTS):
        with ExitStack() as parts:
            if start(parts):
                return parts.pop_all()
    raise SystemLimitError(
        f"{program} tried {STARTS} ports, each in use by another program; start again when fewer "
        "programs on this machine open ports"
    )


def _end_of_range() -> int:
    """The end of the ports to choose from: the first one of outgoing connections.

    If too few are left below it (ip(7), `ip_local_port_range`), the end of all ports.
    """
    lowest = int(OUTGOING.read_text("ascii").split()[0])
    return lowest if lowest - LOWEST >= FEWEST else HIGHEST


def is_free(port: int) -> bool:
    """Whether a server could use the port."""
    try:
        socket.create_server((host(), port)).close()
    except OSError:
        return False
    return True


def answers(port: int, at: str | None = None) -> bool:
    """Whether a server listens on the port, by default at the lab's address."""
    try:
        socket.create_connection((at or host(), port), timeout=1).close()
    except OSError:
        return False
    return True


def is_held_by(pid: int, port: int) -> bool:
    """Whether this process listens on the port (proc(5), `/proc/net/tcp`)."""
    (number,) = struct.unpack("=I", socket.inet_aton(host()))
    address = f"{number:08X}:{port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()]
    sockets = {f"socket:[{line[9]}]" for line in lines if line[1] == address and line[3] == LISTEN}
    with contextlib.suppress(OSError):  # it has just ended
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # it has just closed it
                if str(handle.readlink()) in sockets:
                    return True
    return False
