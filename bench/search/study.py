"""Searches of every system by every method, and what they found."""

import math
import os
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from bench.search.capacity import HELD_OUT, STATIONARY
from bench.search.methods import METHODS, Found
from headcount.analyse.search import Flag

HEAD = (
    f"{'':14} {'mean':>6} {'RMSE':>6} {'med|e|':>6} {'>2%':>4} {'cover':>5} {'width':>6} "
    f"{'publ.':>6} {'seconds':>8} {'ladder':>6} {'levels':>6} {'noisy':>5} {'drift':>5} "
    f"{'silent':>6}"
)
"""Errors, widths and shares in %; ``ladder``: seconds relative to the ladder's, the same seeds;
``silent``: outside of the interval, and no doubt."""


def study(methods: Sequence[str], systems: Sequence[str], seeds: range) -> None:
    """Plays all, and prints a table for each method."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        seconds: dict[str, float] = {}
        for method in sorted(methods, key=lambda name: name != "ladder"):
            print(f"{method}\n{HEAD}", flush=True)
            all_of_it: dict[str, list[Found]] = {}
            for system in systems:
                jobs = [(method, system, seed) for seed in seeds]
                found = list(pool.map(_play, jobs, chunksize=2))
                all_of_it[system] = found
                if method == "ladder":
                    seconds[system] = _mean_s(found)
                print(_row(system, found, seconds.get(system)), flush=True)
            _summary(all_of_it, seconds)


def _play(job: tuple[str, str, int]) -> Found:
    method, system, seed = job
    return METHODS[method](system, seed)


def _mean_s(found: Sequence[Found]) -> float:
    return statistics.fmean(one.seconds for one in found)


def _row(name: str, found: Sequence[Found], ladder_s: float | None) -> str:
    errors = [100 * one.error for one in found]
    published = [100 * (one.outcome.published / one.truth - 1) for one in found]
    widths = [100 * min(one.outcome.half_width, 1.0) for one in found]
    relative = "" if ladder_s is None else f"{_mean_s(found) / ladder_s:.2f}"
    return (
        f"{name:14} {statistics.fmean(errors):+6.2f} {_rms(errors):6.2f} "
        f"{statistics.median(map(abs, errors)):6.2f} {_percent([e > 2 for e in errors]):4.0f} "
        f"{_percent([one.is_covered for one in found]):5.0f} {statistics.fmean(widths):6.2f} "
        f"{statistics.fmean(published):+6.2f} {_mean_s(found):8.0f} {relative:>6} "
        f"{statistics.fmean(one.levels for one in found):6.1f} "
        f"{_percent([Flag.NOISY in one.outcome.flags for one in found]):5.0f} "
        f"{_percent([Flag.DRIFTS in one.outcome.flags for one in found]):5.0f} "
        f"{_percent([not one.is_covered and not one.is_doubted for one in found]):6.1f}"
    )


def _summary(found: dict[str, list[Found]], ladder_s: dict[str, float]) -> None:
    """The same of all systems together, of those that do not change, and of those held out."""
    groups = {
        "all": [one for each in found.values() for one in each],
        "stationary": [one for name in STATIONARY for one in found.get(name, ())],
        "held out": [one for name in HELD_OUT for one in found.get(name, ())],
    }
    for name, each in groups.items():
        if each:
            known = [ladder_s[system] for system in found if system in ladder_s]
            whole = name == "all" and len(known) == len(found)
            print(_row(name, each, statistics.fmean(known) if whole else None))
    print(flush=True)


def _rms(values: Sequence[float]) -> float:
    return math.sqrt(statistics.fmean(value * value for value in values))


def _percent(values: Sequence[bool]) -> float:
    return 100 * statistics.fmean(values)
