"""Figures that Dovecot 2.3 reports: its metrics, and the processes of its services.

Read from its own sockets, which starts no process and takes up no session. Metrics:
https://doc.dovecot.org/2.3/configuration_manual/stats/ (what `doveadm stats dump` asks); services:
what `doveadm service status` asks of the master process.
"""

import socket
from collections.abc import Mapping
from pathlib import Path

PATIENCE_S = 0.5
"""A busy server may not answer in time; then this second has no figures."""
HELLO = b"VERSION\tstats-reader-client\t2\t0\nDUMP\tcount\tsum\n"
"""Asks for the count and the total microseconds of each metric."""
SERVICES = b"VERSION\tmaster-client\t1\t0\nSERVICE-STATUS\n"
MOST_BYTES = 65_536
"""Most bytes of an answer, which has a line for each of a few metrics or services."""
END = b"\n\n"
"""An answer ends with an empty line."""
SERVED = ("imap-login", "imap", "lmtp")
"""Services whose processes users wait for."""

_COUNTED = {
    "deliveries": "mail.deliveries",
    "logins": "mail.logons",
    "commands": "dovecot.commands",
    "auths": "dovecot.auths",
}
_TIMED = {
    "deliveries": "dovecot.delivery.duration",
    "commands": "dovecot.command.duration",
    "auths": "dovecot.auth.duration",
}
_US_PER_MS = 1000.0

Metrics = Mapping[str, tuple[int, int]]
"""Count and total microseconds, by metric."""


def response(path: Path, question: bytes) -> str:
    """The answer at a socket; raises OSError, including TimeoutError."""
    text = b""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(PATIENCE_S)
        asking.connect(str(path))
        asking.sendall(question)
        while not text.endswith(END) and len(text) < MOST_BYTES:
            piece = asking.recv(MOST_BYTES)
            if not piece:
                break
            text += piece
    return text.decode("utf-8", errors="replace")


def metrics(text: str) -> Metrics:
    """Parse the answer to :data:`HELLO`; empty where it is another text."""
    found = {}
    for line in text.splitlines():
        name, *numbers = line.split("\t")
        if len(numbers) >= 2 and all(number.isdecimal() for number in numbers[:2]):
            found[name] = (int(numbers[0]), int(numbers[1]))
    return found if {"deliveries", "logins", "logouts"} <= found.keys() else {}


def gauges(now: Metrics) -> dict[str, float]:
    """Open sessions; absent if logons and logoffs arrived out of order."""
    if not now or now["logins"][0] < now["logouts"][0]:
        return {}
    return {"mail.sessions": now["logins"][0] - now["logouts"][0]}


def delta(before: Metrics, now: Metrics, elapsed_s: float) -> dict[str, float]:
    """Events per second, and their mean time; empty after a restart."""
    names = before.keys() & now.keys()
    if elapsed_s <= 0 or any(now[name][0] < before[name][0] for name in names):
        return {}
    values: dict[str, float] = {}
    for name in names:
        many, took_us = now[name][0] - before[name][0], now[name][1] - before[name][1]
        if name in _COUNTED:
            values[_COUNTED[name]] = many / elapsed_s
        if name in _TIMED and many and took_us >= 0:
            values[_TIMED[name]] = took_us / many / _US_PER_MS
    return values


def services(text: str) -> dict[str, float]:
    """Parse the answer to :data:`SERVICES`: processes at work, and how many there may be.

    A line has the name, the processes, how many of them accept another client, the most processes,
    the most clients per process, and more.
    """
    values: dict[str, float] = {}
    for line in text.splitlines():
        name, *words = line.split("\t")
        numbers = [int(word) for word in words[:4] if word.isdecimal()]
        if name not in SERVED or len(numbers) != 4:
            continue
        many, free, most, clients = numbers
        values[f"dovecot.processes.busy{{dovecot.service={name}}}"] = max(0, many - free)
        values[f"dovecot.processes.limit{{dovecot.service={name}}}"] = most
        if name == "imap":
            values["mail.sessions.limit"] = most * clients
    return values
