"""What PostgreSQL reports, against what was done to a real one."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

import pytest

from database import Postgres, serving
from headcount import _engine
from headcount._engine import SqlSession
from headcount.counters.catalogue import catalogue
from headcount.counters.postgresql import PostgresqlSource
from headcount.counters.postgresql import source as source_module
from headcount.counters.postgresql.source import questions
from headcount.errors import InputError, TargetError

LOCKED = "postgresql.backends.waiting{postgresql.wait=lock}"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(max_connections="37") as one:
        deadline_s = time.monotonic() + 30
        while True:  # it listens before it lets anybody in
            try:
                SqlSession(target(one), 5.0).close()
                break
            except TargetError:
                assert time.monotonic() < deadline_s
                time.sleep(0.05)
        yield one


def target(postgres: Postgres, password: str | None = None) -> str:
    server = postgres.server
    where = {"address": server.address, "database": server.database, "user": server.user}
    return json.dumps({**where, "password": password or server.password})


def until(
    source: PostgresqlSource, holds: Callable[[Mapping[str, float]], bool]
) -> Mapping[str, float]:
    deadline_s = time.monotonic() + 20
    while not holds(values := source.sample().values):
        assert time.monotonic() < deadline_s, values
        time.sleep(0.05)
    return values


def test_all_counters_of_the_catalogue_are_given(postgres: Postgres) -> None:
    with closing(PostgresqlSource(target(postgres))) as source:
        values = until(source, lambda found: "postgresql.commits" in found)
    assert set(values) == {name for name in catalogue() if name.startswith("postgresql.")}
    assert values["postgresql.connection.max"] == 37
    assert values["postgresql.backends"] == 1


def test_transactions_are_counted(postgres: Postgres) -> None:
    with closing(PostgresqlSource(target(postgres))) as source:
        begun = until(source, bool)
        assert "postgresql.commits" not in begun
        commits = rollbacks = 0.0
        was_s = source.sample().at_s
        postgres.sql("CREATE TABLE IF NOT EXISTS t (n int);" + "INSERT INTO t VALUES (1);" * 300)
        postgres.sql("BEGIN; INSERT INTO t VALUES (1); ROLLBACK;" * 40)
        deadline_s = time.monotonic() + 20
        asked = 1
        while rollbacks < 40 - 0.5:  # a backend reports them when it ends, at the latest
            assert time.monotonic() < deadline_s
            time.sleep(0.1)
            sample = source.sample()
            asked += 1
            elapsed_s, was_s = sample.at_s - was_s, sample.at_s
            commits += sample.values["postgresql.commits"] * elapsed_s
            rollbacks += sample.values["postgresql.rollbacks"] * elapsed_s
    assert rollbacks == pytest.approx(40)
    # Beside the 301 there are the queries of this source, logons and the server's own workers.
    assert 301 - 0.5 <= commits <= 301 + asked + 30


KINDS = {
    "relation": "LOCK TABLE held_relation",
    "row": "UPDATE held_row SET n = n + 1",
    "advisory": "SELECT pg_advisory_xact_lock(7)",
}


@pytest.mark.parametrize("kind", KINDS)
def test_backends_that_wait_for_a_lock_are_counted(postgres: Postgres, kind: str) -> None:
    postgres.sql(f"CREATE TABLE held_{kind} AS SELECT 1 AS n")
    host, _, port = postgres.server.address.partition(":")
    shell = ["psql", "-XAtq", "-h", host, "-p", port, "-U", postgres.server.user, "postgres"]
    environment = {"PGPASSWORD": postgres.password, "PATH": "/usr/bin:/bin"}
    pipe = subprocess.PIPE
    with closing(PostgresqlSource(target(postgres))) as source:
        holder, waiter = (
            subprocess.Popen(shell, stdin=pipe, stdout=pipe, text=True, env=environment)
            for _ in range(2)
        )
        try:
            for one in (holder, waiter):
                assert one.stdin
                one.stdin.write(f"BEGIN; {KINDS[kind]}; SELECT 1;\n")
                one.stdin.flush()
                until(source, lambda found: found["postgresql.backends"] >= 2)
            values = until(source, lambda found: found.get(LOCKED) == 1)
            assert values["postgresql.backends"] == 3
            assert values["postgresql.backends.active"] == 1
            assert {
                each: values[f"postgresql.locks.waiting{{postgresql.lock={each}}}"]
                for each in KINDS
            } == {each: float(each == kind) for each in KINDS}
        finally:
            for one in (holder, waiter):
                one.kill()
                one.communicate()
        until(source, lambda found: found.get(LOCKED) == 0)


def test_a_wrong_password_gives_nothing_and_is_not_retried_each_second(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def counted(target: str, patience_s: float) -> SqlSession:
        tried.append(target)
        return SqlSession(target, patience_s)

    monkeypatch.setattr(_engine, "SqlSession", counted)
    monkeypatch.setattr(source_module, "PAUSE_S", 3600.0)
    with closing(PostgresqlSource(target(postgres, "wrong"))) as source:
        for _ in range(100):
            assert source.sample().values == {}
    assert len(tried) == 1
    with pytest.raises(InputError, match="password authentication failed"):
        SqlSession(target(postgres, "wrong"), 5.0)


def test_a_missing_server_gives_nothing() -> None:
    where = {"address": "127.0.0.1:9", "database": "postgres", "user": "headcount"}
    source = PostgresqlSource(json.dumps(where))
    assert source.sample().values == {}
    source.close()


def test_versions_have_their_own_views() -> None:
    views = {version: [view for view, _ in questions(version)] for version in (13, 15, 17, 18)}
    assert "pg_stat_wal" not in views[13]
    assert "pg_stat_bgwriter" in views[15]
    assert "pg_stat_checkpointer" in views[17]
    for version in (15, 17):
        assert any("wal_sync" in what.values() for _, what in questions(version))
    assert not any("wal_sync" in what.values() for _, what in questions(18))
