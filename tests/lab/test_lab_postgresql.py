"""PostgreSQL in the lab: a real one, spoken to with psql."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.errors import InputError, SystemLimitError
from headcount.lab import home, installed, keeper, port, postgresql, postgresql_settings
from headcount.lab.postgresql import PostgresqlServer
from headcount.lab.setting import complete
from headcount.protocols.registry import start_lab
from processes import owners, proc_file, processes_with, wait_for

ROOT = os.geteuid() == 0


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where homes are, at a path that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        yield home.base()
        for pid in processes_with(cache):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


CONFIGURED = {key: one for key, one in postgresql_settings.POSTGRESQL.items() if not one.is_stock}
"""Settings that are parameters of the program."""


@contextlib.contextmanager
def started(**settings: str) -> Iterator[PostgresqlServer]:
    server = start_lab("postgresql", settings)
    assert isinstance(server, PostgresqlServer)
    try:
        yield server
    finally:
        server.stop()


def psql(
    server: PostgresqlServer, statement: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a statement with PostgreSQL's own client."""
    host, number = server.address.split(":")
    who = ["-h", host, "-p", number, "-U", server.user, "-d", server.database]
    return subprocess.run(
        ["psql", "-X", "-A", "-t", "-w", *who, "-c", statement],
        env={**os.environ, "PGPASSWORD": server.password, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )


def psql_output(server: PostgresqlServer, statement: str) -> str:
    done = psql(server, statement)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def family(server: PostgresqlServer) -> set[int]:
    return {*server.pids}.union(*(keeper.descendants(pid) for pid in server.pids))


def shared(server: PostgresqlServer) -> list[str]:
    """Files of its shared memory."""
    mapped = Path(f"/proc/{server.pids[0]}/maps").read_text().split()
    return [word for word in mapped if "/PostgreSQL." in word]


def nothing_is_left(base: Path) -> bool:
    return not processes_with(str(base)) and list(base.iterdir()) == []


def alive(pids: set[int]) -> bool:
    return bool(pids & {one.pid for one in keeper.processes()})


def test_rows_are_kept_and_read_back_and_nothing_is_left(base: Path) -> None:
    with started() as server:
        statement = "create table t as select n, n * n as m from generate_series(1, 1000) n"
        assert psql_output(server, statement) == "SELECT 1000"
        assert psql_output(server, "select count(*), sum(m) from t") == "1000|333833500"
        assert (
            psql_output(server, "show server_version").split()[0] == server.programs["postgresql"]
        )
        assert psql_output(server, "show data_directory").startswith(str(server.home))
        assert psql_output(server, "show unix_socket_directories") == ""
        assert psql_output(server, "show listen_addresses") == "127.0.0.1"
        user = 65534 if ROOT else os.geteuid()
        pids = family(server)
        memory = shared(server)
        assert memory
        assert owners(pids) == {user}
        assert not any(server.password.encode() in proc_file(pid, "cmdline") for pid in pids)
        assert not any(server.password in one for one in server.settings.values())
    assert nothing_is_left(base)
    assert not alive(pids)
    assert not port.answers(int(server.address.split(":")[1]))
    assert not any(Path(name).exists() for name in memory)
    server.stop()


def test_wrong_and_missing_passwords_are_refused() -> None:
    with started() as server:
        wrong = psql(server, "select 1", PGPASSWORD="guess")
        assert "password authentication failed" in wrong.stderr
        assert "no password supplied" in psql(server, "select 1", PGPASSWORD="").stderr
        kept = "select rolpassword from pg_authid where rolname = current_user"
        assert psql_output(server, kept).startswith("SCRAM-SHA-256$")
        assert list(server.home.glob("password")) == []


def test_tls_with_the_labs_authority() -> None:
    ask = "select ssl from pg_stat_ssl where pid = pg_backend_pid()"
    with started(tls="on") as server:
        trust = {"PGSSLMODE": "verify-full", "PGSSLROOTCERT": str(server.authority)}
        assert psql(server, ask, **trust).stdout.strip() == "t"
        assert psql(server, ask, PGSSLMODE="disable").stdout.strip() == "f"
    with started() as server:
        assert server.authority is None
        assert "does not support SSL" in psql(server, ask, PGSSLMODE="require").stderr


OTHER = {
    "max_connections": ("50", "50"),
    "shared_buffers_mib": ("24", "24MB"),
    "work_mem_mib": ("64", "64MB"),
    "max_wal_size_mib": ("2048", "2GB"),
    "fsync": ("off", "off"),
    "synchronous_commit": ("off", "off"),
    "full_page_writes": ("off", "off"),
    "wal_compression": ("on", "pglz"),
    "jit": ("off", "off"),
    "parallel_workers": ("0", "0"),
    "autovacuum": ("off", "off"),
    "track_io_timing": ("on", "on"),
    "tls": ("on", "on"),
}


def test_every_setting_is_in_effect() -> None:
    known = CONFIGURED
    assert list(OTHER) == list(known)
    assert all(value != known[key].default for key, (value, _) in OTHER.items())
    with started(**{key: value for key, (value, _) in OTHER.items()}) as server:
        for key, (_, shown) in OTHER.items():
            assert psql_output(server, f"show {known[key].parameter}") == shown, key


def test_the_defaults_are_postgresqls_except_for_connections() -> None:
    with started() as server:
        ask = "select boot_val, setting from pg_settings where name = '{}'"
        for key, one in CONFIGURED.items():
            usual, here = psql_output(server, ask.format(one.parameter)).split("|")
            assert (usual == here) == (key != "max_connections"), key
        assert psql_output(server, "show max_connections") == "1000"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"jitter": "on"},
            "lab:postgresql has no setting jitter; it has: profile, max_connections",
        ),
        ({"fsync": "yes"}, 'fsync is "yes"; it can be: on, off'),
        ({"work_mem_mib": "0"}, 'work_mem_mib is "0"; it can be: 1 to 100,000'),
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        start_lab("postgresql", settings)
    assert message in str(caught.value)


def test_complaints_of_postgresql_are_quoted(base: Path) -> None:
    with pytest.raises(
        SystemLimitError, match=r"PostgreSQL ended at once; .*max_wal_size"
    ) as caught:
        start_lab("postgresql", {"max_wal_size_mib": "1"})
    assert "Traceback" not in str(caught.value)
    assert nothing_is_left(base)


OWNER = """
import json, time
from headcount.protocols.registry import start_lab
server = start_lab("postgresql", {})
print(json.dumps(server.pids), flush=True)
time.sleep(600)
"""


def test_a_killed_owner_leaves_nothing(base: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE) as owner:
        try:
            assert owner.stdout is not None
            (pid,) = json.loads(owner.stdout.readline())
            pids = {pid, *keeper.descendants(pid)}
            assert len(list(base.iterdir())) == 1
        finally:
            owner.kill()
    wait_for(lambda: nothing_is_left(base))
    assert not alive(pids)


def test_a_killed_keeper_leaves_nothing_although_a_session_waits(base: Path) -> None:
    with started() as server:
        host, number = server.address.split(":")
        waiting = ["psql", "-h", host, "-p", number, "-U", server.user, "-d", server.database]
        with subprocess.Popen(
            [*waiting, "-c", "select pg_sleep(600)"],
            env={**os.environ, "PGPASSWORD": server.password},
            stderr=subprocess.DEVNULL,
        ):
            ask = "select count(*) from pg_stat_activity where query = 'select pg_sleep(600)'"
            wait_for(lambda: psql_output(server, ask) == "1")
            pids, memory = family(server), shared(server)
            (parent,) = (one.parent for one in keeper.processes() if one.pid == server.pids[0])
            os.kill(parent, signal.SIGKILL)
            server.stop()
    assert nothing_is_left(base)
    assert not alive(pids)
    assert memory
    assert not any(Path(name).exists() for name in memory)


def test_a_port_that_is_taken_meanwhile_is_replaced(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with port.socket.create_server((port.host(), 0)) as stranger:
        taken = stranger.getsockname()[1]
        numbers = iter([taken, port.free()])
        monkeypatch.setattr(port, "free", lambda: next(numbers))
        with started() as server:
            assert psql_output(server, "select 1") == "1"
        monkeypatch.setattr(port, "free", lambda: taken)
        monkeypatch.setattr(port, "STARTS", 1)
        with pytest.raises(SystemLimitError, match="tried 1 ports, each in use"):
            start_lab("postgresql", {})
    assert nothing_is_left(base)


def test_a_missing_postgresql_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "VERSIONS", tmp_path)
    monkeypatch.setattr(installed, "FOLDERS", ())
    monkeypatch.setenv("PATH", "")
    remedy = "apt-get install -y --no-install-recommends postgresql "
    with pytest.raises(SystemLimitError, match=remedy):
        start_lab("postgresql", {})


def test_the_newest_version_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("9", "15", "16", "common"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    monkeypatch.setattr(postgresql, "VERSIONS", tmp_path)
    assert postgresql._find("initdb") == str(tmp_path / "16" / "bin" / "initdb")


def test_sizes_are_in_mib() -> None:
    settings = complete("postgresql", postgresql_settings.POSTGRESQL, {"work_mem_mib": "7"})
    assert "work_mem = 7MB" in postgresql_settings.parameters(settings)
