"""Gunicorn's configuration: read and changed as its own `--print-config` and workers have it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import pytest
from test_tune_values import NAMES, diagnosis
from tuned import candidates, posing, put, wait_until

from gunicorn_site import APPLICATION, PROGRAM, Site, gunicorn_site
from headcount.errors import InputError
from headcount.lab import port
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.choose import Asked, choose
from headcount.tune.host import ThisHost
from headcount.tune.install import install_command, install_files
from headcount.tune.knobs.library import of_server
from headcount.tune.restart import ByCommand
from headcount.tune.servers.gunicorn import Gunicorn, arguments
from headcount.tune.servers.registry import find, find_all
from headcount.tune.servers.server import COMMAND_LINE, ENVIRONMENT, Running, Setting
from headcount.tune.tunable import NotAccepted, Tunable

KNOBS = {one.name: one for one in of_server("gunicorn").knob}
HOST = ThisHost()
CONF = "import os\nworkers = 1 + 1\nkeepalive = 5\nmax_requests = 0  # never\n"
WORKERS, CLASS, THREADS = KNOBS["workers"], KNOBS["worker_class"], KNOBS["threads"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with gunicorn_site(CONF) as made:
        yield made


def server_of(site: Site) -> Gunicorn:
    found = find(HOST, [site.gunicorn])
    assert isinstance(found, Gunicorn)
    return found


def printed_settings(site: Site, arguments: Sequence[str] = ()) -> Mapping[str, str]:
    """What Gunicorn itself makes of the file, with its defaults."""
    command = [PROGRAM, "--print-config", *arguments, "page:app"]
    # Python takes a file of the same second and size for the one that it has compiled.
    known = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        command, cwd=site.folder, env=known, capture_output=True, text=True, check=True
    )
    return dict(re.findall(r"^(\w+) += (.*)$", ended.stdout, re.MULTILINE))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/srv/venv/bin/python3 /srv/venv/bin/gunicorn -w 4 shop:app", ["-w", "4", "shop:app"]),
        ("python -u -X dev -m gunicorn shop:app", ["shop:app"]),
        ("python3.11 -Wd -m gunicorn.app.wsgiapp shop:app", ["shop:app"]),
        ("/usr/bin/gunicorn shop:app", ["shop:app"]),
        ("python3 manage.py gunicorn", None),
        ("python3 -m http.server", None),
        ("python3", None),
        ("nginx -c gunicorn", None),
    ],
)
def test_a_command_line_of_gunicorn(command: str, expected: list[str] | None) -> None:
    assert arguments(command.split()) == expected


def test_a_python_that_only_gunicorn_finds(tmp_path: Path) -> None:
    """`venv/bin/python -m gunicorn`, started in its folder."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', "utf-8")
    python.chmod(0o755)
    tmp_path.joinpath("gunicorn.conf.py").write_text("workers = 3\n", "utf-8")
    command = ["venv/bin/python", "-m", "gunicorn", "page:app"]
    server = Gunicorn(HOST, posing(*command, directory=str(tmp_path)))
    assert server.setting(WORKERS).value == "3"


def test_gunicorn_knows_every_default(site: Site) -> None:
    server, known = server_of(site), printed_settings(site)
    for one in KNOBS.values():
        found = server.setting(one)
        assert found.value == known[one.name], one.name
        is_set = one.name in ("workers", "keepalive")  # 0 is the default of max_requests
        assert found == Setting(known[one.name], is_set, str(site.conf) if is_set else None)
        if not is_set:
            assert found.value == one.default, one.name


def test_every_value_is_taken_and_is_what_gunicorn_reads(site: Site) -> None:
    for one in KNOBS.values():
        for value in candidates(one):
            with put(server_of(site).edited({one: value})):
                fresh = server_of(site)
                assert fresh.setting(one).value == value, (one.name, value)
                assert printed_settings(site)[one.name] == value, (one.name, value)
        with put(server_of(site).edited({one: candidates(one)[-1]})):
            assert server_of(site).test() is None, one.name
    assert len(KNOBS) >= 10


def test_nonsense_is_refused(site: Site) -> None:
    for changes, message in (
        ({"workers": "-1"}, "Value must be positive"),
        ({"worker_class": "nothing"}, "nothing"),
    ):
        with put(server_of(site).edited({KNOBS[name]: value for name, value in changes.items()})):
            assert re.search(message, server_of(site).test() or ""), changes
    page = site.folder / "page.py"
    with put({str(page): b"raise OSError('no database')\n"}):
        assert "no database" in (server_of(site).test() or "")


def test_a_running_server_takes_values_and_goes_back(site: Site, tmp_path: Path) -> None:
    def answers() -> None:
        site.page()

    before = site.conf.read_bytes()
    knobs = [WORKERS, CLASS, THREADS]
    tunable = Tunable(HOST, server_of(site), knobs, tmp_path / "j", answers)
    try:
        assert site.page()[1] == "False"
        tunable.apply(Configuration({WORKERS: "3", CLASS: "gthread", THREADS: "4"}, "test"))
        wait_until(lambda: len(site.workers) == 3)
        wait_until(lambda: site.page()[1] == "True")
        with pytest.raises(NotAccepted, match="nothing"):
            tunable.apply(Configuration({CLASS: "nothing"}, "test"))
        assert site.page()[1] == "True"
    finally:
        assert tunable.close() is None
    assert site.conf.read_bytes() == before
    wait_until(lambda: len(site.workers) == 2 and site.page()[1] == "False")


def test_a_worker_leads_to_the_first_process_beside_nginx(site: Site) -> None:
    found = find_all(HOST, [site.nginx, *site.workers, site.gunicorn])
    assert [one.name for one in found] == ["nginx", "gunicorn"]
    assert found[1].running.pid == site.gunicorn


def test_options_win_over_the_file() -> None:
    environment = {"GUNICORN_CMD_ARGS": "--keep-alive=7 --thr 3", "WEB_CONCURRENCY": "4"}
    module = (sys.executable, "-m", "gunicorn")
    with gunicorn_site("", ["--backl", "99"], environment, command=module) as site:
        server = server_of(site)
        assert server.setting(KNOBS["backlog"]) == Setting("99", True, COMMAND_LINE)
        assert server.setting(KNOBS["keepalive"]) == Setting("7", True, ENVIRONMENT)
        assert server.setting(THREADS) == Setting("3", True, ENVIRONMENT)
        assert server.setting(WORKERS) == Setting("4", True, "WEB_CONCURRENCY")
        asked = Asked(allowed=frozenset({"threads", "workers"}))
        found = choose(server, KNOBS.values(), diagnosis("pool"), asked, NAMES)
        why = {one.knob.name: one.obstacle for one in found}
        assert why["threads"] == "GUNICORN_CMD_ARGS sets it, which no file can change"
        assert why["workers"] is None
        with put(server.edited({WORKERS: "2"})):
            assert server_of(site).setting(WORKERS) == Setting("2", True, str(site.conf))


def test_without_a_file_the_usual_one_is_made_and_taken_away(tmp_path: Path) -> None:
    with gunicorn_site(None) as site:
        server = server_of(site)
        assert server.setting(WORKERS) == Setting("1", is_set=False)
        tunable = Tunable(HOST, server, [WORKERS], tmp_path / "j", lambda: None)
        changes = {WORKERS: "3"}
        tunable.apply(Configuration(changes, "test"))
        assert site.conf.read_text().splitlines()[-1] == "workers = 3"
        wait_until(lambda: len(site.workers) == 3)
        handed = install_files(tunable.originals, tunable.files(changes), {}, [])
        tunable.apply(AS_IT_IS)
        wait_until(lambda: len(site.workers) == 1)
        assert tunable.close() is None
        assert not site.conf.exists()
        diff = tmp_path / "changes.diff"
        diff.write_text(handed["changes.diff"])
        subprocess.run(["sh", "-c", install_command(diff)], check=True, capture_output=True)
        os.kill(site.gunicorn, signal.SIGHUP)
        wait_until(lambda: len(site.workers) == 3)


def test_a_relative_file_is_found_before_chdir() -> None:
    with gunicorn_site(
        CONF, ["-c", "gunicorn.conf.py", "--chdir", "/usr", "--pythonpath", "."]
    ) as one:
        server = server_of(one)
        assert server.running.directory == "/usr"
        assert server.setting(WORKERS) == Setting("2", True, str(one.conf))
        assert server.test() is None


def test_a_backlog_changes_with_a_restart(tmp_path: Path) -> None:
    def queue(where: int) -> str:
        words = HOST.run(["ss", "-Hltn", f"sport = :{where}"]).output.split()
        return words[2] if words else "it is not up"

    backlog = KNOBS["backlog"]
    assert backlog.apply == "restart"
    with gunicorn_site(CONF) as site:
        before = queue(site.inner)
        with put(server_of(site).edited({backlog: "77", WORKERS: "3"})):
            os.kill(site.gunicorn, signal.SIGHUP)
            wait_until(lambda: len(site.workers) == 3)
            assert queue(site.inner) == before != "77"
    pid, inner = tmp_path / "pid", port.free()
    (tmp_path / "page.py").write_text(APPLICATION.format(sleep_s=0))
    (tmp_path / "gunicorn.conf.py").write_text(CONF)
    start = (
        f"cd {tmp_path} && exec {PROGRAM} --bind 127.0.0.1:{inner} --no-control-socket --daemon "
        f"--pid {pid} page:app"
    )
    end = f"kill $(cat {pid}); while [ -e {pid} ]; do sleep 0.1; done"

    def now() -> list[int]:
        return [int(pid.read_text())] if pid.exists() else []

    subprocess.run(["sh", "-c", start], check=True)
    try:
        wait_until(lambda: pid.exists() and port.answers(inner))
        restart = ByCommand(HOST, ["sh", "-c", f"{end}; {start}"], now)
        server = find(HOST, now())
        tunable = Tunable(HOST, server, [backlog], tmp_path / "j", lambda: None, restart=restart)
        assert tunable.apply(Configuration({backlog: "77"}, "test"))
        wait_until(lambda: queue(inner) == "77")
        assert tunable.close() is None
        wait_until(lambda: pid.exists() and queue(inner) == before)
    finally:
        subprocess.run(["sh", "-c", end], check=True)


def test_without_its_command_line_it_cannot_be_tuned(site: Site) -> None:
    running = server_of(site).running
    titled = Running(running.pid, running.started, ["gunicorn: master [page:app]"], "/", {})
    with pytest.raises(InputError, match="setproctitle"):
        Gunicorn(HOST, titled)


def test_a_module_is_not_changed(site: Site) -> None:
    running = server_of(site).running
    command = [sys.executable, PROGRAM, "-c", "python:page", "page:app"]
    known = Running(running.pid, running.started, command, str(site.folder), {})
    with pytest.raises(InputError, match="start it with --config FILE"):
        Gunicorn(HOST, known).edited({WORKERS: "3"})


if os.geteuid() == 0:

    def test_the_application_is_loaded_as_the_workers_user() -> None:
        # Workers need not be allowed to run the Python of these tests: it may be at root's home.
        with tempfile.TemporaryDirectory() as name:
            packages = Path(name)
            packages.chmod(0o755)
            for package in ("gunicorn", "packaging"):
                home = Path(str(files(package)))
                shutil.copytree(home, packages / package)
            conf = "user = 'www-data'\nworker_tmp_dir = '/dev/shm'\n"
            command = ("/usr/bin/python3", "-m", "gunicorn")
            known = {"PYTHONPATH": name}
            with gunicorn_site(conf, environment=known, command=command) as site:
                wait_until(lambda: all(user_of(pid) for pid in site.workers))
                user = user_of(site.workers[0])
                code = "import os; raise OSError('I am %d' % os.geteuid())\n"
                with put({str(site.folder / "page.py"): code.encode()}):
                    assert f"I am {user}" in (server_of(site).test() or "")
                    site.conf.chmod(0o600)  # only its first process may read it
                    assert "I am 0" in (server_of(site).test() or "")

    def user_of(pid: int) -> int:
        return Path(f"/proc/{pid}").stat().st_uid
