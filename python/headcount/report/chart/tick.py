"""How ticks are written: without the zeros that a figure of a measurement carries."""

from headcount.text import count


def rate_tick(value: float) -> str:
    """Write a rate: 1,500, 20 or 0.5."""
    whole = abs(value - round(value)) < 1e-9 * max(abs(value), 1.0) or value >= 1000
    return count(value) if whole else f"{value:.3g}"


def time_tick(value_ms: float) -> str:
    """Write a duration given in ms: 20 ms, 1.5 s, 50 µs."""
    for unit, factor in (("s", 1000.0), ("ms", 1.0)):
        if value_ms >= factor:
            return f"{value_ms / factor:,.4g} {unit}"
    return f"{value_ms * 1000:.4g} \N{MICRO SIGN}s" if value_ms > 0 else "0"


def percent_tick(value: float) -> str:
    """Write a share: 50%."""
    return f"{value:.0%}"
