"""The network of a case: this machine's, or a namespace, which a cable may join to it."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.foreign.address import LOOPBACK, PREFIX, ends

IP = "/usr/sbin/ip"
TC = "/usr/sbin/tc"
FIRST_PORT = 40_000
"""Of a namespace with few ports for connections; servers listen elsewhere."""
ADDRESS = re.compile(r" inet ([0-9.]+)")
"""As `ip -oneline addr` prints it."""
COMMAND_S = 20.0


@dataclass(frozen=True)
class Network:
    """Where servers and users of a case are.

    Attributes:
        host: The address that servers listen at.
        servers: What runs a command beside the servers.
        users: What runs a command where the users are.

    """

    host: str = LOOPBACK
    servers: Sequence[str] = ()
    users: Sequence[str] = ()


@contextlib.contextmanager
def network(wanted: Mapping[str, str], *, is_far: bool) -> Iterator[Network]:
    """Where a case is played, until the end of the block.

    This machine's own network unless few ports or a rate are wanted; then a namespace for servers
    and users. If it is far, servers are in a namespace at the far end of a cable, and users are
    not. Raises RuntimeError where it cannot be made, which takes root.
    """
    if not wanted and not is_far:
        yield Network()
        return
    name = f"headcount-foreign-{os.getpid()}"
    within = ("nsenter", f"--net=/run/netns/{name}", "--")
    try:
        _run(IP, "netns", "add", name)
        _run(IP, "-n", name, "link", "set", "lo", "up")
        host = _cable(name) if is_far else LOOPBACK
        if "ports" in wanted:
            text = f"{FIRST_PORT} {FIRST_PORT + int(wanted['ports']) - 1}"
            _run(*within, "sh", "-c", f"echo {text} > /proc/sys/net/ipv4/ip_local_port_range")
        if "mbit" in wanted:
            device = _devices()[1] if is_far else "lo"
            how = ["rate", f"{wanted['mbit']}mbit", "burst", "128kb", "latency", "100ms"]
            _run(*within, TC, "qdisc", "add", "dev", device, "root", "tbf", *how)
        yield Network(host, within, () if is_far else within)
    finally:
        _remove(name)


def _cable(name: str) -> str:
    """Join a namespace to this machine; the address at its end."""
    near, far = _devices()
    taken = set(ADDRESS.findall(_run(IP, "-4", "-oneline", "addr", "show")))
    here, there = ends(os.getpid(), taken)
    _run(IP, "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
    for where, device, address in (([], near, here), (["-n", name], far, there)):
        _run(IP, *where, "addr", "add", f"{address}/{PREFIX}", "dev", device)
        _run(IP, *where, "link", "set", device, "up")
    return there


def _devices() -> tuple[str, str]:
    """What the near and the far end of the cable are called."""
    return f"hcf{os.getpid()}a", f"hcf{os.getpid()}b"


def _remove(name: str) -> None:
    """Take a namespace, its cable and all that still runs there away, as far as they are there."""
    with contextlib.suppress(RuntimeError):
        for pid in _run(IP, "netns", "pids", name).split():  # logins, whose sshd has ended
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    # The cable at once: a namespace goes only when nothing of it is left, not even a connection.
    for words in (("link", "del", _devices()[0]), ("netns", "delete", name)):
        with contextlib.suppress(RuntimeError):
            _run(IP, *words)


def _run(*command: str) -> str:
    """What a command prints; raises RuntimeError with its complaint."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=COMMAND_S
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"{' '.join(command)}: no end after {COMMAND_S:g} s") from error
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
