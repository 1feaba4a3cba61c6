"""What a counter means, and every rule's threshold for it, with its source."""

from dataclasses import dataclass

from headcount.analyse.rules.condition import unit_of
from headcount.analyse.rules.least import least_text
from headcount.analyse.rules.library import Library, builtin
from headcount.analyse.rules.model import Condition, Rule
from headcount.analyse.rules.units import factor, limit
from headcount.counters.catalogue import Counter, label, lookup
from headcount.counters.naming import split_instance

_HOW = {
    "consistently": "consistently",
    "mean": "on average",
    "max": "at any time",
    "min": "at any time",
    "last": "at the end",
}
_PER = {"absolute": "", "memory": " of memory", "cpus": " per CPU", "spindles": " per spindle"}


@dataclass(frozen=True, slots=True)
class Threshold:
    """One rule's use of a counter.

    Attributes:
        rule: The rule.
        text: The comparison in words: `above 80%, consistently`.
        source: Where it comes from, in full.

    """

    rule: Rule
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """A counter, explained.

    Attributes:
        counter: Its entry in the catalogue.
        thresholds: In the order of the rules.

    """

    counter: Counter
    thresholds: tuple[Threshold, ...]


def explain(name: str, library: Library | None = None) -> Explanation | None:
    """Explain a counter, including one of a single device or interface; None if it is unknown."""
    counter = lookup(name)
    if counter is None:
        return None
    family = split_instance(name)[0]
    known = library or builtin()
    found = [
        Threshold(rule, comparison_text(leaf), known.source(rule))
        for rule in known.rules.values()
        for leaf in rule.when.leaves()
        if family in (leaf.counter, *leaf.plus, leaf.over)
    ]
    return Explanation(counter, tuple(found))


def comparison_text(leaf: Condition) -> str:
    """One comparison in words, without the counter: `below 4 MiB, consistently`.

    >>> comparison_text(Condition(counter="system.cpu.utilization", op=">", value=80, unit="%"))
    'above 80%, consistently'
    >>> comparison_text(Condition(counter="system.cpu.utilization", is_="rises"))
    'rises'
    """
    if leaf.value is None:
        return f"{leaf.is_}{_with_least(leaf)}"
    to = "1" if leaf.scale == "memory" else unit_of(leaf)
    if leaf.fact is not None:
        to = "By" if leaf.fact == "memory" else ""
    value = leaf.value * (factor(leaf.unit, to) if to else 1)
    how = {">": "above", ">=": "at or above", "<": "below", "<=": "at or below"}[leaf.op]
    if leaf.over is not None and leaf.unit is None:
        written = f"{leaf.value:g} times"
    else:
        written = limit(value, to) if to else f"{leaf.value:g}"
    when = "" if leaf.fact is not None else f", {_HOW[leaf.is_]}"
    return f"{how} {written}{_PER[leaf.scale]}{when}{_with_least(leaf)}"


def _with_least(leaf: Condition) -> str:
    text = least_text(leaf)
    return f", with {text}" if text else ""


def subject(leaf: Condition) -> str:
    """What is compared, by its short name: `Disk read + Disk written`."""
    if leaf.fact is not None:
        return {"cpus": "number of CPUs", "memory": "memory", "spindles": "spindles"}[leaf.fact]
    names = " + ".join(label(name) for name in (leaf.counter or "", *leaf.plus))
    return f"{names} over {label(leaf.over)}" if leaf.over else names


def condition_text(condition: Condition) -> str:
    """A whole condition in words."""
    if condition.all:
        inner = " and ".join(_part(one) for one in condition.all)
    elif condition.any:
        inner = " or ".join(_part(one) for one in condition.any)
    elif condition.no is not None:
        inner = f"not {_part(condition.no)}"
    else:
        inner = f"{subject(condition)} {comparison_text(condition)}"
    return f"{inner} (any single device)" if condition.each else inner


def _part(condition: Condition) -> str:
    text = condition_text(condition)
    return f"({text})" if len(condition.all) + len(condition.any) > 1 else text
