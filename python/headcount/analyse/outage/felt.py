"""How users felt one outage, from what happened when; pure.

Two moments end it. *Silence* ends with the first success after the longest time without one. Users
are *served* again when neither of these holds any more:

- More than the allowed share of users wait for a scenario that will be missed: it fails, or is
  slow or late.
- More than the allowed share of the scenarios that end are missed. This uses the sum of the missed
  ones less the allowed share of all, never below zero: users were served again where it peaked
  the last time that it grew to more than chance. The sum needs no window, and one slow answer
  later does not move it. (The cumulative sum of Page, 1954.)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from headcount.analyse.outage.slot import Slot

ORDINARY = 2.0
"""A silence lasts at least this many times the longest pause between answers before the fault."""
FEW = 2.0
"""Fewer users who wait for a scenario that will be missed, or missed scenarios, are chance."""
MANY = 5.0
"""Missed scenarios beyond those allowed. If one in a hundred is missed anyway, the sum gets this
far by chance once in some 3,000 times that it leaves zero."""
RESTORED = 0.95
"""Share of the rate before the fault at which the capacity is back."""
DIP = 100.0
"""Missing scenarios that make a dip of the rate. If the rate is as before, the sum gets this far by
chance once in some 20,000 times that it leaves zero: exp(-2 * 0.05 * 100), for a random walk whose
variance is the rate."""
TAIL = 50.0
"""Missing scenarios after a dip that are a dip, too. If the rate is as before, the sum gets this
far by chance after 1 in 150 dips: exp(-2 * 0.05 * 50)."""
DEVIATIONS = 2.0
"""Standard deviations (Poisson) by which the rate before the fault may have been overestimated."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When users count as served.

    Attributes:
        users: How many there are.
        allowed: The share of scenarios that may be missed, and of users who may wait for one.
        calm_s: How long users must have been served to count as served again.

    """

    users: int
    allowed: float
    calm_s: float


@dataclass(frozen=True, slots=True)
class Felt:
    """One outage.

    Times are in seconds after the fault began; None if the moment did not come.

    Attributes:
        rate_per_s: Scenarios completed per second before the fault.
        silent_s: The longest time without any success; 0 if answers never stopped. If none came any
            more, it lasts until the end of the observation.
        silence_began_s: When that silence began; None if answers never stopped.
        answered_s: When it ended; None if no answer came any more, 0 without a silence.
        served_s: When users were served within the limits again; 0 if they always were.
        restored_s: When the rate was back at 95% of its value before the fault.
        lost: Scenarios that failed after the fault, beyond the usual failures before it.
        late: Scenarios that were slow or late, counted likewise.
        log_ons: Sessions that were opened again.

    """

    rate_per_s: float
    silent_s: float
    silence_began_s: float | None
    answered_s: float | None
    served_s: float | None
    restored_s: float | None
    lost: int
    late: int
    log_ons: int


def felt(
    slots: Sequence[Slot],
    injected_s: float,
    seen: tuple[float, float],
    slot_s: float,
    limits: Limits,
) -> Felt:
    """What users felt of a fault.

    Args:
        slots: What happened when, in order; empty slots may be left out.
        injected_s: When the fault began.
        seen: The first and the last moment that were watched.
        slot_s: How long a slot is.
        limits: When users count as served.

    """
    from_s, to_s = seen
    before = [one for one in slots if from_s <= one.at_s < injected_s]
    after = [one for one in slots if injected_s - slot_s < one.at_s < to_s]
    length_s = max(injected_s - from_s, slot_s)
    rate = sum(one.completed for one in before) / length_s
    began_s, ended_s = _silence(slots, injected_s, seen, slot_s)
    served_s = served(slots, injected_s, to_s, slot_s, limits)
    answered = 0.0 if began_s is None else ended_s - injected_s
    sure = max(rate - DEVIATIONS * math.sqrt(rate / length_s), 0.0)
    # Half of it: users are watched until they have been served for `calm_s`, and the rate may come
    # back a moment after that period began.
    restored_s = _restored(after, sure, (injected_s, to_s), slot_s, limits.calm_s / 2)
    passed_s = to_s - injected_s

    def beyond(count: int, usual: int) -> int:
        return max(round(count - usual / length_s * passed_s), 0)

    failed = beyond(sum(one.failed for one in after), sum(one.failed for one in before))
    missed = beyond(sum(one.missed for one in after), sum(one.missed for one in before))
    opened = beyond(sum(one.opened for one in after), sum(one.opened for one in before))
    return Felt(
        rate_per_s=rate,
        silent_s=0.0 if began_s is None else ended_s - began_s,
        silence_began_s=None if began_s is None else began_s - injected_s,
        answered_s=None if began_s is not None and ended_s >= to_s else answered,
        served_s=served_s,
        restored_s=None if restored_s is None else max(restored_s - injected_s, answered),
        lost=failed,
        late=max(missed - failed, 0),
        log_ons=opened,
    )


def _silence(
    slots: Sequence[Slot], injected_s: float, seen: tuple[float, float], slot_s: float
) -> tuple[float | None, float]:
    """When the longest silence after the fault began and ended; without one, it began at None.

    An answer came at an unknown moment within its slot: the middle is used.
    """
    from_s, to_s = seen
    answers = [
        one.at_s + slot_s / 2 for one in slots if one.completed and from_s <= one.at_s < to_s
    ]
    marks = [from_s, *answers, to_s]
    usual_s, longest = 0.0, (injected_s, injected_s)
    for begin_s, end_s in pairwise(marks):
        if end_s <= injected_s:
            usual_s = max(usual_s, end_s - begin_s)
        elif end_s - begin_s > longest[1] - longest[0]:
            longest = (begin_s, end_s)
    if longest[1] - longest[0] <= ORDINARY * usual_s + slot_s:
        return None, injected_s
    return longest


def served(
    slots: Sequence[Slot], injected_s: float, to_s: float, slot_s: float, limits: Limits
) -> float | None:
    """When users were served again, in seconds after the fault; 0 if they always were.

    None if they had not been served for long enough by the end.
    """
    total, most, waiting = 0.0, 0.0, 0
    at_s = peak_s = injected_s
    many = max(limits.allowed * limits.users, FEW)
    for one in slots:
        missed = one.slow + one.failed
        if one.at_s + slot_s <= injected_s:
            waiting += one.missed - missed
            continue
        total = max(total + missed - limits.allowed * (one.completed + one.failed), 0.0)
        if total > most:
            most, peak_s = total, one.at_s + slot_s
        if most >= MANY:
            at_s = max(at_s, peak_s)
        if not total:
            most = 0.0
        if missed and waiting + one.missed >= many:
            at_s = one.at_s + slot_s
        waiting += one.missed - missed
    if waiting >= many or to_s - at_s < limits.calm_s:
        return None
    return at_s - injected_s


def _restored(
    after: Sequence[Slot], rate: float, seen: tuple[float, float], slot_s: float, calm_s: float
) -> float | None:
    """When the last dip of the rate ended; the fault's moment without a dip, None if it lasts.

    Page's cumulative sum of the shortfall from `RESTORED` of the rate, never below zero: a dip
    reaches at most to where the sum is largest.
    """
    from_s, to_s = seen
    first, usual = round(from_s / slot_s), rate * slot_s
    completed = [0] * max(round(to_s / slot_s) - first, 0)
    for one in after:
        place = round(one.at_s / slot_s) - first
        if 0 <= place < len(completed):
            completed[place] += one.completed
    dip: tuple[int, int] | None = None
    began = peak = 0
    missing = most = 0.0
    for place, number in enumerate(completed):
        missing = max(missing + RESTORED * usual - number, 0.0)
        if missing > most:
            most, peak = missing, place + 1
        if most >= DIP:
            dip = began, peak
        if most - missing >= DIP or not missing:
            missing = most = 0.0
            began = place + 1
    if dip is None:
        return from_s
    ended_s = (first + _dip_end(completed, usual, *dip)) * slot_s
    return None if to_s - ended_s < calm_s else ended_s


def _dip_end(completed: Sequence[int], usual: float, began: int, end: int) -> int:
    """The place where a dip ended that lasted from one place to at most another.

    Chance after a deep dip looks like a shallow one. So the end is where the shortfall from a rate
    halfway between the dip's own and the usual one is largest, unless what follows lacks `TAIL`
    scenarios: then that is a dip of its own.
    """
    while True:
        number = sum(completed[began:end])
        halfway = min((number / (end - began) + usual) / 2, RESTORED * usual)
        sums = list(accumulate(halfway - one for one in completed[began:end]))
        found = began + sums.index(max(sums)) + 1
        if found == end:
            return end
        if RESTORED * usual * (end - found) - sum(completed[found:end]) >= TAIL:
            began = found
        else:
            end = found
