"""Loopback ports for servers of the lab that must be told theirs before they start."""

import contextlib
import socket
import struct
from pathlib import Path

HOST = "127.0.0.1"
LISTEN = "0A"
"""The state of a listening socket in `/proc/net/tcp` (the kernel's `TCP_LISTEN`)."""


def free() -> int:
    """A port that nobody has at the moment."""
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether a server could have it."""
    try:
        socket.create_server((HOST, port)).close()
    except OSError:
        return False
    return True


def answers(port: int) -> bool:
    """Whether somebody listens there."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True


def is_held_by(pid: int, port: int) -> bool:
    """Whether it is this process that listens there (proc(5), `/proc/net/tcp`)."""
    (number,) = struct.unpack("=I", socket.inet_aton(HOST))
    address = f"{number:08X}:{port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()]
    sockets = {f"socket:[{line[9]}]" for line in lines if line[1] == address and line[3] == LISTEN}
    with contextlib.suppress(OSError):  # it has just ended
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # it has just closed it
                if str(handle.readlink()) in sockets:
                    return True
    return False
