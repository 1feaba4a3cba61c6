"""The result of a proof as text."""

from collections.abc import Iterable, Sequence

from bench.tuning.judge import ANSWERS, Bar, Judged, medians, spread
from bench.tuning.log import Record

_NOT_PLAYED = f"{'-':>9}"


def table(cases: Sequence[Judged]) -> str:
    """A line for each fault, and least, median and most of all."""
    head = "".join(f"{name:>9}" for name in ANSWERS)
    lines = [f"{head}    share  found  fault"]
    for one in cases:
        cells = "".join(
            _ratio(one.ratios[name]) if name in one.ratios else _NOT_PLAYED for name in ANSWERS
        )
        mark = "" if one.is_fault else " (no fault: the oracle gains nothing)"
        mark += " (held out)" if one.held_out else ""
        found = "yes" if one.found else "NO"
        lines.append(f"{cells} {one.share('tune'):8.0%}  {found:5}  {one.name}{mark}")
    faults = [one for one in cases if one.is_fault]
    if faults:
        of_all = medians(cases)
        shares = spread([one.share("tune") for one in faults])
        for what in ("least", "median", "most"):
            cells = "".join(
                _ratio(getattr(of_all[name], what)) if name in of_all else _NOT_PLAYED
                for name in ANSWERS
            )
            lines.append(f"{cells} {getattr(shares, what):8.0%}         {what}")
    return "\n".join(lines)


def _ratio(value: float | None) -> str:
    return f"{'refused':>9}" if value is None else f"{value:9.2f}"


def stock_table(steps: Iterable[Record]) -> str:
    """What tunings of servers as Debian ships them claim."""
    lines = []
    for one in steps:
        if one["step"] != "stock":
            continue
        ratio = one["ratio"]
        gain = (
            f"{ratio['value']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"
            if ratio is not None and one["changes"]
            else "no claim"
        )
        lines.append(f"{one['name']:12} {gain:22} {one['sentence']}")
    return "\n".join(lines)


def bar_lines(bars: Iterable[Bar]) -> str:
    """Which bars are met, and which are missed."""
    return "\n".join(f"{'met' if one.is_met else 'MISSED':6} {one.text}" for one in bars)
