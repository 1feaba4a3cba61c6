"""The interrupts of this machine's network cards, and the CPUs that they could hit instead."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.pilot.machine import parse_interrupts
from headcount.pilot.settings import INTERRUPTS, Settings, fixed

BALANCER = "irqbalance"
"""The program that places interrupts by itself, and would move them back."""


@dataclass(frozen=True, slots=True)
class System:
    """Where the kernel shows it: `/proc` and `/sys`."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")


def network_irqs(system: System) -> list[int]:
    """Numbers of the network cards' interrupts that have come at least once."""
    counts = parse_interrupts(read_text(str(system.proc / "interrupts")) or "")
    return sorted(
        irq for irq in _of_cards(system.sys / "class/net") if any(counts.get(irq, {}).values())
    )


def _of_cards(folder: Path) -> set[int]:
    """Interrupts of all devices behind network interfaces; a virtio card's is one level up."""
    found: set[int] = set()
    for name in _names(folder):
        device = folder / name / "device"
        if not device.exists():
            continue
        place = device.resolve()
        for one in (place, place.parent):
            numbers = {int(irq) for irq in _names(one / "msi_irqs") if irq.isdecimal()}
            single = (read_text(str(one / "irq")) or "").strip()
            if not numbers and single.isdecimal() and single != "0":
                numbers = {int(single)}
            if numbers:
                found |= numbers
                break
    return found


def spread(irqs: Sequence[int], counts: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """A CPU for each interrupt, in turn; the first interrupt leaves the CPU that is hit most."""
    hits: dict[int, int] = {}
    for irq in irqs:
        for cpu, number in counts.get(irq, {}).items():
            hits[cpu] = hits.get(cpu, 0) + number
    cpus = sorted(hits)
    if len(cpus) < 2:
        return {}
    hot = cpus.index(max(cpus, key=lambda cpu: hits[cpu]))
    most_first = sorted(irqs, key=lambda irq: -sum(counts.get(irq, {}).values()))
    return {irq: cpus[(hot + 1 + place) % len(cpus)] for place, irq in enumerate(most_first)}


def interrupts(system: System) -> Settings:
    """Where the network cards' interrupts go, and where they could go instead."""
    if is_balanced(system.proc):
        return Settings(obstacles={INTERRUPTS: f"{BALANCER} places them: stop it first"})
    irqs = network_irqs(system)
    counts = parse_interrupts(read_text(str(system.proc / "interrupts")) or "")
    found = []
    for irq, cpu in spread(irqs, counts).items():
        file = system.proc / "irq" / str(irq) / "smp_affinity_list"
        now = (read_text(str(file)) or "").strip()
        if now and _accepts(file, now):
            found.append(fixed(INTERRUPTS, file, now, str(cpu)))
    if not found:
        return Settings(obstacles={INTERRUPTS: "the kernel does not let them be moved"})
    return Settings(found)


def is_balanced(proc: Path) -> bool:
    """Whether a program places interrupts by itself."""
    names = (read_text(str(proc / name / "comm")) for name in _names(proc) if name.isdecimal())
    return any((name or "").strip() == BALANCER for name in names)


def _accepts(file: Path, now: str) -> bool:
    """Whether the kernel accepts CPUs for it: some drivers place their interrupts themselves."""
    try:
        file.write_text(now, "ascii")
    except OSError:
        return False
    return True


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []
