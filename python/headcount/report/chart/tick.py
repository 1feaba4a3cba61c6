"""Writes ticks: without the trailing zeros of measured figures."""

from headcount.text import count, percent


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
    return percent(value)


def megabyte_tick(value_bytes: float) -> str:
    """Write bytes per second in decimal megabytes per second: 20 or 0.5."""
    return rate_tick(value_bytes / 1e6) if value_bytes else "0"


def nines_tick(rarity: float) -> str:
    """Write a percentile given as the rarity of exceeding it: 10 is 90%, 1,000 is 99.9%."""
    return f"{(1 - 1 / rarity) * 100:.7g}%" if rarity > 1 else "0%"
