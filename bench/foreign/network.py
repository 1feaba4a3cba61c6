"""The network of a case: this machine's, or a namespace, which a cable may join to it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.foreign.address import LOOPBACK, PREFIX, ends

IP = "/usr/sbin/ip"
TC = "/usr/sbin/tc"
FIRST_PORT = 40_000
"""First port of a namespace with few ports for connections; servers listen on others."""
ADDRESS = re.compile(r" inet ([0-9.]+)")
"""As `ip -oneline addr` prints it."""
COMMAND_S = 20.0
DISTANCE = {"delay_ms": "--delay-ms", "loss": "--loss"}
"""What a case may want of the way to its servers, with the options of `bench.foreign.distance`."""


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
    and users. If it is far, or the way is to be long or to lose packets, servers are in a namespace
    at the far end of a cable, and users are not. Raises RuntimeError where it cannot be made, which
    takes root.
    """
    if not wanted and not is_far:
        yield Network()
        return
    is_distant = any(name in wanted for name in DISTANCE)
    is_far = is_far or is_distant
    name = f"headcount-foreign-{os.getpid()}"
    within = ("nsenter", f"--net=/run/netns/{name}", "--")
    with contextlib.ExitStack() as around:
        around.callback(_remove, name)
        _run(IP, "netns", "add", name)
        _run(IP, "-n", name, "link", "set", "lo", "up")
        host = LOOPBACK
        if is_distant:
            host = around.enter_context(_distance(name, wanted))
        elif is_far:
            host = _cable(name)
        if "ports" in wanted:
            text = f"{FIRST_PORT} {FIRST_PORT + int(wanted['ports']) - 1}"
            _run(*within, "sh", "-c", f"echo {text} > /proc/sys/net/ipv4/ip_local_port_range")
        if "mbit" in wanted:
            device = _devices()[1] if is_far else "lo"
            how = ["rate", f"{wanted['mbit']}mbit", "burst", "128kb", "latency", "100ms"]
            _run(*within, TC, "qdisc", "add", "dev", device, "root", "tbf", *how)
        yield Network(host, within, () if is_far else within)


def _cable(name: str) -> str:
    """Join a namespace to this machine; the address at its end."""
    near, far = _devices()
    here, there = ends(os.getpid(), _taken())
    _run(IP, "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
    for where, device, address in (([], near, here), (["-n", name], far, there)):
        _run(IP, *where, "addr", "add", f"{address}/{PREFIX}", "dev", device)
        _run(IP, *where, "link", "set", device, "up")
    return there


@contextlib.contextmanager
def _distance(name: str, wanted: Mapping[str, str]) -> Iterator[str]:
    """Join a namespace by a way that is long or loses packets; the address at its end."""
    here, there = ends(os.getpid(), _taken())
    way = [w for key, option in DISTANCE.items() if key in wanted for w in (option, wanted[key])]
    relay = subprocess.Popen(
        [sys.executable, "-m", "bench.foreign.distance", name, here, there, *way],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        if relay.stdout is None or relay.stdout.readline() != "ready\n":
            raise RuntimeError(f"no way into {name}: is there a /dev/net/tun?")
        yield there
    finally:
        relay.kill()
        relay.communicate()


def _taken() -> set[str]:
    return set(ADDRESS.findall(_run(IP, "-4", "-oneline", "addr", "show")))


def _devices() -> tuple[str, str]:
    """What the near and the far end of the cable are called."""
    return f"hcf{os.getpid()}a", f"hcf{os.getpid()}b"


def _remove(name: str) -> None:
    """Remove a namespace, its cable and all that still runs there, as far as they exist."""
    with contextlib.suppress(RuntimeError):
        for pid in _run(IP, "netns", "pids", name).split():  # logins outlive their sshd
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    # The cable goes at once; a namespace only when nothing in it is left, not even a connection.
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
