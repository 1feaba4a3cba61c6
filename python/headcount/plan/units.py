"""Durations, sizes and shares as people write them: `1.5s`, `20MB`, `5%`."""

import re
from decimal import Decimal

from headcount.errors import InputError

_NUMBER = r"(\d+(?:\.\d+)?)"
_DURATION_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_SIZE_BYTES = {
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KIB": 1024,
    "MIB": 1024**2,
    "GIB": 1024**3,
}


def seconds(text: str, what: str = "a duration") -> float:
    """Read a duration such as `200ms`, `30s`, `1h30m`; returns seconds.

    Raises InputError when the text is no duration; `what` names it in the message.
    """
    compact = text.replace(" ", "")
    if not re.fullmatch(rf"({_NUMBER}(us|ms|s|m|h))+", compact):
        raise InputError(f'{what} is "{text}"; write it like 200ms, 30s, 5m or 1h30m')
    parts = re.findall(rf"{_NUMBER}(us|ms|s|m|h)", compact)
    return sum(float(number) * _DURATION_S[unit] for number, unit in parts)


def size_bytes(text: str | int, what: str = "a size") -> int:
    """Read a size such as `4096`, `20MB` (decimal) or `16KiB` (binary); returns bytes."""
    match = re.fullmatch(rf"{_NUMBER}\s*([kKMG]i?B|B)?", str(text).strip())
    if match is None:
        raise InputError(f'{what} is "{text}"; write it like 4096, 16KiB or 20MB')
    number, unit = match.groups()
    return round(float(number) * _SIZE_BYTES[(unit or "B").upper()])


def share(text: str, what: str = "a share") -> float:
    """Read a share such as `5%` or `0.05`; returns 0 to 1."""
    match = re.fullmatch(rf"{_NUMBER}\s*(%?)", text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= value <= 1:
        raise InputError(f'{what} is "{text}"; write it like 5% or 0.05, at most 100%')
    return exact(value)


def exact(share: float) -> float:
    """The share nearest to what was written: 0.1, and not 1 - 0.9 = 0.09999999999999998.

    Criteria are compared with bad / total, where the last digit decides: 10 of 100 are within 10 %.
    """
    return round(share, 12)


def duration_text(value_s: float) -> str:
    """Write a duration the way `seconds` reads it, to twelve digits."""
    if value_s >= 60 and value_s % 60 == 0:
        return f"{_plain(value_s / 60)}m"
    if value_s >= 1:
        return f"{_plain(value_s)}s"
    if value_s >= 1e-3 or value_s == 0:
        return f"{_plain(value_s * 1e3)}ms"
    return f"{_plain(value_s * 1e6)}us"


def _plain(value: float) -> str:
    """Twelve significant digits, never with an exponent."""
    return f"{Decimal(f'{value:.12g}'):f}"
