"""Users of a lab server who are far away: what they see, and what a killed run leaves: nothing."""

import json
import os
from pathlib import Path
from signal import SIGKILL

import pytest

from headcount.bundle import reader
from processes import Command, Headcount, lines, phase, processes_with, wait_for

pytestmark = pytest.mark.e2e

LATENCY_MS = 15.0
RUN = ("run", "web-static", "--target", "lab:nginx", "--limit", "latency=15ms")
SHORT = ("--ramp", "200ms", "--settle", "500ms", "--json")
NAMESPACES, DEVICES = Path("/run/netns"), Path("/sys/class/net")


def line_of(run: Command) -> int | None:
    """The process of a run's delay line."""
    found = processes_with(f"\0hc{run.process.pid}-1\0")
    carriers = [pid for pid in found if b"squeeze.line" in _command(pid)]
    return carriers[0] if carriers else None


def _command(pid: int) -> bytes:
    file = Path(f"/proc/{pid}/cmdline")
    return file.read_bytes() if file.exists() else b""


def network_of(run: Command) -> list[Path]:
    """The namespace and the device of a run."""
    pid = run.process.pid
    return [NAMESPACES / f"headcount-{pid}-1", DEVICES / f"hc{pid}-1"]


def under_way(headcount: Headcount) -> Command:
    """A run in the measured part of its level."""
    run = headcount.start(*RUN, "--users", "4", "--duration", "60s", *SHORT)
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    return run


def test_users_see_the_latency_and_the_report_says_what_it_cost(headcount: Headcount) -> None:
    ended = headcount.run(*RUN, "--levels", "2,6", "--duration", "3s", *SHORT)
    assert ended.code == 0, ended
    bundle = reader.load(headcount.bundle)
    assert [level.users for level in bundle.levels] == [2, 6]
    for level in bundle.levels:
        assert level.total.response
        # A packet leaves at most 0.2 ms early each way, to make up for the time of waking up.
        assert level.total.response.p50_ms >= LATENCY_MS - 0.4
        assert level.total.response.p50_ms < 4 * LATENCY_MS
        figures = level.counters["line"]
        assert 0 < figures["process.cpu.utilization"].mean < 1
        # Each request has packets both ways.
        assert figures["line.packets"].mean > 2 * level.achieved_per_s
        assert figures["line.lost"].max == figures["line.dropped"].max == 0
        assert figures["line.lateness"].mean < 5
    assert bundle.environment
    stated = json.dumps([side.settings for side in bundle.environment.sides])
    assert '"limit of latency": "15ms"' in stated


def test_nothing_is_left_of_a_run_that_is_killed(headcount: Headcount) -> None:
    run = under_way(headcount)
    carrier, network = line_of(run), network_of(run)
    assert carrier
    assert all(one.exists() for one in network)
    run.send(SIGKILL)
    wait_for(lambda: not any(one.exists() for one in (*network, Path(f"/proc/{carrier}"))))


def test_a_run_whose_line_ends_is_an_error(headcount: Headcount) -> None:
    run = under_way(headcount)
    carrier, network = line_of(run), network_of(run)
    assert carrier
    wait_for(lambda: lines(headcount.bundle / "series.ndjson"))
    os.kill(carrier, SIGKILL)
    ended = run.ended(30)
    assert ended.code == 5
    text = " ".join(ended.message.split())
    assert "the delay line between the users and the server has ended" in text
    assert not any(one.exists() for one in network)
