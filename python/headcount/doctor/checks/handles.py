"""How many connections this process can have: open files and local ports."""

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok, stopping
from headcount.generator.handles import most_users
from headcount.lab.app import LEAST_HANDLES
from headcount.text import count, significant

PLENTY = 65_536
"""The limit that the fix sets: as many handles as there are ports."""
ENOUGH_USERS = 5_000
"""A limit of handles below that many users is reported. Our choice."""
USUAL_PORTS = 28_232
"""Ports of the kernel's default range, 32768 to 60999 (ip-sysctl.rst)."""
TIME_WAIT_S = 60
"""How long a closed connection keeps its port (`TCP_TIMEWAIT_LEN` of include/net/tcp.h)."""
REUSED_AFTER_S = 1
"""The same with tcp_tw_reuse=1 (ip-sysctl.rst)."""
PORT_RANGE, REUSE = "net.ipv4.ip_local_port_range", "net.ipv4.tcp_tw_reuse"


def open_files(machine: Machine) -> Outcome:
    """How many users the limit of file handles allows."""
    hard = machine.own_limits.open_files_hard  # Headcount raises the soft limit itself
    if hard is None:
        return ok("no limit", "Ports and memory limit the number of users.")
    users = most_users(hard)
    read = f"{count(hard)}, enough for {count(users)} users at once"
    if hard < LEAST_HANDLES:
        return stopping(
            f"{count(hard)} at most",
            f"lab:app alone needs {count(LEAST_HANDLES)}.",
            _raise(machine),
        )
    if users < ENOUGH_USERS:
        return limited(read, "A run with more users ends with an error.", _raise(machine))
    return ok(read, "Searches rarely need more.")


def _raise(machine: Machine) -> str:
    if machine.virtual.container is not None:
        return f"start the container with --ulimit nofile={PLENTY}"
    return machine.as_root(f"prlimit --nofile={PLENTY} --pid $$")


def local_ports(machine: Machine) -> Outcome:
    """How many connections one address of a server can have, and how many a second."""
    words = (machine.kernel.settings[PORT_RANGE] or "").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return limited("not readable", "A run with more users than ports ends with an error.")
    low, high = map(int, words)
    ports = max(high - low + 1, 0)
    reuses = machine.kernel.settings[REUSE] == "1"
    rate = ports / (REUSED_AFTER_S if reuses else TIME_WAIT_S)
    read = f"{count(ports)} users and {significant(rate)} new connections/s to one address"
    wide = f'sysctl {PORT_RANGE}="1024 65535"'
    if ports < USUAL_PORTS:
        return limited(read, "A run with more users ends with an error.", machine.as_root(wide))
    return ok(read, "Searches rarely need more.")
