"""Factors that let counters share an axis of 0 to 100: powers of ten.

Windows NT's Performance Monitor does the same: its chart has one axis for all counters.
"""

import math

AXIS = 100.0
"""The top of the axis."""
LOWEST, HIGHEST = -15, 9
"""Powers of ten that a scale may have: petabytes, and a billionth."""
PERCENT = 2
"""The scale of shares: 1 is at the top."""


def fitting_power(largest: float, unit: str | None) -> int:
    """The power of ten with which a counter's largest value just fits the axis.

    A share is shown in percent, however small it is: a processor at 0.5% belongs at the bottom.

    >>> largest = [(25e9, "By"), (0.04, "1"), (100.0, "{process}"), (0.0, "s")]
    >>> [fitting_power(value, unit) for value, unit in largest]
    [-9, 2, 0, 0]
    """
    if not math.isfinite(largest) or largest <= 0:
        return PERCENT if unit == "1" else 0
    # The small addend keeps 100 itself, computed as a sum of floats, from being scaled down.
    power = math.floor(math.log10(AXIS) - math.log10(largest) + 1e-9)
    if unit == "1":
        power = min(power, PERCENT)
    return clamped_power(power)


def clamped_power(power: int) -> int:
    """The nearest power that a scale may have."""
    return max(LOWEST, min(HIGHEST, power))


def scale_text(power: int) -> str:
    """A scale as the legend shows it.

    >>> [scale_text(p) for p in (0, 2, -2, -9)]
    ['1', '100', '0.01', '1e-9']
    """
    if power >= 4 or power <= -4:
        return f"1e{power}"
    return f"{10.0**power:g}"
