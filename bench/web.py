"""What one HTTP request costs the client, and one connection, beside wrk, h2load, oha and k6."""

import json
from typing import Any

from bench.example import build, run
from bench.figure import Figure
from bench.tools import found

PEERS = ("wrk", "h2load", "oha", "k6")
TARGETS = {("k1", True): 0.88, ("k16", True): 0.82, ("k128", True): 0.5, ("k1", False): 1.0}
"""What share of wrk's CPU a request shall take at most: page, and whether connections are kept."""
PAGES = {"k1": "1 KB", "k16": "16 KB", "k128": "128 KB"}
OURS = {
    "client": "the client alone",
    "engine": "in the engine",
    "checked": "in the engine, checked",
}
ROUNDS, SECONDS = "5", "2"
LONGEST_S = 600.0


def web() -> list[Figure]:
    """CPU for a request, as a ratio to wrk's in the same round, and memory for a connection."""
    found(PEERS)
    program = build("http", "get_cost")
    options = ["--rounds", ROUNDS, "--seconds", SECONDS, "--json"]
    measured: dict[str, Any] = json.loads(run([program, *options], LONGEST_S))
    costs = [figure for case in measured["cost"] for figure in _costs(case)]
    return [*costs, *_memory(measured["memory"])]


def _costs(case: dict[str, Any]) -> list[Figure]:
    kept = "kept" if case["keep_alive"] else "one each"
    page = f"{PAGES[case['class']]}, {kept}"
    sides = {side["name"]: side for side in case["sides"]}
    wrk_us = sides["wrk"]["us"]["median"]
    figures = [Figure("web", f"{page}: wrk", wrk_us, "µs CPU")]
    target = TARGETS[case["class"], case["keep_alive"]]
    for name, side in sides.items():
        if name == "wrk":
            continue
        ours = OURS.get(name)
        title = f"{page}: {ours or name}"
        limit = target if name == "client" else None
        figures.append(Figure("web", title, side["ratio"]["median"], "of wrk's", limit))
    return figures


def _memory(rows: list[dict[str, Any]]) -> list[Figure]:
    lowest = min(row["connection_kib"] for row in rows if row["name"] in PEERS)
    return [
        Figure(
            "web",
            f"{row['users']:,} connections: {row['name']}",
            row["connection_kib"],
            "KiB each",
            lowest if row["name"] == "http" else None,
            "the leanest",
        )
        for row in rows
    ]
