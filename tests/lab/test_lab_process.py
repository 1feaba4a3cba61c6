"""Servers of the lab as processes: waited for, ended whatever they do, never left behind."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.lab import process
from headcount.lab.process import ServerProcess
from processes import wait_for

READY = 'print(\'{"address": "here"}\', flush=True)\n'
FOREVER = "import time\ntime.sleep(600)\n"


def python(program: str) -> list[str]:
    return [sys.executable, "-S", "-c", program]


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    return False


def test_the_ready_line_is_found_among_others() -> None:
    server = ServerProcess(python("print('starting', flush=True)\n" + READY + FOREVER))
    assert server.ready_line("{") == '{"address": "here"}'
    assert alive(server.pid)
    server.stop()
    assert not alive(server.pid)
    server.stop()


def test_a_half_line_is_not_the_ready_line() -> None:
    program = "import sys, time\nsys.stdout.write('{\"a')\nsys.stdout.flush()\ntime.sleep(0.3)\n"
    server = ServerProcess(python(program + "print('\": 1}', flush=True)\n" + FOREVER))
    assert server.ready_line("{") == '{"a": 1}'
    server.stop()


def test_the_log_of_a_server_that_ended_is_quoted() -> None:
    server = ServerProcess(python("raise SystemExit('the port is taken')"))
    with pytest.raises(SystemLimitError, match="ended at once; its log: the port is taken"):
        server.ready_line("{")


def test_a_server_that_is_never_ready_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START_S", 0.3)
    server = ServerProcess(python(FOREVER))
    with pytest.raises(SystemLimitError, match="not ready within"):
        server.ready_line("{")
    assert not alive(server.pid)


def test_an_interrupted_wait_ends_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    server = ServerProcess(python(FOREVER))
    monkeypatch.setattr(process.time, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        server.ready_line("{")
    assert not alive(server.pid)


def test_a_server_that_ignores_the_signal_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STOP_S", 0.3)
    deaf = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    server = ServerProcess(python(deaf + READY + FOREVER))
    server.ready_line("{")
    server.stop()
    assert not alive(server.pid)


def test_a_frozen_server_is_continued_and_ends_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "STOP_S", 120.0)
    last = tmp_path / "last words"
    polite = (
        "import pathlib, signal, sys\n"
        f"signal.signal(signal.SIGTERM, lambda *_: sys.exit(pathlib.Path({str(last)!r}).touch()))\n"
    )
    server = ServerProcess(python(polite + READY + FOREVER))
    server.ready_line("{")
    os.kill(server.pid, signal.SIGSTOP)
    server.stop()
    assert not alive(server.pid)
    assert last.exists()  # it was not killed


def test_ctrl_c_of_the_terminal_does_not_reach_the_server() -> None:
    server = ServerProcess(python(READY + FOREVER))
    assert os.getsid(server.pid) != os.getsid(0)
    server.stop()


def test_a_missing_program_is_an_error() -> None:
    with pytest.raises(SystemLimitError, match="cannot start /no/such/program: No such file"):
        ServerProcess(["/no/such/program"])


def test_standard_input_ends_when_the_owner_is_killed(tmp_path: Path) -> None:
    # The server writes its pid, then ends with its standard input.
    pid_file = tmp_path / "pid"
    server = f"import os\nopen({str(pid_file)!r}, 'w').write(str(os.getpid()))\n"
    server += READY + "os.read(0, 1)\n"
    owner = "import time\nfrom headcount.lab.process import ServerProcess\n"
    owner += f"server = ServerProcess({python(server)!r})\n"
    owner += "server.ready_line('{')\ntime.sleep(600)\n"
    with subprocess.Popen([sys.executable, "-c", owner]) as process_of_owner:
        try:
            wait_for(lambda: pid_file.exists() and pid_file.read_text())
            assert alive(int(pid_file.read_text()))
        finally:
            process_of_owner.kill()
    wait_for(lambda: not alive(int(pid_file.read_text())))
