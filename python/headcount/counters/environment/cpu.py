"""The machine's processors."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.reading import first_line, folders, key_values, number
from headcount.counters.proc.files import read_text


class Cpu(BaseModel):
    """The processors of a machine.

    Attributes:
        model: The processor's name by its maker.
        logical: CPUs the kernel schedules on.
        sockets: Processor packages.
        cores: Cores of all packages.
        threads_per_core: Logical CPUs a core.
        mhz: Clock of the first CPU when it was read; where the clock varies, a moment's value.
        max_mhz: Highest clock the frequency driver allows.
        governor: The kernel's policy for the clock.
        microcode: Version of the processor's microcode.
        vulnerabilities: What the kernel reports on each known flaw of the processor and its
            mitigation, which costs CPU time. Flaws the processor does not have are left out.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = None
    logical: int | None = None
    sockets: int | None = None
    cores: int | None = None
    threads_per_core: int | None = None
    mhz: float | None = None
    max_mhz: float | None = None
    governor: str | None = None
    microcode: str | None = None
    vulnerabilities: Mapping[str, str] | None = None


def describe_cpu(root: Path) -> Cpu:
    """Describe the processors from ``/proc/cpuinfo`` and ``/sys/devices/system/cpu``."""
    blocks = [
        key_values(block, ":")
        for block in (read_text(os.fspath(root / "proc/cpuinfo")) or "").split("\n\n")
    ]
    # Some architectures end the file with a block about the board.
    cpus = [block for block in blocks if "processor" in block]
    first = cpus[0] if cpus else {}
    system = root / "sys/devices/system/cpu"
    packages, cores = _topology(system)
    max_khz = number(system / "cpu0/cpufreq/cpuinfo_max_freq")
    return Cpu(
        # ARM kernels name no model there; the board's block may.
        model=first.get("model name") or first.get("cpu model"),
        logical=len(cpus) or None,
        sockets=packages,
        cores=cores,
        threads_per_core=len(cpus) // cores if cores and cpus else None,
        mhz=_float(first.get("cpu MHz")),
        max_mhz=max_khz / 1000 if max_khz is not None else None,
        governor=first_line(system / "cpu0/cpufreq/scaling_governor"),
        microcode=first.get("microcode"),
        vulnerabilities=_vulnerabilities(system),
    )


def _topology(system: Path) -> tuple[int | None, int | None]:
    """Return packages and cores, counted from the CPUs that are online."""
    packages, cores = set(), set()
    for cpu in folders(system):
        package = first_line(cpu / "topology/physical_package_id")
        core = first_line(cpu / "topology/core_id")
        if package is not None and core is not None:
            packages.add(package)
            # Core ids are unique within a die, and dies within a package, only.
            cores.add((package, first_line(cpu / "topology/die_id"), core))
    return len(packages) or None, len(cores) or None


def _vulnerabilities(system: Path) -> dict[str, str] | None:
    files = folders(system / "vulnerabilities")
    states = {file.name: first_line(file) for file in files}
    known = {name: state for name, state in states.items() if state and state != "Not affected"}
    return known if files else None


def _float(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
