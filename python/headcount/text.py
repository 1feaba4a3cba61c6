"""Numbers and foreign text for people, the same in every report.

Figures have three significant digits, the precision of the HDR histograms they come from. A figure
that is missing, infinite or not a number is an en dash, never a zero.
"""

import math
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from headcount.secret_text import redacted

DASH = "\N{EN DASH}"
"""Stands for a figure that could not be measured."""

_DIGITS = 3
_UNIT = re.compile(r"(?<=\d) (?=(?:s|ms|\u00b5s|min|h|%|[MG]B/s|users?|cores?|levels?)\b|%)")
_CONTROL = re.compile(
    # C0 except tab and newline, DEL and C1; bidirectional controls, which can reorder what a
    # reader sees; and lone surrogates, which cannot be encoded as UTF-8.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Parts as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def clean(text: str) -> str:
    r"""Make text of a server or a plan safe to show.

    Secrets become `***`, control characters U+FFFD.

    >>> clean("550 \x1b[31mred") == "550 \N{REPLACEMENT CHARACTER}[31mred"
    True
    """
    text = redacted(text.replace("\r\n", "\n"))
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def shell_path(path: Path | str) -> str:
    """A path as it is typed in a shell: it may have blanks, and a stranger may have chosen it.

    >>> shell_path("runs/a-b"), shell_path("my runs")
    ('runs/a-b', "'my runs'")
    """
    return shlex.quote(str(path))


def escaped_json(text: str) -> str:
    r"""JSON that a terminal can show: the same values, with control characters as escapes.

    >>> escaped_json('"550 \x9b31m \u202e"')
    '"550 \\u009b31m \\u202e"'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def unbroken(text: str) -> str:
    r"""Keep a number and its unit, or the noun it counts, on one line of a sentence.

    >>> unbroken("918 users, p95 under 1 s").split(" ")
    ['918\xa0users,', 'p95', 'under', '1\xa0s']
    """
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def significant(value: float | None) -> str:
    """Give a number with three significant digits and commas between thousands.

    Whole numbers from 1,000 up are not rounded further than to the unit.

    >>> [significant(x) for x in (0.012345, 1.2, 99.96, 23456.7)]
    ['0.0123', '1.20', '100', '23,457']
    """
    if value is None or not math.isfinite(value):
        return DASH
    if value == 0:
        return "0"
    rounded = _rounded(value)
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(rounded))))
    return f"{value:,.{decimals}f}"


def count(value: float | None) -> str:
    """Give a whole number with commas between thousands, such as ``23,000``."""
    return DASH if value is None or not math.isfinite(value) else f"{value:,.0f}"


def plural(noun: str, number: float | None) -> str:
    """Give a number of things, the noun in the singular after 1.

    >>> plural("user", 1), plural("user", 1200), plural("query", 2), plural("batch", 0)
    ('1 user', '1,200 users', '2 queries', '0 batches')
    """
    written = count(number)
    return f"{written} {noun if written == '1' else _several(noun)}"


def unit(value: float | None, name: str) -> str:
    """Give a number with three significant digits and its unit: ``20.0 MB``."""
    return f"{significant(value)} {name}"


def duration(value_ms: float | None) -> str:
    """Give a duration in the unit that suits it: µs below 1 ms, s from 1 s.

    Args:
        value_ms: In milliseconds.

    >>> [duration(x) for x in (0.01, 0.9996, 228.4, 1210, 100000)]
    ['10.0 µs', '1.00 ms', '228 ms', '1.21 s', '100 s']

    """
    if value_ms is None or not math.isfinite(value_ms):
        return DASH
    size = abs(_rounded(value_ms))
    if size == 0:
        return "0 ms"
    if size < 1:
        return f"{significant(value_ms * 1000)} \N{MICRO SIGN}s"
    if size < 1000:
        return f"{significant(value_ms)} ms"
    return f"{significant(value_ms / 1000)} s"


def interval(low: float, high: float, written: Callable[[float | None], str] = count) -> str:
    """Give an interval, the unit once where both ends have the same.

    >>> interval(302, 489), interval(0.12, 0.2, percent)
    ('302 to 489', '12% to 20%')
    >>> interval(220, 236, duration), interval(950, 1210, duration)
    ('220 to 236 ms', '950 ms to 1.21 s')
    """
    first, last = written(low), written(high)
    if first.split(" ")[1:] == last.split(" ")[1:]:
        first = first.split(" ")[0]
    return f"{first} to {last}"


def percent(value: float | None) -> str:
    """Give a share from 0 to 1 in whole percent: ``12%``."""
    return DASH if value is None or not math.isfinite(value) else f"{value:.0%}"


def share(value: float | None) -> str:
    """Give a share from 0 to 1 in percent, to a tenth; small ones to a hundredth.

    >>> [share(x) for x in (0, 0.00001, 0.0042, 0.28, 1)]
    ['0%', '<0.01%', '0.42%', '28.0%', '100%']
    """
    if value is None or not math.isfinite(value):
        return DASH
    hundredths = value * 100
    if hundredths in (0, 100):
        return f"{hundredths:.0f}%"
    if 0 < hundredths < 0.005:
        return "<0.01%"
    return f"{hundredths:.2f}%" if abs(hundredths) < 0.995 else f"{hundredths:.1f}%"


def megabytes_per_s(value_bytes_per_s: float | None) -> str:
    """Give bytes per second in decimal megabytes per second, as network and disks are sold.

    >>> [megabytes_per_s(x) for x in (193e6, 520e3, 12, 0)]
    ['193 MB/s', '0.52 MB/s', '<0.01 MB/s', '0 MB/s']
    """
    if value_bytes_per_s is None or not math.isfinite(value_bytes_per_s):
        return DASH
    value = value_bytes_per_s / 1e6
    if 0 < value < 0.005:
        return "<0.01 MB/s"
    if value == 0:
        return "0 MB/s"
    return f"{value:.2f} MB/s" if value < 0.995 else f"{significant(value)} MB/s"


def storage(value_bytes: float | None) -> str:
    """Give a capacity in decimal units, as disks are sold: ``960 GB``."""
    return _scaled(value_bytes, 1000, ("B", "kB", "MB", "GB", "TB", "PB"))


def memory(value_bytes: float | None) -> str:
    """Give an amount of memory in binary units: ``15.6 GiB``."""
    return _scaled(value_bytes, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def span(value_s: float | None) -> str:
    """Give a length of time for people, to the second below an hour.

    >>> [span(x) for x in (8.4, 125, 3600, 7380)]
    ['8 s', '2 min 5 s', '1 h', '2 h 3 min']
    """
    if value_s is None or not math.isfinite(value_s):
        return DASH
    seconds = round(value_s)
    if seconds >= 3600:
        hours, minutes = divmod(round(value_s / 60), 60)
        return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"
    minutes, seconds = divmod(seconds, 60)
    if not minutes:
        return f"{seconds} s"
    return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"


def _several(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _rounded(value: float) -> float:
    """Round to the significant digits, so that 999.7 ms becomes 1.00 s and not 1,000 ms."""
    return float(f"{value:.{_DIGITS - 1}e}")


def _scaled(value: float | None, base: int, units: tuple[str, ...]) -> str:
    if value is None or not math.isfinite(value):
        return DASH
    step = 0
    # From half a unit below the base on, a figure would round up to 1,000 or 1,024.
    while abs(value) >= base - 0.5 and step < len(units) - 1:
        value /= base
        step += 1
    return f"{significant(value) if step else count(value)} {units[step]}"
