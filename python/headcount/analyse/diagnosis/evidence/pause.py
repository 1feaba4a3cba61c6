"""Signs of pauses: the whole server stops for moments, and every user waits.

Means and percentiles hide this: few scenarios are hit, but those wait long. In seconds with a pause
a scenario takes many times as long as in others, so a few seconds hold much of the total time that
users wait.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import count, duration, share, significant

STOPPED = "process.threads.stopped"
THREADS = "process.threads"
COLLECTION = cpu.COLLECTION
JVM = cpu.JVM
STALLED = "load.stalled"
LEAST_SECONDS = 4
"""Fewest seconds: a shorter level has no usual second to compare with."""
LEAST_PER_S = 20.0
"""Scenarios per second below which a naturally slow one makes a second look stalled."""
LEAST_PAUSES = 2
"""Fewest pauses: a single one may be the machine's; a server's pauses recur."""

FEWEST_HELD_UP = 4
"""Users hit by a pause below which it looks like a slow request or two."""


@dataclass(frozen=True, slots=True)
class _Second:
    completed: float
    service_s: float
    collection: float | None
    jvm: float | None
    is_stalled: bool
    usual_s: float
    """Mean time of a scenario in a usual second."""

    @property
    def lost_s(self) -> float:
        """Extra time that users waited compared with a usual second."""
        return max(self.service_s - self.completed * self.usual_s, 0.0)


def sign(
    observations: Sequence[Observation], measured: Mapping[int, Sequence[Mapping[str, Any]]]
) -> Sign | None:
    """How surely pauses take a relevant part of the time; None if nothing shows any."""
    levels = sorted((o for o in observations if o.valid), key=lambda o: o.users)
    if not levels:
        return None
    return _stopped(levels) or _stalled(levels, measured) or _counted(levels)


def _stalled(
    levels: Sequence[Observation], measured: Mapping[int, Sequence[Mapping[str, Any]]]
) -> Sign | None:
    """Seconds in which all users waited."""
    seconds = [
        one
        for level in levels
        if level.per_s >= LEAST_PER_S
        for one in _seconds(level, measured.get(level.index, ()))
    ]
    stalls = [one for one in seconds if one.is_stalled]
    total_s = sum(one.service_s for one in seconds)
    if len(stalls) < LEAST_PAUSES or not total_s:
        return None
    lost = sum(one.lost_s for one in stalls) / total_s
    if lost < threshold("pause.lost") or len(stalls) > threshold("pause.seconds") * len(seconds):
        return None
    text = (
        f"in {count(len(stalls))} of {count(len(seconds))} seconds all users waited at once, which "
        f"is {share(lost)} of all waiting; in the other seconds a scenario takes "
        f"{duration(1000 * float(np.median([one.usual_s for one in seconds])))}"
    )
    limit = threshold("pause.lost")
    shown = figure(levels[-1], STALLED, lost, text, threshold=limit, side="load", unit="1")
    collecting = _collecting(levels[-1], seconds, stalls)
    score = 0.6 + 0.4 * between(lost, limit, 2 * limit)
    if collecting is not None:
        return Sign("pause", "garbage collection", score, (shown, collecting))
    if any(cpu.is_shared(cpu.cores(level)) for level in levels):
        return None  # on a busy machine any server stalls now and then
    return Sign("pause", None, 0.8 * score, (shown,))


def _stopped(levels: Sequence[Observation]) -> Sign | None:
    """Threads that are stopped from outside: by a signal, a debugger, a freezer."""
    known = [
        (stopped / threads, level)
        for level in levels
        if (stopped := level.mean(STOPPED)) is not None and (threads := level.mean(THREADS))
    ]
    if not known:
        return None
    part = min(float(np.median([one for one, _ in known])), 1.0)
    if part < threshold("pause.stopped"):
        return None
    level = known[-1][1]
    text = f"its threads were stopped {share(part)} of the time, from outside"
    shown = figure(level, STOPPED, level.mean(STOPPED) or 0.0, text)
    return Sign("pause", "stopped", 1.0, (shown,))


def _counted(levels: Sequence[Observation]) -> Sign | None:
    """Pauses that a JVM counts itself, if they are too short or too many to stand out."""
    known = [(stopped, level) for level in levels if (stopped := level.mean(JVM)) is not None]
    if not known:
        return None
    stopped, level = known[-1]
    least = threshold("jvm.gc")
    if stopped < least:
        return None
    score = 0.6 + 0.4 * between(stopped, least, 3 * least)
    return Sign("pause", "garbage collection", score, (cpu.jvm_figure(level, stopped),))


def _seconds(level: Observation, measured: Sequence[Mapping[str, Any]]) -> Iterator[_Second]:
    """The seconds of a level, each with the usual time of a scenario."""
    totals = [
        (
            float(sum(one["completed"] for one in second["scenarios"].values())),
            float(sum(one["service_s"] for one in second["scenarios"].values())),
            _median_ms(second),
            second["counters"].get("sut", {}).get(COLLECTION),
            second["counters"].get("server", {}).get(JVM),
        )
        for second in measured
    ]
    means = [service_s / completed for completed, service_s, *_ in totals if completed]
    if len(means) < LEAST_SECONDS:
        return
    usual_s, shortest_s = float(np.quantile(means, 0.25)), min(means)
    medians = [median for _, _, median, *_ in totals if median is not None]
    usual_ms = float(np.quantile(medians, 0.25)) if medians else 0.0
    for completed, service_s, median_ms, collection, jvm in totals:
        long = completed > 0 and service_s > threshold("pause.longer") * completed * usual_s
        second = _Second(completed, service_s, collection, jvm, long, usual_s)
        if not long and median_ms is not None and median_ms <= threshold("pause.median") * usual_ms:
            short = replace(second, is_stalled=True, usual_s=shortest_s)
            second = short if _is_pause(level, short) else second
        yield second


def _is_pause(level: Observation, second: _Second) -> bool:
    """Whether a second with an ordinary median holds a pause that is too short to double the mean.

    Every user who is present or arrives during a pause waits, on average for half of it. One slow
    request takes as long but delays nobody else.
    """
    if second.service_s <= threshold("pause.pure") * second.completed * second.usual_s:
        return False
    pause_s = level.longest_s or 0.0
    if min(level.users, level.per_s * pause_s) < FEWEST_HELD_UP:
        return False
    held_up_s = min(level.users * pause_s, level.per_s * pause_s**2 / 2)
    return second.lost_s >= threshold("pause.all") * held_up_s


def _median_ms(second: Mapping[str, Any]) -> float | None:
    """Median time of a scenario in a second; the mean of the medians of several kinds."""
    found = [
        (one["completed"], one["p50_ms"])
        for one in second["scenarios"].values()
        if one["completed"] and one.get("p50_ms") is not None
    ]
    number = sum(completed for completed, _ in found)
    return sum(completed * ms for completed, ms in found) / number if number else None


def _collecting(
    level: Observation, seconds: Sequence[_Second], stalls: Sequence[_Second]
) -> Figure | None:
    """The garbage collector, if it works in the seconds of the pauses and hardly in others."""
    stopped = [one.jvm for one in stalls if one.jvm is not None]
    rest = [one.jvm for one in seconds if not one.is_stalled and one.jvm is not None]
    if stopped:
        there, elsewhere = float(np.mean(stopped)), float(np.mean(rest)) if rest else 0.0
        if there >= threshold("jvm.gc") and there >= 2 * elsewhere:
            return cpu.jvm_figure(level, there, "of these seconds")
    in_stalls = [one.collection for one in stalls if one.collection is not None]
    others = [
        one.collection for one in seconds if not one.is_stalled and one.collection is not None
    ]
    if not in_stalls:
        return None
    there = float(np.mean(in_stalls))
    elsewhere = float(np.mean(others)) if others else 0.0
    if there < threshold("pause.collecting") or there < 2 * elsewhere:
        return None
    text = f"its garbage collector used {significant(there)} CPUs in these seconds"
    return figure(level, COLLECTION, there, text)
