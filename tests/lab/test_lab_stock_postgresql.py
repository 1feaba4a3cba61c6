"""PostgreSQL as Debian ships it: it differs from what pg_createcluster makes where declared."""

import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from stock_files import differing

from headcount.errors import MachineLimitError
from headcount.lab import home
from headcount.lab.postgresql import PostgresqlServer
from headcount.lab.stock import postgresql as stock
from headcount.lab.stock import shipped
from headcount.protocols.registry import start_lab
from processes import Headcount, owners, processes_with

ROOT = os.geteuid() == 0


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every user may pass through."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", folder)
        yield Path(folder)


@pytest.fixture
def server(cache: Path) -> Iterator[PostgresqlServer]:
    started = start_lab("postgresql", {"profile": "stock"})
    assert isinstance(started, PostgresqlServer)
    try:
        yield started
    finally:
        started.stop()
    assert list(home.base().iterdir()) == []
    assert not processes_with(str(cache))


def version_of(server: PostgresqlServer) -> str:
    return server.programs["postgresql"].partition(".")[0]


def debians(version: str, folder: Path) -> Path:
    """The configuration that Debian's own program makes without any of the lab's options."""
    subprocess.run(
        [
            *("env", f"PG_CLUSTER_CONF_ROOT={folder}/etc", "pg_createcluster", "--quiet"),
            "--createclusterconf=/usr/share/postgresql-common/createcluster.conf",
            *(f"--locale={stock.LOCALE}", "-d", f"{folder}/data", "-l", f"{folder}/log"),
            *(version, "main"),
        ],
        check=True,
        capture_output=True,
    )
    return folder / "etc" / version / "main"


def by_name(lines: list[str]) -> dict[str, str]:
    """Lines of postgresql.conf by their parameters."""
    found = [re.match(r"#?(\w+) = ", line) for line in lines]
    return {one[1]: one.string.removeprefix("#") for one in found if one}


def test_only_what_is_declared_differs_from_what_debian_makes(
    server: PostgresqlServer, cache: Path
) -> None:
    version = version_of(server)
    host, number = server.address.split(":")
    fields = {"home": str(server.home), "host": host, "port": number}
    rewrites = stock.rewrites(version)
    made = server.home / "etc" / version / "main"
    around = cache / "debian"
    around.mkdir()
    reference = debians(version, around)
    gone, new = differing(
        (reference / stock.MAIN).read_text("utf-8"), (made / stock.MAIN).read_text("utf-8")
    )
    declared = by_name([one.shipped for one in rewrites if one.file == stock.MAIN])
    # Who is not root cannot read this machine's certificate; Debian's server can.
    allowed = set(declared) if ROOT else {*declared, "ssl"}
    assert len(gone) == len(new)
    assert set(by_name(gone)) == set(by_name(new)) <= allowed
    expected = by_name([line for one in rewrites for line in one.lines(fields)])
    for name, line in by_name(new).items():
        if name in expected:
            assert line.startswith(expected[name]), name
        else:
            assert line.startswith(("external_pid_file = ''", "ssl = on")), name
    gone, new = differing(
        (reference / stock.HBA).read_text("utf-8"), (made / stock.HBA).read_text("utf-8")
    )
    assert (gone, new) == ([], [stock.ANYBODY])
    shutil.rmtree(around)


def test_it_is_debians_in_every_respect(server: PostgresqlServer) -> None:
    command = ["psql", "-h", "127.0.0.1", "-p", server.address.split(":")[1], "-At", "-U"]
    command += [server.user, server.database, "-c"]

    def shown(name: str) -> str:
        environment = {**os.environ, "PGPASSWORD": server.password}
        asked = [*command, f"show {name}"]
        return subprocess.check_output(asked, text=True, env=environment).strip()

    assert shown("max_connections") == "100"
    assert shown("ssl") == "on"
    assert shown("lc_collate") == "C.UTF-8"
    assert shown("cluster_name") == f"{version_of(server)}/main"
    assert shown("config_file").startswith(f"{server.home}/etc/")
    user = pwd.getpwnam("postgres").pw_uid if ROOT else os.geteuid()
    assert owners(server.pids) == {user}
    assert not any(server.password in text for text in server.settings.values())
    assert set(server.settings) == {"profile", *stock.disclosed(version_of(server))}


def test_a_changed_sample_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("postgresql", "postgresql-common"):
        shutil.copytree(f"/usr/share/{name}", tmp_path / "usr" / "share" / name, symlinks=True)
    (sample,) = (tmp_path / "usr" / "share").glob("postgresql/*/postgresql.conf.sample")
    sample.write_text(sample.read_text("utf-8") + "fsync = off\n", "utf-8")
    monkeypatch.setattr(shipped, "ROOT", tmp_path)
    with pytest.raises(MachineLimitError, match=r"postgresql\.conf\.sample is changed"):
        start_lab("postgresql", {"profile": "stock"})
    assert list(home.base().iterdir()) == []


@pytest.mark.e2e
def test_a_run_has_the_profile_in_its_bundle(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "notes-discussion", "--target", "lab:postgresql?profile=stock", "--users", "3"),
        *("--scale", "0.05", "--duration", "2s", "--ramp", "0s", "--compress", "1000", "--json"),
    )
    assert ended.code in (0, 1, 4), ended
    bundle = headcount.bundles()[-1]
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert (level["total"]["completed"] > 0, level["total"]["failed"]) == (True, 0)
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["profile"] == "stock"
    assert side["settings"]["TLS"].startswith("TLSv1")
