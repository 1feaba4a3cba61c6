"""Servers that a keeper keeps: nothing of them is left, whatever was killed or frozen."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.lab import keeper, port, process
from headcount.lab.home import Home
from headcount.lab.kept import KeptServer
from processes import processes_with, wait_for

FOREVER = "import time\ntime.sleep(600)\n"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
WRITE_PID = "open(sys.argv[1] + '/told', 'a').write(f'{os.getpid()}\\n')\n"
FAMILY = f"import os, sys\nif os.fork() == 0:\n    {WRITE_PID}else:\n    {WRITE_PID}{FOREVER}"
"""A server of two processes."""
DAEMON = (
    "import os, sys\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    f"    if os.fork() == 0:\n        {WRITE_PID}        import time\n        time.sleep(600)\n"
    "    os._exit(0)\n"
    f"{WRITE_PID}{FOREVER}"
)
"""A server with a daemon that leaves its group, its session and its parent."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = Home("web")
    yield made
    made.delete()
    for pid in processes_with(str(tmp_path)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kept_server(program: str, home: Home) -> KeptServer:
    return KeptServer([sys.executable, "-S", "-c", program, str(home.path)], home.path)


def alive(pid: int) -> bool:
    return any(one.pid == pid for one in keeper.processes())


def pids_of(home: Home, number: int) -> list[int]:
    """The processes of a server once there are this many."""
    file = home.path / "told"
    wait_for(lambda: file.exists() and len(file.read_text().splitlines()) == number)
    return [int(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("program", [FAMILY, DAEMON], ids=["family", "daemon"])
def test_all_processes_of_a_server_end_with_it(home: Home, program: str) -> None:
    server = kept_server(program, home)
    pids = pids_of(home, 2)
    assert server.server_pid in pids
    assert server.server_pid != server.pid
    assert os.getsid(server.server_pid) == server.server_pid  # and so it has a group of its own
    server.stop()
    assert not any(map(alive, pids))
    assert not home.path.exists()
    server.stop()


def test_a_frozen_server_ends_in_its_own_way(home: Home, tmp_path: Path) -> None:
    farewell = tmp_path / "said"
    handler = f"lambda *_: (open({str(farewell)!r}, 'a').write('bye '), sys.exit())"
    obeys = f"import signal, sys\nsignal.signal(signal.SIGTERM, {handler})\n"
    server = kept_server(obeys + DAEMON, home)
    pids = pids_of(home, 2)
    for pid in (*pids, server.pid):
        os.kill(pid, signal.SIGSTOP)
    server.stop()
    assert not any(map(alive, pids))
    assert farewell.read_text() == "bye bye "  # they were continued and asked, not killed


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_keeper_that_is_signalled_ends_its_server(home: Home, name: signal.Signals) -> None:
    server = kept_server(DAEMON, home)
    pids = pids_of(home, 2)
    os.kill(server.pid, name)
    wait_for(lambda: not home.path.exists())
    assert not any(map(alive, pids))
    server.stop()


def test_a_server_ends_with_its_killed_keeper(home: Home) -> None:
    server = kept_server(FAMILY, home)
    (pid,) = {server.server_pid} & set(pids_of(home, 2))
    os.kill(server.pid, signal.SIGKILL)
    wait_for(lambda: not alive(pid))
    server.stop()
    assert not processes_with(str(home.path))


def test_frozen_processes_of_a_killed_keeper_end_when_stopped(home: Home) -> None:
    server = kept_server(FAMILY, home)
    pids = pids_of(home, 2)
    os.killpg(server.server_pid, signal.SIGSTOP)
    wait_for(lambda: all(") T " in Path(f"/proc/{pid}/stat").read_text() for pid in pids))
    os.kill(server.pid, signal.SIGKILL)
    assert all(map(alive, pids))
    server.stop()
    assert not any(map(alive, pids))


def test_a_group_whose_number_is_used_again_is_left_alone(home: Home) -> None:
    server = kept_server(FOREVER, home)
    time.sleep(0.05)  # the start of a process is counted in hundredths of a second
    with subprocess.Popen([sys.executable, "-S", "-c", FOREVER], process_group=0) as stranger:
        try:
            wait_for(lambda: alive(stranger.pid))
            mine, server.server_pid = server.server_pid, stranger.pid
            os.kill(server.pid, signal.SIGKILL)
            server.stop()
            assert alive(stranger.pid)
            wait_for(lambda: not alive(mine))
        finally:
            stranger.kill()


def test_nothing_is_left_when_the_owner_is_killed(home: Home) -> None:
    folder = home.path.with_name("web-of-an-owner")
    folder.mkdir()
    command = [sys.executable, "-S", "-c", DAEMON, str(folder)]
    owner = f"""if True:
        import time
        from pathlib import Path
        from headcount.lab.kept import KeptServer
        server = KeptServer({command!r}, Path({str(folder)!r}))
        time.sleep(600)
    """
    with subprocess.Popen([sys.executable, "-c", owner]) as process_of_owner:
        try:
            file = folder / "told"
            wait_for(lambda: file.exists() and len(file.read_text().splitlines()) == 2)
            pids = [int(line) for line in file.read_text().splitlines()]
            assert all(map(alive, pids))
        finally:
            process_of_owner.kill()
    wait_for(lambda: not folder.exists() and not processes_with(str(folder)))
    assert not any(map(alive, pids))


def test_a_server_that_ends_by_itself_leaves_its_log_to_its_owner(home: Home) -> None:
    log = home.path / "log"
    program = "import sys\nopen(sys.argv[1] + '/log', 'w').write('no space\\n')\nprint('on stdout')"
    server = kept_server(program, home)
    with pytest.raises(SystemLimitError, match="ended at once; its log: on stdout\nno space"):
        server.got_port(port.free(), log)
    server.stop()
    assert not home.path.exists()


def test_children_end_when_their_server_has_died(home: Home) -> None:
    server = kept_server(DAEMON, home)
    pids = pids_of(home, 2)
    os.kill(server.server_pid, signal.SIGKILL)
    wait_for(lambda: not any(map(alive, pids)))
    assert alive(server.pid)
    assert home.path.exists()
    server.stop()


def test_a_server_that_never_listens_is_an_error(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = kept_server(FOREVER, home)
    monkeypatch.setattr(process, "START_S", 0.2)
    with pytest.raises(SystemLimitError, match=r"was not ready within 0\.2 s; its log: nothing"):
        server.got_port(port.free(), home.path / "log")
    server.stop()


def test_a_missing_program_is_an_error(home: Home) -> None:
    with pytest.raises(SystemLimitError, match="cannot start /no/such/program: No such file"):
        KeptServer(["/no/such/program"], home.path)
    assert not home.path.exists()


def test_only_homes_of_the_lab_are_deleted(home: Home, tmp_path: Path) -> None:
    for folder in (tmp_path / "mine", home.path / "inner", home.path / ".."):
        folder.mkdir(exist_ok=True)
        with pytest.raises(SystemLimitError, match="is not a home of the lab"):
            KeptServer([sys.executable, "-S", "-c", FOREVER], folder)
        assert folder.exists()
    link = tmp_path / "headcount" / "lab" / "web-link"
    link.symlink_to(tmp_path / "mine")
    with pytest.raises(SystemLimitError, match="is not a home of the lab"):
        KeptServer([sys.executable, "-S", "-c", FOREVER], link)
    assert (tmp_path / "mine").exists()


def test_a_server_gets_all_file_handles(home: Home) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    program = "import json, resource, signal, sys\nfound = [resource.getrlimit(kind) for kind in "
    program += "(resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)]\n"
    program += "open(sys.argv[1] + '/new', 'w').write(json.dumps(found))\n"
    program += f"import os\nos.rename(sys.argv[1] + '/new', sys.argv[1] + '/limits')\n{FOREVER}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        server = kept_server(program, home)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    limits = home.path / "limits"
    wait_for(limits.exists)
    files, number = json.loads(limits.read_text())
    assert files == [min(hard, keeper.MOST) if hard >= 0 else keeper.MOST, hard]
    assert number[0] in {number[1], keeper.MOST}
    assert Path(f"/proc/{server.server_pid}/fd/0").readlink() == Path("/dev/null")
    server.stop()


def test_processes_that_ignore_the_signal_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TERM_S", 0.3)
    program = DEAF + "print(flush=True)\n" + FOREVER
    with subprocess.Popen([sys.executable, "-S", "-c", program], stdout=subprocess.PIPE) as deaf:
        assert deaf.stdout is not None
        deaf.stdout.readline()
        keeper.end(lambda: keeper.descendants(os.getpid()) & {deaf.pid})
        assert deaf.wait() == -signal.SIGKILL


def test_ending_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "TERM_S", 0.1)
    monkeypatch.setattr(keeper, "KILL_S", 0.1)
    keeper.end(lambda: {2**22 + 1})  # a number that no process has


def test_a_keeper_has_time_before_it_is_killed_itself() -> None:
    assert keeper.TERM_S + keeper.KILL_S < process.STOP_S


def test_a_keeper_imports_little() -> None:
    program = "import sys\nimport headcount.lab.keeper\nprint(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert not {"typer", "pydantic", "rich", "numpy", "headcount._engine"} & set(loaded)
