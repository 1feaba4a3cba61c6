"""The result of faults, as a record and in words; pure."""

from collections.abc import Mapping, Sequence
from typing import Literal

from headcount.analyse.outage.spread import counted, spreads
from headcount.bundle.failover import Failover, Outage, Spread
from headcount.bundle.writer import now
from headcount.failover.fault import Fault
from headcount.failover.wanted import Wanted
from headcount.plan.plan import Plan
from headcount.text import count, duration, interval, listed, plural

Ending = Literal["finished", "interrupted", "failed"]
NOTHING = "No repetition counts, so nothing is known about this fault"


def answer(
    plan: Plan,
    wanted: Wanted,
    fault: Fault,
    allowed: float,
    slot_s: float,
    outages: Sequence[Outage],
    ending: Ending,
) -> Failover:
    """The record of all repetitions so far."""
    found = spreads(outages)
    return Failover(
        at=now(),
        target=plan.target,
        workload=plan.workload.name,
        users=plan.levels[0],
        fault=fault.text,
        recover=fault.recovery,
        options=options(wanted),
        planned=wanted.planned,
        wanted=wanted.repeat,
        allowed=allowed,
        slot_s=slot_s,
        outages=list(outages),
        spreads=found,
        ending=ending,
        sentence=sentence(outages, found),
    )


def sentence(outages: Sequence[Outage], found: Sequence[Spread]) -> str:
    """What users felt, in a sentence or two."""
    if not counted(outages):
        return NOTHING
    by_name = {one.figure: one for one in found}
    number = plural("repetition", len(counted(outages)))
    silent, served, lost = by_name["silent_s"], by_name["served_s"], by_name["lost"]
    if silent.worst == 0:
        text = f"Answers never stopped in {number}"
    else:
        text = f"Nobody got an answer for {spread_text(silent)} in {number}"
    if served.worst == 0:
        text += ", and users were served within their limits throughout"
    elif served.median is None:
        text += f". Users were not back in {served.missing} of them"
    else:
        text += f". Users were served within their limits again after {spread_text(served)}"
        text += f", and not at all in {served.missing}" if served.missing else ""
    return " ".join([f"{text}; {_failed_text(lost)}.", *_writes_texts(outages, by_name)])


def _writes_texts(outages: Sequence[Outage], by_name: Mapping[str, Spread]) -> list[str]:
    """What became of acknowledged writes, in sentences; empty if nobody wrote."""
    known = [one.writes for one in counted(outages) if one.writes is not None]
    gone, stale = by_name.get("gone"), by_name.get("stale")
    if not known or gone is None or stale is None:
        return []
    number = count(sum(one.acknowledged for one in known))
    if gone.worst == 0:
        texts = [f"None of {number} acknowledged writes was gone afterwards."]
    else:
        lost = sum(one.gone for one in known)
        until = max(one.gone_to_s for one in known if one.gone_to_s is not None)
        text = f"{count(lost)} of {number} acknowledged writes were gone afterwards"
        texts = [f"{text}; the last of them was acknowledged {_when(until)}."]
    if stale.worst:
        reads = plural("read", sum(one.stale for one in known))
        texts.append(f"{reads} did not show what had been acknowledged before.")
    if unknown := len(counted(outages)) - len(known):
        texts.append(f"In {plural('repetition', unknown)} the writes could not be read back.")
    return texts


def _when(at_s: float) -> str:
    """A moment, as time after the fault."""
    return f"{seconds(abs(at_s))} {'before' if at_s < 0 else 'after'} the fault"


def _failed_text(lost: Spread) -> str:
    if lost.worst == 0:
        return "no scenario failed"
    text = f"{plural('scenario', lost.median)} failed"
    return text if lost.number == 1 else f"{text} (median)"


def spread_text(one: Spread) -> str:
    """A spread of seconds: the median with its interval, and the worst."""
    median = duration(None if one.median is None else one.median * 1000)
    if one.number == 1:
        return median
    inner = []
    if one.median_low is not None and one.median_high is not None:
        bounds = interval(one.median_low * 1000, one.median_high * 1000, duration)
        inner.append(f"95% interval {bounds}")
    worst = "never" if one.worst is None else duration(one.worst * 1000)
    inner.append(f"longest {worst}")
    return f"{median} (median; {', '.join(inner)})"


def outage_text(one: Outage) -> str:
    """One repetition, in a line."""
    if one.outcome == "invalid":
        return f"does not count: {listed(one.reasons)}"
    silent = "answers never stopped" if not one.silent_s else f"silent {seconds(one.silent_s)}"
    if one.answered_s is None:
        silent = f"no answer in {seconds(one.silent_s)}"
    if one.served_s is None:
        back = "users are not back"
    elif one.served_s == 0:
        back = "served throughout"
    else:
        back = f"served again after {seconds(one.served_s)}"
    text = f"{silent}, {back}, {count(one.lost)} failed, {count(one.late)} late"
    if one.writes is not None and one.writes.gone:
        text += f", {count(one.writes.gone)} acknowledged writes gone"
    return text


def seconds(value_s: float) -> str:
    """A time in the unit that suits it."""
    return duration(value_s * 1000)


def options(wanted: Wanted) -> list[str]:
    """The options of the command line that ask for the same."""
    timing, asked = wanted.timing, wanted.questions
    given: list[tuple[str, str | None]] = [
        ("--fault", wanted.fault),
        ("--node", wanted.node),
        ("--recover", wanted.recover),
        ("--recover-after", None if timing.recover_s is None else f"{timing.recover_s:g}s"),
        ("--noticed", asked.noticed),
        ("--taken-over", asked.taken_over),
        ("--ready", wanted.ready),
        ("--writers", None if wanted.writers is None else str(wanted.writers)),
        ("--at", f"{timing.at_s:g}s"),
        ("--after", f"{timing.after_s:g}s"),
        ("--longest", f"{timing.longest_s:g}s"),
        ("--calm", f"{timing.calm_s:g}s"),
    ]
    found = [word for name, value in given if value is not None for word in (name, value)]
    return [*found, *(["--planned"] if wanted.planned else [])]
