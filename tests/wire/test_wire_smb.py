"""What the engine counts of requests and bytes is what an independent capture sees."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headcount import workloads

SCRIPT = Path(__file__).parent / "wire_played.py"
BLOCK = 16 * 1024


def played(workload: str) -> Any:
    # A namespace of one's own needs root; without it, a user namespace in which one is.
    namespace = (
        ["unshare", "--net"] if os.getuid() == 0 else ["unshare", "--net", "--map-root-user"]
    )
    command = [*namespace, sys.executable, str(SCRIPT), workload, "7"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_engine_counts_the_requests_that_tshark_sees() -> None:
    counts = played("home-folders")
    assert counts["sent"]["requests"] == counts["seen"]["requests"]
    # All that the workload has was played, or the test would show little.
    assert len(counts["sent"]["requests"]) == 15
    assert min(counts["sent"]["requests"].values()) >= 3


def test_copies_are_what_the_workload_says_they_are() -> None:
    counts = played("file-copy")
    sent, seen = counts["sent"], counts["seen"]
    assert sent == seen
    requests = seen["requests"]
    # A transaction opens one file, moves it in blocks of 16 KB and closes it.
    assert requests["CREATE"] == requests["CLOSE"] == counts["completed"] > 200
    assert requests["READ"] * BLOCK == seen["read_bytes"]
    assert requests["WRITE"] * BLOCK == seen["written_bytes"]
    uploads = requests["SET_INFO"]  # each sets its times once
    assert requests["QUERY_INFO"] + uploads == counts["completed"]
    # 64 KB or 1 MB each: whatever is more than 64 KB a transaction are large ones, 60 blocks each.
    for blocks, number in (("READ", requests["QUERY_INFO"]), ("WRITE", uploads)):
        large, rest = divmod(requests[blocks] - 4 * number, 60)
        assert rest == 0
        assert 0 <= large < number / 5
    # Which transactions were drawn decides the share of the bytes: four standard deviations.
    moved = seen["read_bytes"] + seen["written_bytes"]
    share, deviation = expected_share(counts["completed"])
    assert share == pytest.approx(0.8)
    assert seen["read_bytes"] / moved == pytest.approx(share, abs=4 * deviation)


def expected_share(number: int) -> tuple[float, float]:
    """The server's share of the bytes of so many transactions, and its standard deviation.

    That of a ratio of sums (Cochran, Sampling Techniques, 1977, 2.11).
    """
    weights, sizes, gets = [], [], []
    for scenario in workloads.load("file-copy").scenarios:
        size = 1 << 20 if scenario.name.endswith("-1m") else 64 << 10
        weights.append(scenario.weight)
        sizes.append(size)
        gets.append(size if scenario.name.startswith("get-") else 0)
    total = sum(weights)
    mean = sum(w * size for w, size in zip(weights, sizes, strict=True)) / total
    share = sum(w * got for w, got in zip(weights, gets, strict=True)) / total / mean
    variance = sum(
        w * (got - share * size) ** 2 for w, size, got in zip(weights, sizes, gets, strict=True)
    )
    return share, (variance / total / number) ** 0.5 / mean
