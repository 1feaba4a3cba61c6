"""Machines made of files and functions, for the checks of `headcount doctor`."""

import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from headcount.counters.environment import FileSystem, Limits
from headcount.doctor.folders import LAB, Folder
from headcount.doctor.machine import Machine
from headcount.doctor.trials import Program
from headcount.errors import MachineLimitError
from headcount.lab.installed import NotInstalledError, Packages

GB = 1_000_000_000
USER = 1000
LIMITS = Limits(usable_cpus=4, open_files_soft=1024, open_files_hard=524_288)
FILES = {
    "proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 6000000 kB\n",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU\n\n",
    "proc/self/mountinfo": "22 27 0:21 / /proc rw,relatime - proc proc rw\n",
    "proc/self/schedstat": "165569068 36298969 408\n",
    "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
    "proc/7/status": "Name:\tserver\nUid:\t33\t33\t33\t33\n",
    "proc/7/io": "read_bytes: 1\nwrite_bytes: 2\n",
    "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    "proc/sys/net/ipv4/tcp_tw_reuse": "2\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
}


def stat(user: int, idle: int, steal: int) -> str:
    """`/proc/stat` of one CPU with these ticks."""
    ticks = f"{user} 0 0 {idle} 0 0 0 {steal}"
    return f"cpu  {ticks}\ncpu0 {ticks}\n"


@contextlib.contextmanager
def granting(granted: bool) -> Iterator[bool]:
    yield granted


def refusing(text: str, kind: type[Exception] = MachineLimitError) -> Callable[..., Any]:
    """A trial that fails."""

    def refuse(*_: object) -> None:
        raise kind(text)

    return refuse


def folder(purpose: str = LAB, path: str = "/data", can_write: bool = True) -> Folder:
    return Folder(purpose, Path(path), "export XDG_CACHE_HOME=/some/folder", can_write)


def disk(free_bytes: int, kind: str = "ext4") -> Callable[[Path], FileSystem]:
    return lambda path: FileSystem(path=str(path), kind=kind, free_bytes=free_bytes)


def program(*, here: bool = True, name: str = "nginx") -> Program:
    packages = Packages(name, f"{name}-fedora")
    look = (lambda: name) if here else refusing(f"no {name}", NotInstalledError)
    return Program(look, packages, f"what needs {name}")


def write(root: Path, files: dict[str, str | None]) -> None:
    """Write files below a root; None deletes one."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)


def machine(root: Path, files: dict[str, str | None] | None = None, **given: Any) -> Machine:
    """A machine on which everything works, except for what is given."""
    write(root, {**FILES, **(files or {})})
    stats = [stat(1000, 5000, 0), stat(1001, 5099, 0)]
    ticking = itertools.chain(given.pop("stats", stats), itertools.repeat(stats[-1]))
    moments = itertools.count(0, 50)

    def read(path: str) -> str | None:
        if path == f"{root}/proc/stat":
            return next(ticking)
        try:
            return Path(path).read_text()
        except OSError:
            return None

    defaults: dict[str, Any] = {
        "uid": USER,
        "read": read,
        "limits": lambda _: LIMITS,
        "file_system": disk(500 * GB),
        "folders": lambda _: (folder(), folder("runs", "/runs")),
        "has_program": lambda name: name == "apt-get",
        "engine": lambda: None,
        "loopback": lambda: None,
        "ring": lambda: None,
        "real_time": lambda: granting(True),
        "groups": lambda _: 2,
        "network": lambda: None,
        "line": lambda: None,
        "user_namespace": lambda: None,
        "servers": {"lab:nginx": program()},
        "helpers": {"ssh": program(name="openssh-client")},
        "netlink": lambda: None,
        "own_cpu_s": lambda: 0.0,
        "clock_ns": lambda: next(moments),
        "sleep": lambda seconds: next(itertools.islice(moments, round(seconds * 1e9 / 50), None)),
        "sample_s": 0.0,
    }
    return Machine(root=root, **{**defaults, **given})


def seconds(*moments: int) -> Callable[[], int]:
    """A clock that shows these seconds, and then the last for ever."""
    shown = itertools.chain(moments, itertools.repeat(moments[-1]))
    return lambda: next(shown) * GB


def clock(step_ns: int) -> Callable[[], int]:
    """A clock that advances by this much with each reading."""
    moments = itertools.count(0, step_ns)
    return lambda: next(moments)
