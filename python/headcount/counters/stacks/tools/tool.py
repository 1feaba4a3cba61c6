"""The interface of tools that take stacks of programs."""

import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from headcount.counters.proc.files import read_text

_POLL_S = 0.05
_ENDING_S = 10.0
"""For a program that is stopped and writes what it has: `perf` takes one on a busy machine, more on
a busier one."""


@dataclass(frozen=True, slots=True)
class Program:
    """A process of the server.

    Attributes:
        pid: Its number.
        name: As the kernel has it.
        path: The file that it runs; empty if unreadable.

    """

    pid: int
    name: str
    path: str


@dataclass(slots=True)
class Parsed:
    """Stacks by kind, each from the process to the innermost function, with its count.

    Attributes:
        on: Of threads on a CPU, or ready for one.
        off: Of threads that wait.

    """

    on: Counter[tuple[str, ...]] = field(default_factory=Counter)
    off: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, other: "Parsed") -> None:
        """Add the stacks of another parse."""
        self.on += other.on
        self.off += other.off


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        name: As in names of files.
        recognises: Whether it supports a program, and is installed.
        take: Takes stacks of such programs for about that many seconds, or once; None if it failed.
        is_recording: Whether it records for some time; otherwise it is run again and again.

    """

    name: str
    recognises: Callable[[Program], bool]
    take: Callable[["Sequence[Program]", float, "Runner"], Parsed | None]
    is_recording: bool = False


class Runner:
    """Runs programs until it is stopped."""

    def __init__(self) -> None:
        """Not stopped yet."""
        self.stopped = threading.Event()

    def output(
        self, command: Sequence[str], longest_s: float, *, to_its_end: bool = False
    ) -> str | None:
        """The output of a program; None if it fails or takes too long.

        Also None if the runner is stopped meanwhile, unless it may run `to_its_end`.
        """
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            return None
        read: list[bytes] = []
        reader = threading.Thread(target=lambda: read.append(_all_of(child)), daemon=True)
        reader.start()
        waited_s = 0.0
        while reader.is_alive() and waited_s < longest_s:
            if self.stopped.is_set() and not to_its_end:
                break
            reader.join(_POLL_S)
            waited_s += _POLL_S
        is_whole = not reader.is_alive()
        if not is_whole:
            child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_ENDING_S)
        if child.poll() is None:
            child.kill()
            child.wait()
        reader.join(_ENDING_S)
        if not is_whole or child.returncode or not read:
            return None
        return read[0].decode("utf-8", "replace")


def programs(proc: str, pids: Sequence[int]) -> list[Program]:
    """Processes as programs; those that have ended are left out."""
    found = []
    for pid in pids:
        name = read_text(f"{proc}/{pid}/comm")
        if name is None:
            continue
        path = ""
        with suppress(OSError):
            path = str(Path(f"{proc}/{pid}/exe").readlink())
        found.append(Program(pid, name.strip(), path))
    return found


def found_tool(name: str) -> str | None:
    """The path of a tool, on the PATH or beside Headcount's own interpreter; None if not found.

    It is not searched for beside the server's interpreter: Headcount often runs as root, and would
    run whatever the server's user put there.
    """
    beside = Path(sys.executable).parent / name
    return shutil.which(name) or (str(beside) if beside.is_file() else None)


def _all_of(child: "subprocess.Popen[bytes]") -> bytes:
    if child.stdout is None:
        return b""
    with child.stdout as output:
        return output.read()
