"""What the machine did beside a server: memory that waits to be written, network interrupts.

Formats: proc(5) (meminfo, stat, interrupts) and https://docs.kernel.org/accounting/psi.html.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headcount.counters.proc import pressure
from headcount.counters.proc.files import field_bytes, integers, read_text


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look.

    Attributes:
        irqs: Numbers of the network cards' interrupts.
        memory_pressure: File with that of the server's control group; None if it has none.

    """

    irqs: Collection[int] = ()
    memory_pressure: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading.

    Attributes:
        dirty_bytes: Memory that waits to be written to disks, or is being written.
        interrupts: Those of the network cards so far, by the CPU they hit.
        interrupt_ticks: Time in hard and soft interrupts, by CPU, in clock ticks.
        stalled_us: Time for which the server has waited for memory; None if it is not known.

    """

    dirty_bytes: int = 0
    interrupts: Mapping[int, int] = field(default_factory=dict)
    interrupt_ticks: Mapping[int, int] = field(default_factory=dict)
    stalled_us: int | None = None


def reading(places: Places, proc: str = "/proc") -> Reading:
    """Read all of it."""
    meminfo = read_text(f"{proc}/meminfo")
    dirty = (field_bytes(meminfo, key) or 0 for key in ("Dirty:", "Writeback:"))
    counts = parse_interrupts(read_text(f"{proc}/interrupts") or "") if places.irqs else {}
    stalled = None
    if places.memory_pressure is not None:
        stalled = pressure.parse(read_text(places.memory_pressure) or "").get("some")
    return Reading(
        sum(dirty),
        _sums([counts[irq] for irq in places.irqs if irq in counts]),
        parse_interrupt_ticks(read_text(f"{proc}/stat") or ""),
        stalled,
    )


def parse_interrupts(text: str) -> dict[int, Mapping[int, int]]:
    """How often each numbered interrupt has hit each CPU, from `/proc/interrupts`."""
    head, _, rest = text.partition("\n")
    cpus = integers([word.removeprefix("CPU") for word in head.split()]) or []
    found: dict[int, Mapping[int, int]] = {}
    for line in rest.splitlines():
        name, _, counts = line.partition(":")
        numbers = integers([name.strip(), *counts.split()[: len(cpus)]])
        if numbers is not None and len(numbers) == len(cpus) + 1:
            found[numbers[0]] = dict(zip(cpus, numbers[1:], strict=True))
    return found


def parse_interrupt_ticks(text: str) -> dict[int, int]:
    """Clock ticks in interrupts, hard and soft, by CPU, from `/proc/stat`."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if line.startswith("cpu") and words[0] != "cpu" and len(words) > 7:
            numbers = integers([words[0].removeprefix("cpu"), *words[6:8]])
            if numbers is not None:
                found[numbers[0]] = numbers[1] + numbers[2]
    return found


def grown(before: Mapping[int, int], after: Mapping[int, int]) -> dict[int, int]:
    """By how much counters by CPU have grown."""
    return {cpu: max(now - before.get(cpu, 0), 0) for cpu, now in after.items()}


def _sums(counts: Collection[Mapping[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for one in counts:
        for cpu, number in one.items():
            found[cpu] = found.get(cpu, 0) + number
    return found
