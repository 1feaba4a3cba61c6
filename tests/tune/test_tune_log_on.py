"""`headcount tune` where users take long to log on, on a real Dovecot."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from processes import Headcount

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]  # a level, and eight turns of 10 s
USERS = 60
KNOB = "service/imap-login/process_min_avail"


@pytest.fixture
def headcount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Headcount]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = Headcount(tmp_path)
    try:
        yield made
    finally:
        made.close()


def test_users_come_anew_in_each_turn_and_their_log_ons_are_measured(headcount: Headcount) -> None:
    ended = headcount.run(
        *("tune", "--target", "lab:mail?profile=stock", "--workload", "mail-imap-mix"),
        *("--limit", "cpu=0.2", "--scale", "0.1", "--goal", f"log-on@{USERS}", "--turn", "1s"),
        *("--budget", "1m", "--trials", "1", "--knob", KNOB, "--seed", "1", "--json"),
    )
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert (found["goal"], found["measure"]) == ("log-on", "mean time to log on")
    assert found["ending"] == "finished"
    folder = Path(found["bundle"])
    levels = reader.load(folder).levels
    assert levels
    waited_s = recomputed_s(reader.load(folder).seconds)
    for one in levels:
        # All users come anew in each turn, and the figure follows from the seconds.
        assert one.log_on_s == pytest.approx(waited_s[one.index] / one.users), one.index
    rests = {one["level"] for one in reader.load(folder).seconds if one["phase"] == "rest"}
    assert rests >= {one.index for one in levels[:-1]}
    text = headcount.run("show", str(folder))
    assert text.code == 0, text.err
    report = headcount.run("report", str(folder))
    assert report.code == 0, report.err


def recomputed_s(seconds: list[dict[str, object]]) -> dict[int, float]:
    """The time that users spent logging on in each level's ramp: an area of trapezoids."""
    found: dict[int, float] = {}
    before = 0.0
    for one in seconds:
        now, length_s = float(str(one["logging_on"])), float(str(one["seconds"]))
        if one["phase"] == "ramp":
            level = int(str(one["level"]))
            found[level] = found.get(level, 0.0) + (before + now) / 2 * length_s
        before = now
    return found
