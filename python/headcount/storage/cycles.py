"""The speed ladder: what a processor or memory could have done while it waits for a disk."""

from headcount.storage import sources
from headcount.storage.checks import not_negative, positive
from headcount.storage.formula import Formula


def cycle_ns(clock_mhz: float) -> float:
    """Length of one cycle of a clock (U-01, U-02). The paper's memory cycles in 10 ns: 100 MHz."""
    positive("the clock in MHz", clock_mhz, "200")
    return 1000 / clock_mhz


def lost_cycles(wait_ms: float, cycle_ns: float) -> float:
    """Cycles that pass during a wait (U-07).

    The paper takes a cycle for an instruction. Processors of today finish several in one, so more
    instructions than that are lost.
    """
    not_negative("the wait in ms", wait_ms, "18")
    positive("the cycle in ns", cycle_ns, "5")
    return wait_ms * 1_000_000 / cycle_ns


CYCLE = Formula(
    rule="U-01",
    name="cycle_ns",
    title="length of a cycle",
    unit="ns",
    template="1000 / {clock_mhz}",
    source=sources.SPEEDS,
    function=cycle_ns,
)
LOST = Formula(
    rule="U-07",
    name="lost_cycles",
    title="cycles lost in the wait",
    unit="cycles",
    template="{wait_ms} * 1,000,000 / {cycle_ns}",
    source=sources.SPEEDS,
    function=lost_cycles,
)
