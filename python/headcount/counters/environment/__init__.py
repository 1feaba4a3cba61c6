"""The environment disclosure: what a machine is, so that a result can be judged and repeated.

Benchmarks publish it with every result (SPEC's full disclosure report, TPC's likewise). What
is unknown is None, never a guess, and no file has to exist. Environment variables and
process lists are left out on purpose: they hold secrets.
"""

import os
import platform
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.cpu import Cpu, describe_cpu
from headcount.counters.environment.disk import Disk, describe_disks
from headcount.counters.environment.filesystem import FileSystem, describe_file_systems
from headcount.counters.environment.interface import Interface, describe_interfaces
from headcount.counters.environment.kernel import Kernel, describe_kernel
from headcount.counters.environment.limits import Limits, describe_limits
from headcount.counters.environment.reading import first_line, key_values
from headcount.counters.environment.virtual import Virtual, describe_virtual
from headcount.counters.proc import memory
from headcount.counters.proc.files import read_text

__all__ = [
    "Cpu",
    "Disk",
    "Environment",
    "FileSystem",
    "Interface",
    "Kernel",
    "Limits",
    "Virtual",
    "describe_host",
]


class Environment(BaseModel):
    """One machine as it was at the start of a run.

    Attributes:
        hostname: The machine's own name.
        operating_system: The distribution's full name, such as "Debian GNU/Linux 12 (bookworm)".
        architecture: Instruction set, such as "x86_64".
        memory_bytes: Memory the kernel manages.
        swap_bytes: Swap space; 0 where there is none.
        clock_source: The kernel's clock source.
        python_version: Version of the interpreter Headcount runs in.
        headcount_version: Headcount's own version.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hostname: str | None
    operating_system: str | None
    architecture: str | None
    cpu: Cpu
    memory_bytes: int | None
    swap_bytes: int | None
    disks: tuple[Disk, ...]
    interfaces: tuple[Interface, ...]
    file_systems: tuple[FileSystem, ...]
    kernel: Kernel
    limits: Limits
    virtual: Virtual
    clock_source: str | None
    python_version: str
    headcount_version: str


def describe_host(
    headcount_version: str, paths: Iterable[Path] = (), *, root: Path = Path("/")
) -> Environment:
    """Describe this machine.

    Args:
        headcount_version: Headcount's own version.
        paths: Files or folders whose file systems matter to the run; they need not exist.
        root: Where ``proc``, ``sys`` and ``etc`` are found.

    """
    meminfo = memory.parse(read_text(os.fspath(root / "proc/meminfo")) or "")
    clock = root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
    return Environment(
        hostname=platform.node() or None,
        operating_system=_operating_system(root),
        architecture=platform.machine() or None,
        cpu=describe_cpu(root),
        memory_bytes=meminfo.get("MemTotal"),
        swap_bytes=meminfo.get("SwapTotal"),
        disks=describe_disks(root),
        interfaces=describe_interfaces(root),
        file_systems=describe_file_systems(paths, root),
        kernel=describe_kernel(root),
        limits=describe_limits(root),
        virtual=describe_virtual(root),
        clock_source=first_line(clock),
        python_version=platform.python_version(),
        headcount_version=headcount_version,
    )


def _operating_system(root: Path) -> str | None:
    for place in ("etc/os-release", "usr/lib/os-release"):
        text = read_text(os.fspath(root / place))
        if text is not None:
            values = key_values(text, "=")
            name = values.get("PRETTY_NAME") or values.get("NAME")
            return name.strip("\"'") if name else None
    return None
