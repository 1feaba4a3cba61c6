"""A bus: the most that it carries, and the load of its devices."""

from headcount.errors import InputError
from headcount.storage import sources
from headcount.storage.checks import not_negative, positive
from headcount.storage.formula import Formula

BUSY_SHARE = 0.8
"""From this load on a bus may be the bottleneck (D-06). The paper has no number; ours is what
arbitration and addresses leave of a shared bus for data."""


def bus_bytes_per_s(width_bytes: float, clock_mhz: float) -> float:
    """Most that a parallel bus carries: its width with every cycle (D-05, D-08).

    A bus that transfers on both edges of the clock carries twice as much. Arbitration and addresses
    are left out. A serial link (PCI Express, SAS, SATA) is not a bus of this kind.
    """
    positive("the width of the bus in bytes", width_bytes, "4")
    positive("the clock of the bus in MHz", clock_mhz, "33")
    return width_bytes * clock_mhz * 1_000_000


def bus_load(rates_bytes_per_s: tuple[float, ...], bus_bytes_per_s: float) -> float:
    """Share of a bus that its devices take when all deliver at their sustained rates (D-06)."""
    positive("the rate of the bus in bytes/s", bus_bytes_per_s, "132000000")
    if not rates_bytes_per_s:
        raise InputError("no device is given; give the sustained rate of each, such as 10MB,10MB")
    for rate_bytes_per_s in rates_bytes_per_s:
        not_negative("the rate of a device in bytes/s", rate_bytes_per_s, "10000000")
    return sum(rates_bytes_per_s) / bus_bytes_per_s


BUS = Formula(
    rule="D-05",
    name="bus_bytes_per_s",
    title="transfer rate of the bus, at most",
    unit="bytes/s",
    template="{width_bytes} * {clock_mhz} * 1,000,000",
    source=sources.SUBSYSTEM,
    function=bus_bytes_per_s,
)
LOAD = Formula(
    rule="D-06",
    name="bus_load",
    title="load of the bus",
    unit="share",
    template="{rates_bytes_per_s} / {bus_bytes_per_s}",
    source=f"{sources.SUBSYSTEM}; {sources.DERIVED}",
    function=bus_load,
)
