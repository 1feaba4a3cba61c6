"""Numbers of the formulas as people read them: rounded to read, in full to calculate with."""

from headcount import text

EXACT = 1e15
"""Whole numbers below it are exact in floating point, and written in full."""


def rounded_text(value: float, unit: str) -> str:
    """Give a result in the unit that suits it, to three digits: ``4.17 ms``, ``10.1 MB/s``.

    >>> rounded_text(10_076_160, "bytes/s"), rounded_text(0.313, "share"), rounded_text(5, "ns")
    ('10.1 MB/s', '31.3%', '5 ns')
    """
    if unit == "ms":
        return text.duration(value)
    if unit == "bytes":
        return text.storage(value)
    if unit == "bytes/s":
        return text.megabytes_per_s(value)
    if unit == "share":
        return text.share(value)
    figure = text.count(value) if value == int(value) else text.significant(value)
    return f"{figure} {unit}".strip()


def cell(value: float, unit: str) -> str:
    """Give a result for a column whose head names the unit, but for what has no fixed one.

    >>> cell(2, "drives"), cell(12e12, "bytes")
    ('2', '12.0 TB')
    """
    return rounded_text(value, unit if unit in {"ms", "bytes", "bytes/s", "share"} else "")


def in_full(value: float, unit: str) -> str:
    """Give a result to the last digit: whole numbers in full, others to six digits.

    >>> in_full(10_076_160.0, "bytes/s"), in_full(25 / 6, "ms"), in_full(0.313, "share")
    ('10,076,160 bytes/s', '4.16667 ms', '0.313')
    """
    return f"{_number(value, 6)} {unit.replace('share', '')}".strip()


def put_in(value: float | tuple[float, ...]) -> str:
    """Give a number to calculate with, to twelve digits; several as a sum in parentheses.

    >>> put_in(7200), put_in(0.7), put_in((16, 8, 24))
    ('7,200', '0.7', '(16 + 8 + 24)')
    """
    if isinstance(value, tuple):
        return f"({' + '.join(_number(part, 12) for part in value)})"
    return _number(value, 12)


def _number(value: float, digits: int) -> str:
    if abs(value) >= EXACT:
        return f"{value:.{digits}g}"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.{max(digits, len(str(abs(int(value)))))}g}"  # enough digits to avoid 3.6e+06
