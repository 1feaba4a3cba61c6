"""Keeps a lab server that does not end by itself when the process that started it is gone.

`python -m headcount.lab.keeper [--home FOLDER] [--user UID:GID] -- COMMAND ...` starts the command
in a session of its own, as that user, and prints `{"pid": ...}`. When its standard input ends, or a
signal asks for it, it ends every descendant of the command and deletes the folder, which must be a
home of the lab. A line `restart SIGNAL` on its standard input ends the server with that signal,
starts the command again, and prints its new pid.

- Servers signal the group of their process, and daemons leave it. So the command gets a group of
  its own, and the keeper ends not the group but all descendants: it adopts those whose parents have
  ended (`PR_SET_CHILD_SUBREAPER`).
- If this process is killed, the system sends the server SIGTERM (`PR_SET_PDEATHSIG`).
- A server that ends by itself leaves its folder, and the log in it, until the owner has seen it.
"""

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from headcount.lab.home import bases

ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals on which the keeper ends."""
TERM_S = 5.0
"""How long processes have to end by themselves. With KILL_S less than `process.STOP_S`."""
KILL_S = 2.0
"""How long killed processes have to disappear; one that waits for a broken disk never may."""
PAUSE_S = 0.05
"""Pause between two looks for processes that are left."""
RESTART_S = 20.0
"""How long a restarted server has to end by itself: its data must stay intact."""
END, RESTART = "end", "restart"
MOST = 1 << 20
"""Most file handles and processes that a server gets: the default of fs.nr_open. Some programs walk
all possible handles; the thousand million that containers allow would take them minutes."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
"""linux/prctl.h."""


class Process(NamedTuple):
    """A process that is not a zombie."""

    pid: int
    parent: int
    group: int
    started: int
    """In clock ticks since boot; together with the pid it identifies one process for good."""


def processes() -> list[Process]:
    """All processes (proc(5), `/proc/pid/stat`)."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):  # it has just ended
                text = (folder / "stat").read_bytes()
                fields = text[text.rfind(b")") + 2 :].split()
                if fields[0] not in {b"Z", b"X"}:
                    parent, group, started = (int(fields[at]) for at in (1, 2, 19))
                    found.append(Process(int(folder.name), parent, group, started))
    return found


def descendants(*pids: int) -> set[int]:
    """The children of processes, their children, and so on."""
    children: dict[int, list[int]] = {}
    for process in processes():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(pids)
    while waiting:
        new = children.pop(waiting.pop(), [])
        found.update(new)
        waiting += new
    return found


def end(find: Callable[[], set[int]]) -> None:
    """End the processes that `find` finds until it finds none, frozen ones too.

    They get SIGTERM first, and are killed after TERM_S. Gives up after KILL_S more.
    """
    began_s = time.monotonic()
    asked: set[int] = set()
    while pids := find():
        took_s = time.monotonic() - began_s
        if took_s > TERM_S + KILL_S:
            return
        for pid in pids if took_s > TERM_S else pids - asked:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if took_s > TERM_S else signal.SIGTERM)
                os.kill(pid, signal.SIGCONT)
        asked |= pids
        time.sleep(PAUSE_S)


class Orders:
    """What the keeper waits for: its standard input, signals, and the server's end."""

    def __init__(self) -> None:
        """Catch the signals from now on."""
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        for name in (*ENDS, signal.SIGCHLD):
            signal.signal(name, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._poll = select.poll()
        self._poll.register(sys.stdin.fileno(), select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def wait(self, server: int | None) -> str | None:
        """`END`, or `RESTART` and a signal; None when the server has ended.

        Collects dead children.
        """
        while server is None or server not in dead_children():
            for handle, _ in self._poll.poll():
                order = os.read(handle, 4096)
                if handle == self._woken:
                    if set(order) & set(ENDS):
                        return END
                else:
                    return order.decode("ascii") or END
        return None


def dead_children() -> set[int]:
    """Collect the children that have ended."""
    found: set[int] = set()
    with contextlib.suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            found.add(pid)
    return found


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} is refused")


def allow(limit: int) -> None:
    """Raise a limit of this process as far as it may, up to MOST."""
    soft, hard = resource.getrlimit(limit)
    most = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(limit, (most, hard))


def start(command: Sequence[str], user: str | None = None) -> int:
    """Start the server with all the file handles and processes it may have; returns its pid.

    `user` is the account that it runs as, `uid:gid`, without any other group.
    """
    keeper = os.getpid()

    def before_it_runs() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != keeper:  # killed before the line above
            os._exit(1)
        allow(resource.RLIMIT_NOFILE)
        allow(resource.RLIMIT_NPROC)

    uid, gid = (int(number) for number in user.split(":")) if user else (None, None)
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/" if user else None,  # it may have no access to this process's folder
        user=uid,
        group=gid,
        extra_groups=[] if user else None,
        preexec_fn=before_it_runs,  # noqa: PLW1509 - there is one thread
    ).pid


def keep(command: Sequence[str], user: str | None = None) -> None:
    """Start a server, wait until it must end, and then until all of its processes have."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    orders = Orders()
    order: str | None = RESTART
    while order != END:
        server = start(command, user)
        print(f'\n{{"pid": {server}}}', flush=True)  # it may have left half a line there
        order = orders.wait(server)
        if order not in {None, END}:
            _ask(server, order)
        end(_remaining_processes)
        if order is None:
            order = orders.wait(None)


def _ask(server: int, order: str) -> None:
    """Ask a server to end with the signal of an order, and wait until it has."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(server, int(order.removeprefix(RESTART)))
    end_s = time.monotonic() + RESTART_S
    while server not in dead_children() and time.monotonic() < end_s:
        time.sleep(PAUSE_S)


def _remaining_processes() -> set[int]:
    """The server's descendants that have not ended."""
    dead_children()
    return descendants(os.getpid())


def main(arguments: Sequence[str]) -> int:
    """Keep a server; returns the exit code."""
    where = arguments.index("--")
    options = dict(zip(arguments[:where:2], arguments[1:where:2], strict=True))
    command = arguments[where + 1 :]
    home = Path(options["--home"]) if "--home" in options else None
    if home is not None and home.resolve().parent not in {one.resolve() for one in bases()}:
        print(f"{home} is not a home of the lab; those are in {bases()[0]}")
        return 2
    try:
        keep(command, options.get("--user"))
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}")
        return 1
    finally:
        if home is not None:
            shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
