"""What one operation on files costs, with a ring of the kernel and with threads."""

import json
from typing import Any

from bench.example import build, run
from bench.figure import Figure

SECONDS = "5"


def files() -> list[Figure]:
    """CPU per operation; for io_uring compared with threads."""
    program = build("files", "op_cost")
    rows: list[dict[str, Any]] = json.loads(run([program, "--seconds", SECONDS, "--json"]))
    cpu_us = {(row["mode"], row["users"], row["engine"]): row["cpu_us"] for row in rows}
    return [
        Figure(
            "files",
            f"{mode}, {users} users, {engine}",
            value,
            "µs CPU",
            cpu_us[mode, users, "threads"] if engine == "io_uring" else None,
            "threads",
        )
        for (mode, users, engine), value in cpu_us.items()
    ]
