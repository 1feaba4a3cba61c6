"""The diagnosis of a log in sentences."""

from datetime import UTC, datetime

from headcount.analyse.rules.condition import Reading
from headcount.analyse.rules.decide import Decision
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.explain import condition_text, subject
from headcount.analyse.rules.finding import Finding
from headcount.analyse.rules.least import counted, unit_of_count
from headcount.analyse.rules.model import AREAS as ORDER
from headcount.analyse.rules.model import Area, Rule
from headcount.analyse.rules.units import figure, limit
from headcount.counters.catalogue import label
from headcount.report.findings import log_coverage
from headcount.report.findings.log_areas import AREAS, be, named
from headcount.text import DASH, plural, share, span

_LIMITED: dict[Area, str] = {
    "memory": "Memory limits this machine: there is too little of it.",
    "disk": "The disks limit this machine.",
    "network": "The network link limits this machine.",
    "cpu": "The CPU limits this machine.",
    "service": "A limit of the server program itself holds it back.",
}
MASKED = (
    "The disk is busy at the same time. Memory comes first: a shortage can look like slow I/O, and "
    "a faster disk would help little."
)
_WITHOUT = {
    "clients": (
        "This machine is not the limit: it worked and had room left. Its clients are the limit, or "
        "needed no more."
    ),
    "idle": "Nothing on this machine is exhausted; it was mostly idle.",
    "unknown": "The log has no counters that could prove a bottleneck.",
}
_SURE = {
    "clear": "clear",
    "likely": "likely; the log lacks counters of an area that comes first",
    "weak": "weak; only signs, no proof",
}
MOST_SPANS = 3
WHOLE = 0.99
"""Share of the log from which a finding counts as holding the whole time."""


def verdict(found: LogDiagnosis) -> str:
    """The answer, as one sentence or two."""
    decision = found.decision
    if decision.kind == "limited" and decision.area is not None:
        return _LIMITED[decision.area]
    if decision.kind == "signs" and decision.area is not None:
        return f"Nothing proves a bottleneck; signs point at {AREAS[decision.area]}."
    if decision.kind == "too_few":
        return log_coverage.too_few(decision.coverage)
    if decision.kind in {"clients", "idle"} and decision.not_judged:
        return _in_part(decision)
    return _WITHOUT[decision.kind]


def _in_part(decision: Decision) -> str:
    """The answer of a log that lacks counters of an area."""
    seen = [one for one in ORDER if one in decision.ruled_out]
    names = named(seen)
    return (
        f"{names[:1].upper()}{names[1:]} {be(seen)} not the limit. The log does not show whether "
        f"{named(decision.not_judged, 'or')} {be(decision.not_judged[-1:])}."
    )


def confidence(found: LogDiagnosis) -> str:
    """The confidence of the answer."""
    decision = found.decision
    if decision.confidence == "none":
        return "none"
    if decision.kind == "signs" and not decision.coverage.is_enough:
        return f"weak; only {log_coverage.samples(decision.coverage)}"
    if decision.area is None and decision.not_judged:
        return "likely; the log does not show everything"
    if decision.confidence == "likely" and decision.coverage.has_gaps:
        return "likely; most of the time has no samples"
    return _SURE[decision.confidence]


def context(found: LogDiagnosis) -> list[str]:
    """Lines beside the answer: masking, the runner-up, what is ruled out, mean use."""
    decision = found.decision
    unproved = [one for one in decision.not_judged if one in (decision.area, decision.runner_up)]
    remarks = (log_coverage.gaps(decision.coverage), log_coverage.one_counter(found))
    lines = [line for line in remarks if line is not None]
    lines += [MASKED] if decision.masked else []
    if decision.runner_up is not None:
        proved = any(
            one.rule.area == decision.runner_up and one.strength == "proof"
            for one in found.examination.found
        )
        next_one = AREAS[decision.runner_up]
        lines.append(f"Next limit: {next_one}." if proved else f"Signs also point at {next_one}.")
    if decision.ruled_out:
        lines.append(f"Ruled out: {named(decision.ruled_out)}.")
    lacking = [one for one in decision.not_judged if one not in unproved]
    if lacking:
        lines.append(f"Not observed: {log_coverage.lacking(found, lacking)}.")
    if unproved:
        names = named(unproved)
        lines.append(f"No counters that could prove it: {names}.")
    if decision.used and decision.area is None:
        means = ", ".join(f"{name} {share(value)}" for name, value in decision.used.items())
        shown = "Mean use" if decision.coverage.is_enough else "In the samples"
        lines.append(f"{shown}: {means}.")
    return lines


def finding(one: Finding) -> str:
    """A finding in a line: its title, and the figures."""
    return f"{one.rule.title}: {'; '.join(readings(one))}"


def readings(one: Finding) -> list[str]:
    """The figures of a finding beside their thresholds; each counter once."""
    first: dict[object, Reading] = {}
    for part in one.readings:
        leaf = part.leaf
        if part.value is not None:
            first.setdefault((leaf.counter, leaf.plus, leaf.over, part.instance), part)
    return [reading(part) for part in first.values()]


def reading(part: Reading) -> str:
    """A figure beside its threshold: `Disk queue (sda) 6.00 on average, above 2 ...`."""
    leaf = part.leaf
    name = subject(leaf) + (f" ({part.instance})" if part.instance else "")
    value = DASH if part.value is None else figure(part.value, part.unit)
    of = _count(part)
    if part.threshold is None:
        # A condition may contrast counters: interrupts rise, the traffic does not.
        course = leaf.is_ if part.violating else f"does not {leaf.is_.removesuffix('s')}"
        return f"{name} {course}, {value} on average{of}"
    side = {">": "above", ">=": "at or above", "<": "below", "<=": "at or below"}[leaf.op]
    held = f"{side} {limit(part.threshold, part.unit)}"
    if leaf.is_ == "consistently":
        return f"{name} {value} on average{of}; {held} in {share(part.violating)} of the samples"
    how = {"mean": "on average", "max": "at most", "min": "at least", "last": "at the end"}
    return f"{name} {value} {how[leaf.is_]}{of}; the threshold is {held}"


def _count(part: Reading) -> str:
    """The count that a ratio is based on, in brackets: ` (Disk operations 100/s)`."""
    name = counted(part.leaf)
    if name is None or name == part.leaf.counter:
        return ""
    if part.count is None:
        return f" (the log lacks {label(name)})"
    return f" ({label(name)} {figure(part.count, unit_of_count(part.leaf))})"


def when(one: Finding) -> str:
    """The times at which a finding holds."""
    if one.share >= WHOLE:
        return "the whole time"
    shown = [moments(*part) for part in one.spans[:MOST_SPANS]]
    more = len(one.spans) - MOST_SPANS
    if more > 0:
        shown.append(f"and {plural('more time', more)}")
    return f"{', '.join(shown)} UTC, {share(one.share)} of the log"


def moments(start_s: float, end_s: float) -> str:
    """A span of time in UTC: `22 Nov 10:05-10:45`."""
    start, end = (datetime.fromtimestamp(one, UTC) for one in (start_s, end_s))
    seconds = end_s - start_s < 300
    clock = "%H:%M:%S" if seconds else "%H:%M"
    first = f"{start.day} {start:%b} {start.strftime(clock)}"
    if end_s == start_s:
        return first
    last = end.strftime(clock)
    if end.date() != start.date():
        last = f"{end.day} {end:%b} {last}"
    return f"{first} to {last}"


def of_the_log(found: LogDiagnosis) -> str:
    """The log in a line: its machine, time, samples and counters."""
    start_s, end_s = found.examination.span
    day, clock = moments(start_s, end_s).split(" ", 2)[:2], moments(start_s, end_s).split(" ", 2)[2]
    when = f"{' '.join(day)} {datetime.fromtimestamp(start_s, UTC).year} {clock}"
    number = len(found.examination.frame.at_s)
    counters = len(found.examination.frame.names())
    host = f" of {found.recording.host}" if found.recording.host else ""
    return (
        f"{found.recording.format}{host}: {when} UTC "
        f"({span(end_s - start_s)}), {plural('sample', number)} of {plural('counter', counters)}"
    )


def conflicts(one: Finding, found: LogDiagnosis) -> list[str]:
    """The thresholds of other sources, a sentence each."""
    lines = []
    for other in one.conflicts:
        verdict = {True: "holds too", False: "does not hold", None: "is undecided"}[other.holds]
        lines.append(
            f"{other.rule.id} ({source(other.rule, found)}) requires: "
            f"{condition_text(other.rule.when)}. It {verdict}."
        )
    return lines


def source(rule: Rule, found: LogDiagnosis) -> str:
    """The source of a rule; old ones are marked."""
    short = found.library.short_source(rule)
    return f"{short}, historic" if rule.era == "historic" else short
