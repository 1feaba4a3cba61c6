"""The least count of a ratio: below it, a share or a time per operation says nothing.

0.8 retransmissions a second without any packets are a share without a limit, and one slow transfer
an hour is not a slow disk. So each ratio has a base counter, and a least mean of that counter in
the window. If the log lacks that counter, the ratio is compared without it, and the finding says
so.
"""

from headcount.analyse.rules.model import Condition
from headcount.analyse.rules.units import limit
from headcount.counters.catalogue import label, lookup

DEFAULT_PER_S = 1.0
"""The least count of a ratio whose rule has none: one packet, operation or fault a second. Our
choice."""

DEFAULT_BYTES_PER_S = 1000.0
"""The same if the divisor is in bytes. Our choice."""

DEFAULT_OTHERWISE = 1e-9
"""The same if it is neither, for example a share of time: more than nothing."""


def counted(leaf: Condition) -> str | None:
    """The base counter of a ratio; None for a figure that is not a ratio."""
    return leaf.least_of or leaf.over


def least(leaf: Condition) -> float:
    """Its least mean, in its own unit; 0 for a figure that is not a ratio."""
    name = counted(leaf)
    if name is None:
        return 0.0
    if leaf.least is not None:
        return leaf.least
    unit = unit_of_count(leaf)
    if unit == "By/s":
        return DEFAULT_BYTES_PER_S
    return DEFAULT_PER_S if unit.endswith("/s") else DEFAULT_OTHERWISE


def unit_of_count(leaf: Condition) -> str:
    """The unit of a ratio's base counter."""
    known = lookup(counted(leaf) or "")
    return known.unit if known else "1"


def least_text(leaf: Condition) -> str:
    """The least count in words: `Packets sent at least 100/s`; empty if there is none.

    >>> least_text(Condition(counter="system.disk.operation_time", value=15,
    ...     least_of="system.disk.operations", least=10))
    'Disk operations at least 10/s'
    """
    name = counted(leaf)
    if name is None or least(leaf) <= DEFAULT_OTHERWISE:
        return ""
    return f"{label(name)} at least {limit(least(leaf), unit_of_count(leaf))}"


def least_sentence(leaf: Condition) -> str:
    """Why there is a least count, for `--explain`; empty if there is none."""
    text = least_text(leaf)
    name = counted(leaf)
    if not text or name is None:
        return ""
    if name == leaf.counter:
        return f"Least count: {text}; a change of less is chance."
    why = f"Least count: {text}, on average; a ratio to less is chance."
    return why if name == leaf.over else f"{why} A log without {label(name)} is judged without it."
