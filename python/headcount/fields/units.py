"""Durations, sizes, counts and shares as people write them: `1.5s`, `20MB`, `1k`, `5%`."""

import re
from decimal import Decimal

from headcount.errors import InputError

_NUMBER = r"(\d+(?:\.\d+)?)"
_DURATION_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_WORDS = {
    "us": ("us", "usec"),
    "ms": ("ms", "msec"),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "m": ("m", "min", "mins", "minute", "minutes"),
    "h": ("h", "hr", "hour", "hours"),
}
"""Spellings of the units of durations; the same as in systemd.time(7)."""
_UNIT_OF = {word: unit for unit, words in _WORDS.items() for word in words}
_PART = rf"{_NUMBER}({'|'.join(sorted(_UNIT_OF, key=len, reverse=True))})"
_DECIMAL, _BINARY = 1000, 1024
_STEPS = "KMGT"
LARGEST_BYTES = 2**63 - 1
"""The largest file or disk on Linux."""
MOST_USERS = 1_000_000
"""More than any server in the published results holds, and far below the engine's own bounds."""


def seconds(text: str, what: str = "a duration", *, bare: bool = True) -> float:
    """Read a duration such as `200ms`, `30s`, `1h30m`; returns seconds.

    A bare number is seconds, as k6, wrk and pgbench have it, unless `bare` is false. Raises
    InputError when the text is not a duration; `what` names it in the message.
    """
    compact = text.replace(" ", "")
    if bare and re.fullmatch(_NUMBER, compact):
        return float(compact)
    if not re.fullmatch(rf"({_PART})+", compact):
        raise InputError(f'{what} is "{text}"; write it like 200ms, 30s, 5m or 1h30m')
    parts = re.findall(_PART, compact)
    return sum(float(number) * _DURATION_S[_UNIT_OF[word]] for number, word in parts)


def with_unit(text: str) -> str:
    """A duration as plans keep it: a bare number gets its unit, anything else stays."""
    return f"{text.strip()}s" if re.fullmatch(_NUMBER, text.strip()) else text


def size_bytes(text: str | int, what: str = "a size") -> int:
    """Read a size such as `4096`, `20MB` (decimal), `16KiB` or `16K` (binary); returns bytes.

    A letter alone is binary, as GNU's programs, fio and control groups read it.
    """
    # Many read a small b as bits, so no ending has it.
    match = re.fullmatch(
        rf"{_NUMBER}\s*(?:([{_STEPS}{_STEPS.lower()}])(i?B)?|B)?", str(text).strip()
    )
    if match is None:
        raise InputError(f'{what} is "{text}"; write it like 4096, 16KiB or 20MB')
    number, letter, ending = match.groups()
    base = _DECIMAL if ending == "B" else _BINARY
    value = Decimal(number) * Decimal(base) ** (_STEPS.index(letter.upper()) + 1 if letter else 0)
    if value > LARGEST_BYTES:
        raise InputError(f"{what} is far too large; write it like 4096, 16KiB or 4TB")
    return round(value)


def count(text: str | int, what: str, most: int | None = None) -> int:
    """Read a whole number, such as users: `400`, `1,000`, `1k` or `1e3`; returns it.

    Raises InputError unless it is a whole number from 1 to `most`.
    """
    compact = str(text).strip().lower().replace("_", "")
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+", compact):
        compact = compact.replace(",", "")
    match = re.fullmatch(r"([+-]?\d{1,18}(?:\.\d{1,18})?)(?:e\+?(\d{1,2})|([km]))?", compact)
    scale = 0 if match is None else int(match[2] or {"k": 3, "m": 6}.get(match[3], 0))
    value = None if match is None else Decimal(match[1]).scaleb(scale)
    if value is None or value != value.to_integral_value():
        raise InputError(f'{what} is "{text}"; write a whole number, such as 100')
    if value < 1 or (most is not None and value > most):
        upper = "or more" if most is None else f"to {most:,}"
        raise InputError(f"{what} is {text}; it must be from 1 {upper}")
    return int(value)


def share(text: str, what: str = "a share") -> float:
    """Read a share such as `5%` or `0.05`; returns 0 to 1."""
    match = re.fullmatch(rf"{_NUMBER}\s*(%?)", text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= value <= 1:
        raise InputError(f'{what} is "{text}"; write it like 5% or 0.05, at most 100%')
    return exact(value)


def exact(share: float) -> float:
    """The share nearest to the written decimal: 0.1, and not 1 - 0.9 = 0.09999999999999998.

    Criteria compare it with bad / total, where the last digit decides: 10 of 100 are within 10%.
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
