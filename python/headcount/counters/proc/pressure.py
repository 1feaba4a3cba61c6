"""Pressure stall information: the share of time in which tasks waited for a resource.

Format: https://docs.kernel.org/accounting/psi.html. This uses the running total in microseconds,
not the averages, which the kernel refreshes only every two seconds.
"""

from collections.abc import Mapping

from headcount.counters.proc.files import integer, rate

RESOURCES = ("cpu", "io", "memory")
_US_PER_S = 1e6


def parse(text: str) -> dict[str, int]:
    """Parse a pressure file to the total stall time in microseconds by kind (some, full)."""
    totals: dict[str, int] = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        _, marker, total = rest.rpartition("total=")
        total_us = integer(total)
        if marker and total_us is not None:
            totals[kind] = total_us
    return totals


def delta(
    previous: Mapping[str, int],
    current: Mapping[str, int],
    elapsed_s: float,
    *,
    resource: str,
    metric: str = "system.linux.pressure",
) -> dict[str, float]:
    """Shares of time stalled on a resource, 0 to 1: some = one task at least, full = all of them.

    For the host as a whole the kernel always reports ``full`` of the CPU as zero, because it is
    not defined there; it is left out.
    """
    values: dict[str, float] = {}
    for kind, total_us in current.items():
        if metric == "system.linux.pressure" and (resource, kind) == ("cpu", "full"):
            continue
        stalled = rate(previous.get(kind), total_us, elapsed_s)
        if stalled is not None:
            # The kernel's clock and ours are not read at the same instant.
            values[f"{metric}{{resource={resource},kind={kind}}}"] = min(1.0, stalled / _US_PER_S)
    return values
