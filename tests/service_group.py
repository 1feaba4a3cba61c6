"""A control group of a service or container, in every hierarchy that this machine has.

systemd does not run where tests do. What Headcount knows a unit by is the name of its control
group, and a group of any name can be made.
"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpu", "cpuacct", "memory", "unified")


def folders(name: str) -> list[Path]:
    """Where the group is or would be: version 2 alone has one hierarchy."""
    if (ROOT / "cgroup.controllers").exists():
        return [ROOT / name.strip("/")]
    return [ROOT / one / name.strip("/") for one in CONTROLLERS if (ROOT / one).is_dir()]


@contextlib.contextmanager
def group(name: str) -> Iterator[list[Path]]:
    """The group, empty at first; processes still in it at the end are moved out."""
    made = folders(name)
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield made
    finally:
        for folder in made:
            _remove(folder)


def move(pid: int, made: list[Path]) -> None:
    """Put a process into the group; its later children are in it, too."""
    for folder in made:
        (folder / "cgroup.procs").write_text(str(pid))


def cpu_s(name: str) -> float:
    """CPU time that the group has used, as the kernel says."""
    usage = ROOT / "cpuacct" / name.strip("/") / "cpuacct.usage"
    if usage.exists():
        return int(usage.read_text()) / 1e9
    text = (folders(name)[-1] / "cpu.stat").read_text()
    return int(text.split("usage_usec ")[1].split()[0]) / 1e6


def _remove(folder: Path) -> None:
    """Remove it, and those above it that are empty then, such as system.slice."""
    root = _root(folder)
    end_s = time.monotonic() + 10
    while folder != root and time.monotonic() < end_s:
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                (root / "cgroup.procs").write_text(pid)
        try:
            folder.rmdir()
        except OSError:
            if any(one.is_dir() for one in folder.iterdir()):  # another test's group
                return
            time.sleep(0.05)  # a process in it is still ending
            continue
        folder = folder.parent


def _root(folder: Path) -> Path:
    """The root of the hierarchy that a group is in."""
    if (ROOT / "cgroup.controllers").exists():
        return ROOT
    return ROOT / folder.relative_to(ROOT).parts[0]
