"""A script played faster than life on a real server; and log-on when users join."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from processes import Headcount

pytestmark = pytest.mark.e2e

LIGHT = Path(__file__).with_name("light.toml").read_text("utf-8")
SCRIPT = """
[script]
loops = [["exchange", "read"], ["read", "read", "exchange"]]

[[scenarios]]
name = "exchange"
limit = "500ms"
pause = { draw = "fixed", mean = "3s" }
steps = [{ name = "exchange", op = "client-server", request_bytes = 1024 }]

[[scenarios]]
name = "read"
limit = "500ms"
pause = { draw = "uniform", low = "1s", high = "2s" }
steps = [{ name = "read", op = "read", bytes = 4096 }]
"""
USERS = 20


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("script"))
    yield command
    command.close()


def test_users_follow_the_script_faster_than_life(headcount: Headcount) -> None:
    path = headcount.home / "scripted.toml"
    path.write_text(LIGHT.partition("[[scenarios]]")[0] + SCRIPT, "utf-8")
    ended = headcount.run(
        *("run", str(path), "--target", "lab:app", "--users", str(USERS), "--compress", "10"),
        *("--duration", "3s", "--settle", "1s", "--ramp", "1s", "--seed", "1"),
    )
    assert ended.code in (0, 4), ended  # a busy machine may make a level invalid
    assert "played 10 times faster than life: every pause was divided by 10" in ended.out
    found = reader.load(headcount.bundles()[-1])
    (level,) = found.levels
    exchanges, reads = (scenario.completed for scenario in level.scenarios)
    # Two exchanges and three reads a round; each user may be anywhere in its round.
    assert exchanges + reads > 10 * USERS
    assert abs(reads - 1.5 * exchanges) <= 2 * USERS
    # Pauses of 3 s and 1.5 s, ten times faster: (2 x 0.3 + 3 x 0.15) / 5.
    assert level.think_mean_s == pytest.approx(0.21, rel=0.1)
    assert found.plan.workload.run.compress == 10
    assert any("times faster than life" in flag for flag in found.verdict.flags)  # type: ignore[union-attr]
    assert "times faster than life" in (found.folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(("log_on", "sessions"), [("join", USERS), ("first-scenario", 0)])
def test_users_log_on_when_they_join(headcount: Headcount, log_on: str, sessions: int) -> None:
    path = headcount.home / f"{log_on}.toml"
    path.write_text(LIGHT.replace("[run]", f'[run]\nlog_on = "{log_on}"'), "utf-8")
    headcount.run(
        *("run", str(path), "--target", "lab:app", "--users", str(USERS), "--think", "24h"),
        *("--duration", "1s", "--settle", "1s", "--ramp", "1s", "--seed", "1"),
    )
    seconds = reader.load(headcount.bundles()[-1]).seconds
    assert sum(second["sessions_opened"] for second in seconds) == sessions
    assert sum(each["started"] for s in seconds for each in s["scenarios"].values()) == 0


def test_settling_is_prolonged_while_nothing_is_steady(headcount: Headcount) -> None:
    path = headcount.home / "strict.toml"
    run = '[run]\nsteady = "required"'
    # Nobody does anything in a day's pause, and so nothing is broken either.
    text = LIGHT.replace("[run]", run).replace('settle = "0s"', 'settle = "3s"')
    path.write_text(text.replace('"errors<50%"', '"mean<=1h"'), "utf-8")
    headcount.run(
        *("run", str(path), "--target", "lab:app", "--users", "4", "--seed", "1"),
        *("--duration", "1s", "--ramp", "0s", "--think", "24h"),
    )
    (level,) = reader.load(headcount.bundles()[-1]).levels
    assert 11 <= level.settle_s <= 14
    assert level.outcome != "passed"
