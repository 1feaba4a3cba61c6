"""Servers that die, freeze or lose data while they are measured."""

import re
import time
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest
from recomputed import Steady, above

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from processes import Headcount, phase

pytestmark = pytest.mark.e2e

LIGHT = str(Path(__file__).with_name("light.toml"))
BLOCK = 4096


def only_level(headcount: Headcount) -> LevelResult:
    (level,) = reader.load(headcount.bundles()[-1]).levels
    return level


def test_a_server_that_dies(headcount: Headcount, tmp_path: Path) -> None:
    server, target = headcount.serve(tmp_path / "data")
    options = ("--users", "4", "--duration", "4s", "--json")
    run = headcount.start("run", LIGHT, "--target", target, *options)
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    server.kill()
    ended = run.ended()
    assert ended.code == 3
    assert "stopped answering during level 1 at 4 users" in ended.message
    assert f"headcount resume {headcount.bundle}" in ended.message.replace("\n", "")
    level = only_level(headcount)
    assert level.outcome == "failed"
    faults = {fault.kind: fault for fault in level.faults}
    assert {"disconnected", "connect"} <= set(faults)
    assert all(fault.count > 0 and fault.examples for fault in faults.values())
    assert sum(fault.count for fault in level.faults) == level.total.failed
    found = reader.load(headcount.bundle)
    assert found.verdict is not None
    assert found.verdict.outcome == "unfinished"
    assert found.verdict.broke_first is not None
    assert headcount.run("report", str(headcount.bundle)).code == 0
    report = (headcount.bundle / "report.html").read_text("utf-8")
    assert "disconnected" in report
    assert faults["connect"].examples[0] in report


def test_a_frozen_server_does_not_hide_waiting_users(headcount: Headcount, tmp_path: Path) -> None:
    server, target = headcount.serve(tmp_path / "data")
    options = ("--users", "4", "--pace", "exponential:200ms", "--duration", "8s")
    limits = "p99<=500ms overload<10%"
    run = headcount.start("run", LIGHT, "--target", target, *options, "--criteria", limits)
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    server.send(SIGSTOP)
    time.sleep(3)
    server.send(SIGCONT)
    assert run.ended().code in (1, 4)
    level = only_level(headcount)
    response, service = level.total.response, level.total.service
    assert response is not None
    assert service is not None
    assert level.total.failed == 0
    # Scenarios that fell due while it was frozen waited up to three seconds, and that counts ...
    assert response.max_ms > 2_500
    assert response.p99_ms > 2_000
    assert level.total.overload is not None
    assert level.total.overload > 0.2
    assert [result.passed for result in level.criteria] == [False, False]
    steady = Steady(headcount.bundle, 1)
    delayed = above(steady.histogram("response", steady.names), 500_000)
    assert delayed > 0.2 * response.count
    # ... although only the four under way were slow on their connections.
    assert above(steady.histogram("service", steady.names), 500_000) <= 8
    # Everything that fell due was played all the same.
    assert level.total.due == pytest.approx(4 * 8 / 0.2, rel=0.3)
    assert level.total.completed > 0.8 * level.total.due


def test_data_that_changes_behind_the_servers_back(headcount: Headcount, tmp_path: Path) -> None:
    data = tmp_path / "data"
    _, target = headcount.serve(data)
    options = ("--target", target, "--users", "2", "--seed", "5")
    assert headcount.run("prepare", LIGHT, *options).code == 0
    victim = data / "client-000001.dat"
    damage(victim)
    strict = (*options, "--duration", "3s", "--criteria", "errors<1%")
    ended = headcount.run("run", LIGHT, *strict)
    assert ended.code == 1, ended
    level = only_level(headcount)
    (fault,) = level.faults
    assert fault.kind == "wrong-data"
    assert fault.step == "read"
    assert fault.count == level.total.failed > 0
    places = [re.search(r"file 1 at offset (\d+)", example) for example in fault.examples]
    damaged = range(BLOCK, victim.stat().st_size - BLOCK, BLOCK)
    assert places
    assert all(place and int(place[1]) in damaged for place in places)
    mended = headcount.run("prepare", LIGHT, *options, "--verify")
    assert mended.code == 0
    assert headcount.run("run", LIGHT, *strict).code in (0, 4)
    assert only_level(headcount).faults == []


def damage(path: Path) -> None:
    """Change a byte of every block but the first and the last, which a server checks itself."""
    content = bytearray(path.read_bytes())
    for block in range(1, len(content) // BLOCK - 1):
        content[block * BLOCK + 100] ^= 0xFF
    path.write_bytes(content)
