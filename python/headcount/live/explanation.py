"""A counter explained as a page of text: its meaning and its thresholds."""

from headcount.analyse.rules.explain import explain
from headcount.counters.catalogue import lookup
from headcount.counters.value_text import unit_name
from headcount.live.line import title, unit
from headcount.text import clean

_BETTER = {"lower": "Less is better.", "higher": "More is better.", "neither": ""}
NONE = "No rule has a threshold for it."


def explanation(name: str) -> list[str]:
    """Paragraphs: what it is called, unit and meaning, and each threshold with its source."""
    counter = lookup(name)
    counted = unit_name(unit(name)) or "unit unknown"
    parts = [title(name), f"{clean(name)} ({counted})"]
    if counter is None:
        return [*parts, "This counter is not in the catalogue, so it has no description."]
    parts.append(f"{counter.meaning} {_BETTER[counter.better]}".rstrip())
    found = explain(name)
    thresholds = found.thresholds if found else ()
    parts.append("Thresholds:" if thresholds else NONE)
    for threshold in thresholds:
        rule = threshold.rule
        era = " Historic." if rule.era == "historic" else ""
        parts.append(f"{rule.id}: {threshold.text}. {rule.title}.{era} From {threshold.source}.")
    return parts
