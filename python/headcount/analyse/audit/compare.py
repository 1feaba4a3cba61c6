"""Two records of the same figures, compared field by field."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

RELATIVE = 1e-5
"""Seconds are kept to a microsecond, so figures made from them differ by a millionth or two."""
ABSOLUTE = {"_ms": 0.005, ".value": 0.001, ".least": 0.001, "_s": 1e-5, "": 1e-5}
"""Absolute tolerance by the suffix of a field's name: the effect of rounding to a microsecond on
times of which a second holds few. A criterion's value and its least may be times; if they are
shares, its counts are compared."""
WRITTEN_DIGITS = 3
"""Digits written of a measured figure; a limit such as 20 ms has fewer, and is exact."""
_DIGITS, _UNIT = r"(\d[\d,]*(?:\.\d+)?)", r"( ?(?:µs|ms|s|%)(?![a-z]))"
_NUMBER = re.compile(f"{_DIGITS}{_UNIT}?")
_INTERVAL = re.compile(f"{_DIGITS} to {_DIGITS}{_UNIT}")
"""Its unit is written once, after the upper end."""


def differences(
    stored: Any, computed: Any, ignored: frozenset[str] = frozenset(), at: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Fields that differ: the path, what is stored, what was computed.

    Only stored fields are compared: an older Headcount did not write every field. Sentences are
    compared by their numbers, because their wording may have changed; times and shares may be
    rounded the other way.
    """
    if at in ignored:
        return
    if isinstance(stored, Mapping):
        if not isinstance(computed, Mapping):
            yield at, stored, computed
            return
        for key, value in stored.items():
            path = f"{at}.{key}" if at else str(key)
            yield from differences(value, computed.get(key), ignored, path)
    elif isinstance(stored, Sequence) and not isinstance(stored, str):
        yield from _elements(stored, computed, ignored, at)
    elif not _same(stored, computed, at):
        yield at, stored, computed


def _elements(
    stored: Sequence[Any], computed: Any, ignored: frozenset[str], at: str
) -> Iterator[tuple[str, Any, Any]]:
    if not isinstance(computed, Sequence) or len(stored) != len(computed):
        yield at, stored, computed
        return
    # The lower end of an interval is a difference, and as exact as the upper end.
    scale = max((abs(one) for one in stored if isinstance(one, int | float)), default=0.0)
    for index, (one, other) in enumerate(zip(stored, computed, strict=True)):
        if not (isinstance(one, float) and isinstance(other, float)):
            yield from differences(one, other, ignored, f"{at}[{_name(one, index)}]")
        elif not _close(one, other, at, scale):
            yield f"{at}[{index}]", one, other


def _name(one: Any, index: int) -> str:
    """How a path names an element of a list: by its name, if it has one."""
    if isinstance(one, Mapping):
        for key in ("name", "criterion"):
            if isinstance(one.get(key), str):
                return str(one[key])
    return str(index)


def _same(stored: Any, computed: Any, at: str) -> bool:
    if isinstance(stored, bool) or isinstance(computed, bool) or stored is None or computed is None:
        return stored is computed or stored == computed
    if isinstance(stored, int) and isinstance(computed, int):
        return stored == computed
    if isinstance(stored, int | float) and isinstance(computed, int | float):
        return _close(stored, computed, at, 0.0)
    if isinstance(stored, str) and isinstance(computed, str):
        return stored == computed or (" " in stored and _same_numbers(stored, computed))
    return bool(stored == computed)


def _same_numbers(stored: str, computed: str) -> bool:
    """Whether two sentences have the same numbers, except for the last digit of times and shares.

    478.4999 µs and 478.5001 µs are the same figure, but are written as 478 µs and 479 µs.
    """
    ours, theirs = (
        _NUMBER.findall(_INTERVAL.sub(r"\1\3 to \2\3", one)) for one in (stored, computed)
    )
    if len(ours) != len(theirs):
        return False
    for (one, unit), (other, other_unit) in zip(ours, theirs, strict=True):
        if unit != other_unit:
            return False
        places = len(one.partition(".")[2])
        digits = len(re.sub(r"\D", "", one))
        last = 1.01 * 10.0**-places if unit and digits >= WRITTEN_DIGITS else 0.0
        if abs(float(one.replace(",", "")) - float(other.replace(",", ""))) > last:
            return False
    return True


def _close(stored: float, computed: float, at: str, scale: float) -> bool:
    end = next(end for end in ABSOLUTE if at.endswith(end))
    room = max(ABSOLUTE[end], RELATIVE * scale)
    return math.isclose(stored, computed, rel_tol=RELATIVE, abs_tol=room)
