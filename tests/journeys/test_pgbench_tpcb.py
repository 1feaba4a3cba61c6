"""`examples/journeys/pgbench-tpcb.toml` and imported scripts, played on a real PostgreSQL.

The bank of pgbench's own tables shows whether transactions are whole: each payment changes an
account, a teller and a branch by the same amount, and leaves a row in the history.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from headcount.bundle import reader
from pooler import pooling
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "pgbench-tpcb.toml"
SUMS = """SELECT (SELECT sum(abalance) FROM pgbench_accounts),
    (SELECT sum(tbalance) FROM pgbench_tellers), (SELECT sum(bbalance) FROM pgbench_branches),
    (SELECT sum(delta) FROM pgbench_history), (SELECT count(*) FROM pgbench_history)"""
LEVEL = ("--users", "8", "--duration", "3s", "--settle", "1s", "--ramp", "0s")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(fsync="off") as server:
        yield server


@pytest.fixture(scope="module")
def pooler(postgres: Postgres) -> Iterator[str]:
    with pooling(postgres) as target:
        yield target


@pytest.fixture
def headcount(tmp_path: Path, postgres: Postgres) -> Iterator[Headcount]:
    command = Headcount(tmp_path)
    command.environment["HEADCOUNT_PASSWORD"] = postgres.password
    yield command
    command.close()


def pgbench(postgres: Postgres, *options: str) -> str:
    """What pgbench says on the server."""
    host, _, port = postgres.server.address.partition(":")
    done = subprocess.run(
        ["pgbench", "-h", host, "-p", port, "-U", postgres.server.user, *options],
        env={**os.environ, "PGPASSWORD": postgres.password, "PGDATABASE": postgres.server.database},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def bank(postgres: Postgres, scale: int) -> None:
    """A bank with this many branches, in which nobody has paid anything."""
    pgbench(postgres, "-i", "-q", "-s", str(scale))


def succeeded(folder: Path) -> int:
    """Scenarios that succeeded at any time of a run: in its trial, its ramps and its levels."""
    bundle = reader.load(folder)
    trial = sum(event["played"] for event in bundle.events if event["event"] == "trial")
    return trial + sum(
        scenario["completed"]
        for second in bundle.seconds
        for scenario in second["scenarios"].values()
    )


def scaled(tmp_path: Path, **bounds: int) -> Path:
    """The journey with other bounds of its variables."""
    text = JOURNEY.read_text("utf-8")
    for name, high in bounds.items():
        before = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
        text = text.replace(before, f"{name} = {{ int = [1, {high}] }}")
    path = tmp_path / "bank.toml"
    path.write_text(text, "utf-8")
    return path


def assert_whole(postgres: Postgres, transactions: int) -> None:
    accounts, tellers, branches, history, rows = map(int, postgres.sql(SUMS).split("|"))
    assert accounts == tellers == branches == history
    assert rows == transactions


def test_payments_through_a_pooler_are_whole_and_counted(
    headcount: Headcount, postgres: Postgres, pooler: str
) -> None:
    bank(postgres, 10)
    done = headcount.run("run", str(JOURNEY), "--target", pooler, *LEVEL)
    assert done.code == 0, done
    assert_whole(postgres, succeeded(headcount.bundle))
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    assert level.total.failed == 0
    assert level.total.completed > 20
    tasks = {task.name: task.completed for task in level.tasks}
    assert tasks["transaction"] == level.total.completed
    text = (headcount.bundle / "environment.json").read_text("utf-8")
    (side,) = json.loads(text)["sides"]
    assert side["settings"]["statements"] == "unnamed, behind a pooler"


def test_conflicts_are_retried_and_abandoned_payments_leave_nothing(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    bank(postgres, 1)
    path = scaled(tmp_path, account=100_000, teller=10, branch=1)
    text = path.read_text("utf-8").replace("retries = 3", 'retries = 3\nisolation = "serializable"')
    path.write_text(text, "utf-8")
    done = headcount.run("run", str(path), "--target", postgres.target, *LEVEL)
    # All users pay at the only branch, so many conflict more often than they may retry.
    assert done.code in (0, 1), done
    assert_whole(postgres, succeeded(headcount.bundle))
    (level,) = reader.load(headcount.bundle).levels
    assert level.requests["retry"] > 0
    assert level.total.completed > 0
    sentences = [text for fault in level.faults for text in fault.examples]
    assert all("40001" in text or "40P01" in text for text in sentences), sentences


def test_a_script_of_pgbench_is_imported_and_played(
    headcount: Headcount, postgres: Postgres, pooler: str, tmp_path: Path
) -> None:
    bank(postgres, 2)
    script = tmp_path / "script.sql"
    script.write_text(pgbench(postgres, "--show-script=tpcb-like"), "utf-8")
    path = tmp_path / "tpcb.toml"
    done = headcount.run(
        "import", "pgbench", str(script), "-o", str(path), "--scale", "2", "--json"
    )
    assert done.code == 0, done
    assert done.json["left_out"] == []
    assert done.json["variables"] == ["aid", "bid", "tid", "delta"]
    done = headcount.run("run", str(path), "--target", pooler, *LEVEL)
    assert done.code == 0, done
    assert_whole(postgres, succeeded(headcount.bundle))


def test_one_user_sees_statements_and_rows(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    bank(postgres, 1)
    path = scaled(tmp_path, account=100_000, teller=10, branch=1)
    done = headcount.run("try", str(path), "--target", postgres.target)
    assert done.code == 0, done
    for part in ("pay / payment.begin", "> SQL UPDATE pgbench_tellers", "< 1 row", "{balance} = "):
        assert part in done.out, done.out
    assert_whole(postgres, 1)


def test_a_step_that_fails_takes_the_transaction_with_it(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    bank(postgres, 1)
    path = scaled(tmp_path, account=100_000, teller=10, branch=10)  # nine branches are not there
    done = headcount.run("run", str(path), "--target", postgres.target, *LEVEL)
    assert done.code == 1, done
    assert_whole(postgres, succeeded(headcount.bundle))
    (level,) = reader.load(headcount.bundle).levels
    assert level.total.failed > level.total.completed > 0
    (fault,) = level.faults
    assert 'check failed: the number of rows is "0" instead of "1"' in fault.examples[0]


def test_prepared_statements_behind_a_pooler_fail_with_what_to_do(
    headcount: Headcount, postgres: Postgres
) -> None:
    bank(postgres, 10)
    options = (*LEVEL, "--client", "statements=prepared", "--no-trial")
    with pooling(postgres, resets=True) as pooler:
        done = headcount.run("run", str(JOURNEY), "--target", pooler, *options)
    assert done.code == 1, done
    text = " ".join(done.out.split())
    assert "SQLSTATE 26000" in text, text
    assert "--client statements=unnamed" in text, text
    assert_whole(postgres, succeeded(headcount.bundle))
