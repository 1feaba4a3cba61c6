"""`--logins FILE` with commands that run levels in their own way: they play the same users."""

import json
from pathlib import Path
from signal import SIGINT

import pytest

from accounts import NAMES, logins, written
from headcount.cli import run_line
from headcount.controller.access import Secrets
from headcount.errors import TargetError
from headcount.plan.plan import Plan
from processes import Headcount, lines
from web_shop import Shop, served

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of people, and beside it a workload."""
    return logins(tmp_path)


def in_second_level(headcount: Headcount) -> bool:
    """Whether the run has measured its first level."""
    seconds = lines(headcount.bundle / "series.ndjson") if headcount.bundles() else []
    return bool(seconds) and seconds[-1]["level"] == 2


def test_a_resumed_run_goes_on_with_the_same_users(headcount: Headcount, people: Path) -> None:
    shop = Shop()
    workload = str(people.with_name("accounts.toml"))
    with served(shop) as url:
        line = ("run", workload, "--target", url, "--levels", "1,4", "--logins", str(people))
        run = headcount.start(*line, "--json")
        run.reach(lambda: in_second_level(headcount))
        run.send(SIGINT)
        assert run.ended().code == 130, run.err
        bundle = str(headcount.bundle)
        done = headcount.run("resume", bundle)
        assert done.code == 2
        assert "give it again with --logins FILE" in " ".join(done.err.split())
        few = written(people.with_name("few.csv"), NAMES[:3])
        done = headcount.run("resume", bundle, "--logins", str(few))
        assert done.code == 2
        assert "has 3 rows" in " ".join(done.err.split())
        done = headcount.run("resume", bundle, "--logins", str(people), "--json")
        assert done.code == 0, done.out + done.err
    levels = json.loads((headcount.bundle / "levels.json").read_bytes())["levels"]
    assert [level["users"] for level in levels] == [1, 4]
    assert [one["failed"] for level in levels for one in level["scenarios"]] == [0, 0]
    assert set(shop.tokens.values()) == set(NAMES)


def test_the_users_of_a_failover_log_on_as_themselves(headcount: Headcount, people: Path) -> None:
    shop = Shop()
    workload = str(people.with_name("accounts.toml"))
    when = ("--at", "2s", "--after", "2s", "--calm", "2s", "--settle", "1s", "--repeat", "1")
    with served(shop) as url:
        line = ("failover", workload, "--target", url, "--users", "4", "--logins", str(people))
        done = headcount.run(*line, *when, "--fault", "true", "--recover", "true", "--json")
    assert done.code in (0, 3), done.out + done.err
    assert set(shop.tokens.values()) == set(NAMES)
    assert not any(name[::-1] in done.out + done.err for name in NAMES)


def test_a_tuning_gets_the_users(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int | None, Secrets]] = []

    def tune(plan: Plan, _wanted: object, _runs: Path, secrets: Secrets, _display: object) -> None:
        seen.append((plan.logins, secrets))
        raise TargetError("enough is known")

    monkeypatch.setattr("headcount.tune.start.tune", tune)
    where = (
        "--target",
        "http://127.0.0.1:9/",
        "--workload",
        str(people.with_name("accounts.toml")),
    )
    run_line(["tune", *where, "--logins", str(people)])
    ((rows, secrets),) = seen
    assert rows == len(NAMES)
    assert secrets.logins == tuple((name, name[::-1]) for name in NAMES)
