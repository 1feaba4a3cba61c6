"""A comparison of failovers in a sentence."""

from collections.abc import Sequence

from headcount.analyse.outage.comparison import Shift
from headcount.text import count, duration, interval, listed

NEVER = "never again in the time that was watched"


def sentence(deciding: Sequence[Shift], spoiled: Sequence[str]) -> str:
    """The verdict for people: when users were served again."""
    if spoiled:
        many = len(spoiled) > 1 or spoiled[0] in ("users", "criteria")
        return f"Not comparable: {listed(spoiled)} {'differ' if many else 'differs'}."
    return " ".join(_one(one) for one in deciding)


def _one(one: Shift) -> str:
    bounds = bounds_text(one, is_time=True)
    what = f"users were served within their limits {_served(one)}"
    if one.finding != "no difference shown":
        moved = "" if one.shift is None else f"shift {signed(one.shift, is_time=True)}, "
        return (
            f"{one.second} is {one.finding} than {one.first}: {what}; {moved}95% interval {bounds}."
        )
    start = f"No difference shown between {one.second} and {one.first}: {what}"
    if bounds is None:
        return f"{start}; there is no interval of the shift."
    return f"{start}; the true shift may be anything in the 95% interval {bounds}."


def _served(one: Shift) -> str:
    """When users were served again, in both set-ups."""
    a, b = one.a.median, one.b.median
    if a == b:
        return f"{_again(b)} in both (median)"
    if a and b:
        return f"{_again(b)} instead of {duration(a * 1000)} (median)"
    return f"{_again(b)} instead of {_again(a)} (median)"


def _again(median: float | None) -> str:
    if median is None:
        return NEVER
    return f"again after {duration(median * 1000)}" if median else "throughout"


def signed(value: float, *, is_time: bool) -> str:
    """A shift with its sign.

    >>> signed(-4.23, is_time=True), signed(0.0, is_time=True), signed(12, is_time=False)
    ('-4.23 s', '0 ms', '+12')
    """
    size = duration(abs(value) * 1000) if is_time else count(abs(value))
    return f"{'+' if value > 0 else '-' if value < 0 else ''}{size}"


def bounds_text(one: Shift, *, is_time: bool) -> str | None:
    """The 95% interval of a shift; None without one."""
    if one.low is None:
        return None if one.high is None else f"at most {signed(one.high, is_time=is_time)}"
    if one.high is None:
        return f"at least {signed(one.low, is_time=is_time)}"
    return interval(one.low, one.high, lambda end: signed(end or 0.0, is_time=is_time))
