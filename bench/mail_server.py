"""How many people with mail are logged on to a real Dovecot at a time, and keep their day."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from bench.example import ROOT, build
from bench.figure import Figure
from bench.mail import day
from headcount.counters.proc import tree
from headcount.lab.mail import MailServer

USERS, COMPRESS, SECONDS = 10_000, "4", "60"
PACE = "the day in 2 h"
SETTINGS = {
    "client_limit": "200",
    "imap_processes": "2",
    "login_processes": "2",
    "front": "lmtp",
    "fsync": "never",
    "log": "off",
}
MOST_BYTES = 12 << 30
"""Of the server's memory; more would have the machine swap."""
MOST_S = 600.0
EVERY_S = 2.0


def mail_server() -> list[Figure]:
    """10,000 users of a Dovecot; nothing, with a message, if the machine cannot hold them."""
    program = build("mail", "day_cost")
    server = MailServer(SETTINGS)
    try:
        return _played(server, program)
    finally:
        server.stop()


def _played(server: MailServer, program: Path) -> list[Figure]:
    command = [str(program), "--users", str(USERS), "--compress", COMPRESS, "--seconds", SECONDS]
    command += ["--imap", server.address, "--lmtp", server.lmtp]
    environment = os.environ | {"HEADCOUNT_PASSWORD": server.password}
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        most_bytes, why = _watched(process, server.pids)
        output, _ = process.communicate()
    if why is not None:
        print(f"{USERS:,} users are too many for this machine: {why}", file=sys.stderr)
        return []
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    measured = json.loads(output)
    server_kib = most_bytes / 1024 / USERS
    return [
        *day(measured, f"{PACE}, Dovecot"),
        Figure("mail-server", "  memory of Dovecot", server_kib, "KiB/user"),
        Figure("mail-server", "  making their mailboxes", measured["prepare_s"], "s"),
    ]


def _watched(players: subprocess.Popen[str], server: list[int]) -> tuple[int, str | None]:
    """Wait for users to end, and end them if they take too much.

    Returns the most memory that the server had, the proportional share of all its processes, and
    why the users were ended, if they were.
    """
    most_bytes, deadline_s = 0, time.monotonic() + MOST_S
    while players.poll() is None:
        try:
            players.wait(EVERY_S)
        except subprocess.TimeoutExpired:
            found = tree.read_pss("/proc", tree.read("/proc", server, None))
            most_bytes = max(most_bytes, found or 0)
        why = None
        if most_bytes > MOST_BYTES:
            why = f"the server has more than {MOST_BYTES >> 30} GB"
        elif time.monotonic() > deadline_s:
            why = f"they took longer than {MOST_S:.0f} s"
        if why is not None:
            players.kill()
            return most_bytes, why
    return most_bytes, None
