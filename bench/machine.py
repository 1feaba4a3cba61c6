"""The machine while it is measured: how busy it is, and what it allows."""

import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

QUIET = 1.0
"""Load average of a minute below which others hardly disturb a measurement."""
EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class Load:
    """How busy the machine was: the load average of the last minute, and CPU stolen since boot."""

    average: float
    stolen_s: float

    def as_json(self) -> dict[str, float]:
        """For a file."""
        return asdict(self)


def load() -> Load:
    """How busy the machine is now."""
    ticks = Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()
    return Load(os.getloadavg()[0], int(ticks[8]) / os.sysconf("SC_CLK_TCK"))


def wait_until_quiet(patience_s: float) -> Load:
    """Wait until little else runs, for a limited time; returns how busy the machine is then."""
    deadline_s = time.monotonic() + patience_s
    while load().average > QUIET and time.monotonic() < deadline_s:
        time.sleep(EVERY_S)
    return load()


def described() -> dict[str, str | int]:
    """What the figures were measured on, without names of people or places."""
    cores = os.cpu_count() or 1
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory_gib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "system": platform.system(),
        "kernel": platform.release(),
        "processors": cores,
        "processor": found[1].strip() if found else platform.machine(),
        "memory": f"{memory_gib:.1f} GiB",
    }


def urgent() -> list[str]:
    """The prefix of a command that runs it under the real-time policy, as a run does.

    Empty where this process may not, or has no `chrt` (util-linux).
    """
    prefix = ["chrt", "--rr", "1"]
    if shutil.which("chrt") is None:
        return []
    allowed = subprocess.run([*prefix, "true"], check=False, capture_output=True)
    return prefix if allowed.returncode == 0 else []
