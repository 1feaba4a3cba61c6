"""Runs killed at any moment: what was measured is kept, nothing is left running, it can resume."""

import itertools
import json
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP
from typing import Any

import pytest
from recomputed import Steady, read_log

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from processes import Command, Ended, Headcount, lines, wait_for

pytestmark = pytest.mark.e2e

LIGHT = Path(__file__).with_name("light.toml")
LEVELS = [2, 4, 6]
LASTING = ("--duration", "1s")
"""A level then has two seconds, one of which is its ramp's."""


def event(name: str, level: int) -> Callable[[Path], bool]:
    """Whether something has happened in a run."""
    return lambda bundle: any(
        (found["event"], found.get("level")) == (name, level)
        for found in lines(bundle / "events.ndjson")
    )


def seconds_of(bundle: Path, level: int) -> list[Any]:
    """The seconds of a level that are written."""
    return [second for second in lines(bundle / "series.ndjson") if second["level"] == level]


LAST = "after the last level"
RANDOM = random.Random(20)
MOMENTS = {
    "as soon as there is a plan": (lambda bundle: (bundle / "plan.toml").exists(), 0.0),
    "in the first level": (event("level-start", 1), RANDOM.uniform(0, 2)),
    "as the first level ends": (event("level-end", 1), 0.0),
    "in the second level": (event("level-start", 2), RANDOM.uniform(0, 2)),
    "in the third level": (event("level-start", 3), RANDOM.uniform(0, 1)),
    "with a second of the third level": (lambda bundle: seconds_of(bundle, 3) != [], 0.0),
    LAST: (event("level-end", 3), 0.0),
}
"""After what, and how many seconds later."""


@dataclass
class Killed:
    """A run that was killed, its files at that moment, and what became of it when it resumed."""

    headcount: Headcount
    bundle: Path
    files: dict[str, bytes]
    shown: Ended
    listed: Ended
    reported: Ended
    resumed: Ended

    def lines(self, name: str) -> list[Any]:
        """The whole lines of a file when it was killed."""
        whole = self.files.get(name, b"").split(b"\n")[:-1]
        return [json.loads(line) for line in whole]

    @property
    def levels(self) -> list[Any]:
        """The levels that were finished when it was killed."""
        file = self.files.get("levels.json")
        return reader.Levels.model_validate_json(file).levels if file else []


def advance(run: Command, condition: Callable[[], bool]) -> None:
    """Let a run go on in steps until a condition holds, and leave it stopped there.

    After its last level a run ends so soon that this test could miss it on a busy machine.
    """
    for _ in range(1000):
        run.send(SIGSTOP)
        if condition():
            return
        run.send(SIGCONT)
        time.sleep(0.02)
    raise AssertionError("not reached")


def play(headcount: Headcount, moment: str) -> Killed:
    """Start a run, kill it, look at what is left, and resume it."""
    reached, later_s = MOMENTS[moment]
    levels = ",".join(str(users) for users in LEVELS)
    run = headcount.start("run", str(LIGHT), "--target", "lab:app", "--levels", levels, *LASTING)
    if moment == LAST:
        run.reach(lambda: headcount.bundles() and seconds_of(headcount.bundle, len(LEVELS)))
        advance(run, lambda: reached(headcount.bundle))
    run.reach(lambda: headcount.bundles() and reached(headcount.bundle))
    time.sleep(later_s)
    run.send(SIGKILL)
    run.ended()
    bundle = headcount.bundle
    return Killed(
        headcount=headcount,
        bundle=bundle,
        files={path.name: path.read_bytes() for path in bundle.iterdir()},
        shown=headcount.run("show", str(bundle)),
        listed=headcount.run("runs", "--json"),
        reported=headcount.run("report", str(bundle), "--output", str(headcount.home / "r.html")),
        resumed=headcount.run("resume", str(bundle), "--json"),
    )


@pytest.fixture(scope="module")
def all_killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Killed]]:
    commands = [Headcount(tmp_path_factory.mktemp("killed")) for _ in MOMENTS]
    try:
        with ThreadPoolExecutor(len(MOMENTS)) as pool:
            yield dict(zip(MOMENTS, pool.map(play, commands, MOMENTS), strict=True))
    finally:
        for command in commands:
            command.close()


@pytest.fixture(params=MOMENTS)
def killed(request: pytest.FixtureRequest, all_killed: dict[str, Killed]) -> Killed:
    return all_killed[request.param]


def test_no_second_is_missing_before_the_last(killed: Killed) -> None:
    seconds = killed.lines("series.ndjson")
    for before, after in itertools.pairwise(seconds):
        assert after["t_s"] - after["seconds"] == pytest.approx(before["t_s"], abs=1e-5)
    ended = [one["level"] for one in killed.lines("events.ndjson") if one["event"] == "level-end"]
    for level in ended:
        assert any(second["level"] == level for second in seconds)


def test_seconds_are_written_while_their_level_is_under_way(
    all_killed: dict[str, Killed],
) -> None:
    early = []
    for moment, killed in all_killed.items():
        levels = {second["level"] for second in killed.lines("series.ndjson")}
        if max(levels, default=0) > len(killed.levels):
            early.append(moment)
    assert early


def test_a_killed_run_is_shown_and_listed(killed: Killed) -> None:
    assert killed.shown.code == 0
    assert f"headcount resume {killed.bundle}" in killed.shown.out.replace("\n", "")
    (row,) = killed.listed.json
    assert row["bundle"] == str(killed.bundle)
    assert row["outcome"] == "unfinished"
    for level in killed.levels:
        assert f"\n{level.users:>5} " in killed.shown.out


def test_a_killed_run_can_be_reported(killed: Killed) -> None:
    if "environment.json" in killed.files:
        assert killed.reported.code == 0
        assert "<html" in (killed.headcount.home / "r.html").read_text("utf-8")
    else:
        assert killed.reported.code == 2
        assert "headcount resume" in killed.reported.message


def test_a_killed_run_is_resumed_to_its_end(killed: Killed) -> None:
    assert killed.resumed.code in (0, 4), killed.resumed
    found = reader.load(killed.bundle)
    assert [level.users for level in found.levels] == LEVELS
    assert found.environment is not None
    assert found.verdict is not None
    assert found.verdict.outcome in ("passed", "invalid")
    assert killed.resumed.json["report"] == str(killed.bundle / "report.html")
    assert "<html" in (killed.bundle / "report.html").read_text("utf-8")


def test_finished_levels_are_kept_as_they_were(killed: Killed) -> None:
    now: list[LevelResult] = reader.load(killed.bundle).levels
    assert now[: len(killed.levels)] == killed.levels
    before = killed.files.get("series.ndjson", b"").splitlines(keepends=True)
    after = (killed.bundle / "series.ndjson").read_bytes().splitlines(keepends=True)
    finished = len(killed.levels)
    for old, new in zip(before, after, strict=False):
        if b'"level":%d,' % (finished + 1) not in old and old.endswith(b"\n"):
            assert new == old


def test_no_level_has_the_seconds_of_two_attempts(killed: Killed) -> None:
    for number, level in enumerate(reader.load(killed.bundle).levels, start=1):
        steady = Steady(killed.bundle, number)
        assert steady.sum("completed", steady.names) == level.total.completed
        assert steady.length_s == pytest.approx(level.steady_s, abs=1e-4)
    assert read_log(killed.bundle / "histograms.hlog")


def test_nothing_is_left_behind(killed: Killed) -> None:
    wait_for(lambda: not killed.headcount.servers())
    wait_for(lambda: not killed.headcount.leftovers())


def test_a_finished_run_is_not_resumed(all_killed: dict[str, Killed]) -> None:
    killed = all_killed["in the second level"]
    again = killed.headcount.run("resume", str(killed.bundle))
    assert again.code == 2
    assert "is finished" in again.message
    assert f"headcount run {killed.bundle}" in again.message.replace("\n", "")


def test_a_run_under_way_is_not_resumed(headcount: Headcount) -> None:
    # A level that lasts until it is interrupted: however long the second command takes to start.
    options = ("--users", "2", "--duration", "150s")
    run = headcount.start("run", str(LIGHT), "--target", "lab:app", *options)
    run.reach(lambda: headcount.bundles() and event("level-start", 1)(headcount.bundle))
    resumed = headcount.run("resume", str(headcount.bundle))
    assert run.process.poll() is None
    assert resumed.code == 2
    assert "another process is writing" in resumed.message
    run.send(SIGINT)
    assert run.ended().code == 130
    assert reader.load(headcount.bundle).verdict is not None
