"""A day of LoadSim's Light users on a real server comes to what the model of the profile says."""

import json
from importlib import resources
from math import sqrt
from pathlib import Path

import pytest

from headcount import _engine
from headcount.bundle import reader
from headcount.bundle.reader import Bundle
from mail_office import MailOffice, serving, visitor
from processes import Headcount

pytestmark = pytest.mark.e2e

USERS, COMPRESS, SPEED, DURATION_S = 40, 1000, 4, 5
"""Pauses are `SPEED` times as short as the workload's, whose own can be compressed 1000 times."""
SETTLE_S = 3
"""Replies come at their rate when mail has been answered that was: people look five times a day,
and an answer brings two fifths of another, so the rate is reached within exp(-0.6 * 5 * days)."""
DAY_S = 8 * 3600
SPREAD = 4.0
"""Standard deviations of a count that are allowed: chance exceeds them once in 16,000."""
LOOKS_A_DAY = 5


def fast(folder: Path, speed: float) -> Path:
    """The workload with faster days."""
    text = (resources.files("headcount.workloads") / "mail-light.toml").read_text("utf-8")
    changes = {
        'mean = "1200.0s"': f'mean = "{1200 / speed}s"',
        # Old mail is created before the run; here it matters only that there is some.
        "folders = 20,": "folders = 2,",
    }
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / "mail-light.toml"
    path.write_text(text, "utf-8")
    return path


def run_of_days(headcount: Headcount, office: MailOffice, folder: Path, slower: int) -> Bundle:
    """A run of the same days, slower by this factor."""
    ended = headcount.run(
        *("run", str(fast(folder, SPEED / slower)), *office.target, "--users", str(USERS)),
        *("--seed", "11", "--compress", str(COMPRESS), "--ramp", "1s", "--scale", "0.2"),
        *("--settle", f"{SETTLE_S * slower}s", "--duration", f"{DURATION_S * slower}s"),
    )
    assert ended.code in (0, 1, 4), ended  # what they did counts, also if they did it late
    return reader.load(headcount.bundles()[-1])  # names begin with the time


def is_in_time(bundle: Bundle, speed: float) -> bool:
    """Whether mail arrives and people finish well before they look again, as the model assumes."""
    (level,) = bundle.levels
    (delivery,) = [task for task in level.tasks if task.name == "delivery"]
    look_s = DAY_S / LOOKS_A_DAY / COMPRESS / speed
    times = (delivery.service, level.total.response)
    return all(one is not None and one.p95_ms < 1000 * look_s / 4 for one in times)


def test_a_day_of_a_user_is_that_of_the_model(tmp_path: Path) -> None:
    with serving(front="lmtp") as office, visitor(tmp_path, office) as headcount:
        for slower in (1, 2, 4):  # a busy machine may not handle that much mail a second
            bundle = run_of_days(headcount, office, tmp_path, slower)
            if is_in_time(bundle, SPEED / slower):
                break
    (level,) = bundle.levels
    tasks = {task.name: task.completed for task in level.tasks}
    days = USERS * level.steady_s * COMPRESS * SPEED / slower / DAY_S
    assert bundle.plan.mail is not None
    profile = json.dumps(bundle.plan.mail.engine_form({}))
    # What the profile's table says of a day (LoadSim, Light), and what it comes to.
    day = json.loads(_engine.mail_day(profile, json.dumps({"new": 3.0})))
    read_in_inbox = tasks["read"] - 12 * days
    expected = {
        "send": (3.0 * days, 1.0),
        "schedule-change": (1.0 * days, 1.0),
        "empty-deleted": (1.0 * days, 1.0),
        # Messages come and are read in clusters: one to four people answer them at one time.
        "read": ((day["received"] + 12) * days, 4.0),
        "reply": (0.10 * read_in_inbox, 2.0),
        "reply-all": (0.03 * read_in_inbox, 2.0),
        "forward": (0.05 * read_in_inbox, 2.0),
        "delete": (0.40 * read_in_inbox, 2.0),
    }
    for name, (count, clustering) in expected.items():
        allowed = SPREAD * sqrt(count * clustering)
        assert abs(tasks[name] - count) <= allowed, (name, tasks[name], count, allowed)
    sent = sum(tasks[name] for name in ("send", "reply", "reply-all", "forward"))
    assert abs(sent - day["sent"] * days) <= SPREAD * sqrt(day["sent"] * days * 4.0)
