"""Users of a database, end to end: levels on the lab's PostgreSQL, and on somebody's own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from headcount.bundle import reader
from pooler import pooling
from processes import Headcount

pytestmark = pytest.mark.e2e

FAST = ("--scale", "0.05", "--compress", "200", "--ramp", "0s", "--settle", "0s")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving() as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, postgres: Postgres) -> Iterator[Headcount]:
    command = Headcount(tmp_path)
    command.environment["HEADCOUNT_PASSWORD"] = postgres.password
    yield command
    command.close()


def test_levels_on_the_lab_have_every_operation_and_disclose_the_server(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("sql_lab")
    command = Headcount(home)
    try:
        ended = command.run(
            *("run", "notes-discussion", "--target", "lab:postgresql", "--levels", "10,20", *FAST),
            *("--duration", "6s", "--set", "max_connections=50"),
        )
        assert ended.code == 0, ended
        bundle = reader.load(command.bundle)
        assert [level.users for level in bundle.levels] == [10, 20]
        for level in bundle.levels:
            by_name = {figures.name: figures for figures in level.scenarios}
            assert set(by_name) == {s.name for s in bundle.plan.workload.scenarios}
            assert all(figures.failed == 0 for figures in by_name.values())
            assert all(figures.completed > 0 for figures in by_name.values())
            # Three unread documents are read in a loop with one first page.
            loops = by_name["first-page"].completed
            says = level.counters["server"]
            assert says["postgresql.connection.max"].mean == 50
            # A connection for each user, and the one that asks.
            assert says["postgresql.backends"].max == level.users + 1
            # Each operation is a transaction at least; sums come up to a second late.
            played = sum(figures.completed for figures in by_name.values()) / level.steady_s
            assert says["postgresql.commits"].mean >= 0.6 * played
            assert abs(by_name["next-unread"].completed - 3 * loops) <= 3 * level.users
        text = (command.bundle / "environment.json").read_text("utf-8")
        (side,) = json.loads(text)["sides"]
        settings = side["settings"]
        assert settings["max_connections"] == "50"
        assert settings["fsync"] == "on"
        assert settings["TLS"] == "off"
        assert command.leftovers() == []
    finally:
        command.close()


def test_somebodys_database_is_prepared_played_reset_and_cleaned(
    headcount: Headcount, postgres: Postgres
) -> None:
    postgres.sql("CREATE TABLE public.theirs AS SELECT 42 AS answer")
    before = postgres.schemas()
    prepare = ("prepare", "notes-discussion", "--target", postgres.target, "--users", "5")
    ended = headcount.run(*prepare, "--scale", "0.05", "--json")
    assert ended.code == 0, ended
    assert ended.json["created_users"] == 5
    assert ended.json["written_bytes"] > 500 * 1000
    assert postgres.schemas() == before | {"headcount"}
    rows = "SELECT md5(string_agg(d::text, ',' ORDER BY id)) FROM headcount.documents d"
    first = postgres.sql(rows)
    run = ("run", "notes-discussion", "--target", postgres.target, *FAST)
    ended = headcount.run(*run, "--users", "5", "--duration", "4s")
    assert ended.code == 0, ended
    assert postgres.sql(rows) != first  # documents were added
    added = postgres.sql("SELECT count(*) FROM headcount.documents WHERE id > 500")
    deleted = postgres.sql("SELECT 500 - count(*) FROM headcount.documents WHERE id <= 500")
    assert int(added) + int(deleted) > 0
    assert headcount.run(*prepare, "--scale", "0.05").code == 0
    assert postgres.sql(rows) == first
    assert headcount.run(*prepare, "--scale", "0.05", "--verify").code == 0
    ended = headcount.run("cleanup", "--target", postgres.target)
    assert ended.code == 0, ended
    assert "dropped the schema headcount" in ended.out
    assert postgres.schemas() == before
    assert postgres.sql("SELECT answer FROM public.theirs") == "42"
    assert "there is no data set" in headcount.run("cleanup", "--target", postgres.target).out


def test_own_statements_need_no_schema_and_no_right_to_create_one(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    postgres.sql(
        "CREATE TABLE public.goods AS SELECT n AS item, 0 AS sold FROM generate_series(1, 9) n"
    )
    postgres.sql(f"CREATE ROLE clerk LOGIN PASSWORD '{postgres.password}'")
    # The schema is somebody else's, which is none of this workload's business.
    postgres.sql("GRANT SELECT, UPDATE ON public.goods TO clerk; CREATE SCHEMA headcount")
    path = tmp_path / "goods.toml"
    path.write_text(
        """
name = "goods"
title = "Goods"
protocol = "sql"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "20ms" } }
run = { duration = "2s", ramp = "0s", settle = "0s" }

[[scenarios]]
name = "buy"
weight = 1
limit = "1s"

[[scenarios.steps]]
name = "buy"
op = "sql"
statement = "UPDATE goods SET sold = sold + 1 WHERE item = $1"
parameters = ["{random:1..9}"]
""",
        encoding="utf-8",
    )
    at = (str(path), "--target", postgres.target, "--user", "clerk")
    try:
        ended = headcount.run("prepare", *at)
        assert ended.code == 0, ended
        assert "there is nothing to prepare" in ended.out
        ended = headcount.run("run", *at, "--users", "2")
        assert ended.code == 0, ended
        (level,) = reader.load(headcount.bundle).levels
        assert int(postgres.sql("SELECT sum(sold) FROM goods")) >= level.scenarios[0].completed > 20
        tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'headcount'::regnamespace"
        assert postgres.sql(tables) == "0"
    finally:
        postgres.sql("DROP SCHEMA headcount; DROP TABLE goods; DROP ROLE clerk")


def test_users_of_a_discussion_share_the_connections_of_a_pooler(
    headcount: Headcount, postgres: Postgres
) -> None:
    with pooling(postgres) as target:
        run = ("run", "notes-discussion", "--target", target, *FAST)
        ended = headcount.run(*run, "--users", "10", "--duration", "4s")
        assert ended.code == 0, ended
        (level,) = reader.load(headcount.bundle).levels
        assert level.total.failed == 0
        assert level.total.completed > 20
        # Ten users share three connections, on which nothing stays prepared.
        assert level.requests["prepare"] == level.requests["execute"] > 20
        assert headcount.run("cleanup", "--target", target).code == 0


def test_own_statements_can_be_mixed_with_those_of_the_data_set(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    postgres.sql(
        "CREATE TABLE public.stock AS SELECT n AS item, 0 AS sold FROM generate_series(1, 9) n"
    )
    path = tmp_path / "shop.toml"
    path.write_text(
        """
name = "shop"
title = "A shop"
protocol = "sql"
recreates = "nothing"
description = "People who buy."
sources = []
deviations = []
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "20ms" } }
discussion = { documents = 10, categories = 2, body_size = 10, people = 50 }
run = { duration = "3s", ramp = "0s", settle = "0s" }

[[scenarios]]
name = "buy"
weight = 1
limit = "1s"

[[scenarios.steps]]
name = "who"
op = "lookup"

[[scenarios.steps]]
name = "remind"
op = "appointment"

[[scenarios.steps]]
name = "buy"
op = "sql"
statement = "UPDATE public.stock SET sold = sold + 1 WHERE item = $1"
parameters = ["{random:1..9}"]
""",
        encoding="utf-8",
    )
    ended = headcount.run("run", str(path), "--target", postgres.target, "--users", "3")
    assert ended.code == 0, ended
    (level,) = reader.load(headcount.bundle).levels
    sold = int(postgres.sql("SELECT sum(sold) FROM public.stock"))
    assert sold >= level.scenarios[0].completed > 50
    assert int(postgres.sql("SELECT count(DISTINCT item) FROM public.stock WHERE sold > 0")) == 9
    assert headcount.run("cleanup", "--target", postgres.target).code == 0
