"""What one SMB operation costs the client, beside Samba's own load generator."""

import json
from pathlib import Path
from typing import Any

from bench.example import build, run
from bench.figure import Figure

TARGETS_US = {"unsigned": 14.0, "AES-GMAC": 20.0}
"""CPU for an operation, in µs, with 100 users."""
USERS = 100
TARGET_KIB = 8.0
SECONDS = "6"


def smb() -> list[Figure]:
    """CPU for an operation and memory for a user; the same loop in smbtorture."""
    program = build("smb", "op_cost")
    return [*_costs(program), *_memory(program), _peer(program)]


def _costs(program: Path) -> list[Figure]:
    rows: list[dict[str, Any]] = _case(program, "cost")
    return [
        Figure(
            "smb",
            f"{row['name']}, {row['users']} users",
            row["cpu_us"],
            "µs CPU",
            TARGETS_US.get(row["name"]) if row["users"] == USERS else None,
        )
        for row in rows
    ]


def _memory(program: Path) -> list[Figure]:
    figures = []
    for case in ("memory", "encrypted-memory"):
        found: dict[str, Any] = _case(program, case)
        name = f"resident, {found['users']:,} users, {found['name']}"
        figures.append(Figure("smb", name, found["played_kib"], "KiB/user", TARGET_KIB))
    return figures


def _peer(program: Path) -> Figure:
    found: dict[str, Any] = _case(program, "peer")
    name = f"open and close, {found['connections']} connections"
    return Figure("smb", name, found["ours_us"], "µs CPU", found["peer_us"], "smbtorture")


def _case(program: Path, case: str) -> Any:
    return json.loads(run([program, case, "--seconds", SECONDS, "--json"]))
