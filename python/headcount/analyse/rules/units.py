"""Units of thresholds, and figures formatted for people."""

from headcount.errors import InputError
from headcount.text import count, duration, megabytes_per_s, memory, share, significant

FACTORS: dict[tuple[str, str], float] = {
    ("%", "1"): 0.01,
    ("MiB", "By"): 2.0**20,
    ("MB/s", "By/s"): 1e6,
    ("kB/s", "By/s"): 1e3,
    ("s", "ms"): 1000.0,
}
"""Units of thresholds, mapped to those in the catalogue of counters."""


def factor(unit: str | None, to: str) -> float:
    """The factor from `unit` to the counter's unit `to`.

    Raises InputError for units that do not match.
    """
    if unit is None or unit == to:
        return 1.0
    found = FACTORS.get((unit, to))
    if found is None:
        known = ", ".join(sorted(name for name, of in FACTORS if of == to))
        raise InputError(
            f"a threshold in `{unit}` does not match a counter in `{to}`; "
            f"omit the unit{f' or use {known}' if known else ''}"
        )
    return found


def figure(value: float, unit: str) -> str:
    """A figure in the catalogue's unit, formatted for people.

    >>> figure(0.67, "1"), figure(25, "ms"), figure(2.4, "{operation}"), figure(12, "{page}/s")
    ('67.0%', '25.0 ms', '2.40', '12.0/s')
    """
    if unit == "1":
        return share(value)
    if unit == "By":
        return memory(value)
    if unit == "By/s":
        return megabytes_per_s(value)
    if unit == "ms":
        return duration(value)
    number = count(value) if abs(value) >= 1000 else significant(value)
    return f"{number}/s" if unit.endswith("/s") else number


def limit(value: float, unit: str) -> str:
    """A threshold: like a figure, without trailing zeros.

    >>> limit(0.67, "1"), limit(300, "ms"), limit(2, "{operation}"), limit(4 * 2**20, "By")
    ('67%', '300 ms', '2', '4 MiB')
    """
    number, gap, rest = _apart(figure(value, unit))
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number}{gap}{rest}"


def _apart(text: str) -> tuple[str, str, str]:
    end = 0
    while end < len(text) and (text[end].isdigit() or text[end] in ".,<-"):
        end += 1
    number, rest = text[:end], text[end:]
    return number, " " if rest.startswith(" ") else "", rest.strip()
