"""COPY on a real PostgreSQL and through a pooler: the rows that are there are those reported."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from headcount.bundle import reader
from pooler import pooling
from processes import Headcount

WORKLOAD = """
name = "loader"
title = "Events in bulk"
protocol = "sql"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "50ms" } }
run = { duration = "3s", settle = "0s", ramp = "0s" }

[[scenarios]]
name = "load"
weight = 1
limit = "5s"

[[scenarios.steps]]
name = "events"
op = "copy"
statement = "COPY events (id, who, chance, words) FROM STDIN"
rows = 200
values = ["{row}", "{user}", "{random:1..1000000}", "row {row:04}\\tof {user}"]
check = [{ of = "rows", equals = 200 }]
capture = { stored = { of = "rows" } }

[[scenarios]]
name = "load-two"
weight = 1
limit = "5s"

[[scenarios.steps]]
transaction = "both"
steps = [
  { name = "a", op = "copy", statement = "COPY events (id) FROM STDIN", rows = 1, values = [1] },
  { name = "b", op = "copy", statement = "COPY events (id) FROM STDIN", rows = 1, values = [2] },
]

[[scenarios]]
name = "refused"
weight = 1
limit = "5s"

[[scenarios.steps]]
transaction = "none"
steps = [
  { name = "good", op = "copy", statement = "COPY events (id) FROM STDIN", values = ["{row}"] },
  { name = "bad", op = "copy", statement = "COPY events (id) FROM STDIN", values = ["x{row}"] },
]

[[scenarios]]
name = "unload"
weight = 1
limit = "5s"

[[scenarios.steps]]
name = "numbers"
op = "copy"
statement = "COPY (SELECT n, 'a number' FROM generate_series(1, 5000) n) TO STDOUT"
check = [{ of = "rows", equals = 5000 }]
"""
TABLE = "CREATE TABLE events (id int, who int, chance int, words text)"
COUNT = (
    "SELECT count(*) FROM events WHERE words = 'row ' || lpad(id::text, 4, '0') || E'\\tof ' || who"
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(fsync="off") as server:
        server.sql(TABLE)
        yield server


@pytest.fixture(scope="module")
def pooler(postgres: Postgres) -> Iterator[str]:
    with pooling(postgres, size=2) as target:
        yield target


@pytest.fixture
def headcount(tmp_path: Path, postgres: Postgres) -> Iterator[Headcount]:
    (tmp_path / "loader.toml").write_text(WORKLOAD, "utf-8")
    command = Headcount(tmp_path)
    command.environment["HEADCOUNT_PASSWORD"] = postgres.password
    yield command
    command.close()


def succeeded(folder: Path, scenario: str) -> int:
    """How often a scenario succeeded in all seconds of a run."""
    seconds = reader.load(folder).seconds
    return sum(
        second["scenarios"].get(scenario, {"completed": 0})["completed"] for second in seconds
    )


@pytest.mark.parametrize("way", ["direct", "pooled"])
def test_the_rows_in_the_table_are_those_reported(
    headcount: Headcount, postgres: Postgres, pooler: str, tmp_path: Path, way: str
) -> None:
    postgres.sql("TRUNCATE events")
    target = postgres.target if way == "direct" else pooler
    line = ("run", str(tmp_path / "loader.toml"), "--target", target, "--users", "5")
    done = headcount.run(*line, "--no-trial")
    assert done.code in (0, 1), done  # a quarter of what users do fails
    (level,) = reader.load(headcount.bundle).levels
    scenarios = {one.name: one for one in level.scenarios}
    assert [name for name, one in scenarios.items() if one.failed] == ["refused"]
    assert all(one.completed for name, one in scenarios.items() if name != "refused")
    assert [fault.examples for fault in level.faults if "22P02" not in str(fault.examples)] == []
    loads, twos = (succeeded(headcount.bundle, name) for name in ("load", "load-two"))
    rows = int(postgres.sql(COUNT))
    assert rows == loads * 200
    others = int(postgres.sql("SELECT count(*) FROM events WHERE words IS NULL"))
    assert others == twos * 2
    ones = "SELECT count(*) FROM events WHERE words IS NULL AND id = 1"
    assert int(postgres.sql(ones)) * 2 == others  # both of a transaction, or none
    chances = int(postgres.sql("SELECT count(DISTINCT chance) FROM events"))
    assert chances > 0.9 * rows - 1000
    tasks = {task.name: task for task in level.tasks}
    assert tasks["copy"].failed >= scenarios["refused"].failed


def test_one_user_sees_the_beginning_of_the_rows(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    postgres.sql("TRUNCATE events")
    done = headcount.run("try", str(tmp_path / "loader.toml"), "--target", postgres.target)
    assert done.code != 0
    assert "COPY events (id, who, chance, words) FROM STDIN" in done.out
    assert "row 0001\\tof 0" in done.out
    assert "row 0200" not in done.out
    assert "{stored} = 200" in done.out
    assert "22P02" in done.out
    assert postgres.sql("SELECT count(*) FROM events") == "202"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("{random:1..1000000}", "{random:9..1}", "the lower first"),
        ("rows = 200\n", "rows = 0\n", "from 1 to 10000000"),
        ("values = [1]", "valeus = [1]", "valeus"),
        ("COPY events (id, who", "INSERT INTO events (id, who", 'op = "sql" is for others'),
    ],
)
def test_mistakes_are_named_before_the_run(
    headcount: Headcount, tmp_path: Path, before: str, after: str, sentence: str
) -> None:
    assert before in WORKLOAD
    path = tmp_path / "wrong.toml"
    path.write_text(WORKLOAD.replace(before, after, 1), "utf-8")
    done = headcount.run("workloads", "check", str(path))
    assert done.code == 2
    assert sentence in " ".join((done.out + done.err).split())
