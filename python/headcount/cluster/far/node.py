"""A node of Ray on this machine: started, watched, and ended with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from headcount.cluster.far.files import write_private

MARK = "HEADCOUNT_CLUSTER_RUN"
"""The environment variable of all processes of a node: its value is the node's folder."""
LAUNCHER = "headcount"
"""The script for people to start on a head that Headcount logged in to."""
STARTED = "Ray runtime started"
END_S = 15.0
"""How long a node may take to end by itself: on a quiet machine it takes 3 s."""
TAIL_BYTES = 4000


def start(
    run: str,
    temp: str,
    line: list[str],
    environment: dict[str, str],
    files: dict[str, str],
    longest_s: float,
) -> int:
    """Start a node and wait until it works; returns its process.

    `run` is a new folder for its files, `temp` one with a short path for its sockets. Raises
    RuntimeError with what Ray says, and OSError.
    """
    folder = Path(run)
    folder.mkdir()
    Path(temp).mkdir()
    for name, text in files.items():
        write_private(folder / name, text)
    if (folder / LAUNCHER).exists():
        (folder / LAUNCHER).chmod(0o700)
    log = folder / "ray.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            line,
            cwd="/",
            env={**_own_environment(), **environment, MARK: run},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    end_s = time.monotonic() + longest_s
    while time.monotonic() < end_s:
        if not log.exists():  # the cluster is being ended
            process.kill()
            raise RuntimeError("interrupted")
        text = log.read_bytes().decode("utf-8", "replace")
        if STARTED in text:
            return process.pid
        if process.poll() is not None:
            raise RuntimeError(f"Ray ended at once: {_reason(text)}")
        time.sleep(0.1)
    raise RuntimeError(f"Ray did not start within {longest_s:g} s: {_reason(text)}")


def run(line: list[str], environment: dict[str, str], longest_s: float) -> dict[str, Any]:
    """Run a program to its end; returns its exit code and what it printed."""
    try:
        ended = subprocess.run(
            line,
            cwd="/",
            env={**_own_environment(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no answer within {longest_s:g} s") from None
    return {
        "code": ended.returncode,
        "out": ended.stdout.decode("utf-8", "replace"),
        "err": ended.stderr.decode("utf-8", "replace")[-TAIL_BYTES:],
    }


def alive(run: str) -> list[int]:
    """The processes of a node: those with its mark, and those of their sessions.

    A process that sets its title may overwrite its variables.
    """
    mark = f"{MARK}={run}\0".encode()
    sessions = {}
    marked = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_marked = mark in (path / "environ").read_bytes()
        except OSError:
            continue
        pid = int(path.name)
        sessions[pid] = _stat(pid, 3)
        if is_marked:
            marked.add(sessions[pid])
    marked.discard(0)
    return sorted(pid for pid, session in sessions.items() if session in marked)


def stop(run: str) -> list[int]:
    """End the processes of a node; returns those that are left."""
    with contextlib.suppress(OSError):  # a node that is about to start sees this and does not
        Path(run, "ray.log").unlink()
    mine = set(alive(run))
    for pid in mine:
        if _stat(pid, 1) not in mine:  # Ray's first process ends the others in an orderly way
            _signal(pid, signal.SIGTERM)
    end_s = time.monotonic() + END_S
    while alive(run) and time.monotonic() < end_s:
        time.sleep(0.1)
    end_s = time.monotonic() + END_S
    while alive(run) and time.monotonic() < end_s:
        for pid in alive(run):
            _signal(pid, signal.SIGKILL)
        time.sleep(0.1)
    return alive(run)


def _own_environment() -> dict[str, str]:
    """Variables of this login, without those that redirect Python or Ray."""
    return {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RAY_"))
    }


def _stat(pid: int, field: int) -> int:
    """A figure of /proc/PID/stat, counted from the state: 1 is the parent, 3 the session."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[field])


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _reason(text: str) -> str:
    """The most informative line of Ray's output."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wanted = [line for line in lines if "Error" in line or "error" in line]
    return (wanted or lines or ["it says nothing"])[-1][:400]
