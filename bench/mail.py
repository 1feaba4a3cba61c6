"""What mail costs the client, beside async-imap and smtp-source; and many users and their day."""

import json
from typing import Any

from bench.example import build, run
from bench.figure import Figure
from bench.machine import urgent
from bench.tools import found

COMMANDS = {
    "login+select": "log on, select",
    "NOOP": "NOOP",
    "FETCH headers": "fetch 12 headers",
    "FETCH message": "fetch 4.5 KB",
}
SIZES = {1024: "1 KB", 4096: "4 KB", 40_960: "40 KB"}
SESSIONS = "1000"
SESSION_KIB = 5.0
"""Resident memory of a session; a tenth of what a process for it would take."""
ROUNDS, MESSAGES = "3", "10000"
USERS, SECONDS = "10000", "60"
LATENESS_MS = 10.0
PACES = {"1": "the day in 8 h", "24": "the day in 20 min"}
"""How many times as fast the day passes."""
LONGEST_S = 900.0


def mail() -> list[Figure]:
    """CPU as ratios to peers' in the same round, memory for a session, and a day of 10,000."""
    return [*_imap(), *_smtp(), *_days()]


def _imap() -> list[Figure]:
    options = ["--rounds", ROUNDS, "--sessions", SESSIONS, "--json"]
    measured: dict[str, Any] = json.loads(run([build("mail", "imap_cost"), *options], LONGEST_S))
    figures = []
    for row in measured["cost"]["rows"]:
        name = COMMANDS[row["command"]]
        theirs_us, ratio = row["async_imap_us"]["median"], row["ratio"]["median"]
        name = f"{name} (its {theirs_us:.0f} µs)"
        figures.append(Figure("mail", name, ratio, "of its CPU", 1.0, "async-imap"))
    kib = {row["name"]: row["session_kib"] for row in measured["memory"]}
    name, ours = f"{int(SESSIONS):,} sessions: memory", kib["headcount"]
    figures.append(Figure("mail", name, ours, "KiB each", SESSION_KIB))
    figures.append(Figure("mail", "  the same", ours, "KiB each", kib["async-imap"], "async-imap"))
    return figures


def _smtp() -> list[Figure]:
    if not found(("smtp-source",)):
        return []
    options = ["--rounds", ROUNDS, "--messages", MESSAGES, "--json"]
    rows: list[dict[str, Any]] = json.loads(run([build("mail", "smtp_cost"), *options], LONGEST_S))
    figures = []
    for row in rows:
        kept = "kept" if row["kept"] else "one each"
        size, theirs_us = f"{SIZES[row['bytes']]} to {row['recipients']}", row["source_us"]
        name = f"{row['sink']}, {size}, {kept} (its {theirs_us:.0f} µs)"
        figures.append(Figure("mail", name, row["ratio"], "of its CPU", 1.0, "smtp-source"))
    return figures


def _days() -> list[Figure]:
    prefix, program = urgent(), build("mail", "day_cost")
    figures = []
    for compress, pace in PACES.items():
        options = ["--users", USERS, "--compress", compress, "--seconds", SECONDS]
        figures += day(json.loads(run([*prefix, program, *options], LONGEST_S)), pace)
    return figures


def day(measured: dict[str, Any], pace: str) -> list[Figure]:
    """What the example `day_cost` measured; raises RuntimeError if its users met with errors."""
    if measured["faults"]:
        raise RuntimeError(f"users of mail met with errors: {measured['faults'][0]}")
    users = f"{measured['logged_on']:,} users, {pace}"

    def figure(name: str, value: float, unit: str, target: float | None = None) -> Figure:
        return Figure("mail", name, value, unit, target)

    late_ms = measured["lateness_p99_us"] / 1e3
    return [
        figure(f"{users}: lateness p99", late_ms, "ms", LATENESS_MS),
        figure("  the same, worst", measured["lateness_max_us"] / 1e3, "ms"),
        figure("  CPU", measured["cpu_share_of_a_core"], "of a core"),
        figure("  CPU for a scenario", measured["cpu_us_per_scenario"], "µs CPU"),
        figure("  memory", measured["played_kib"], "KiB/user", SESSION_KIB),
        figure("  scenarios", measured["scenarios_per_s"], "/s"),
        figure("  messages sent", measured["sent_per_s"], "/s"),
        figure("  messages read and checked", measured["read_per_s"], "/s"),
    ]
