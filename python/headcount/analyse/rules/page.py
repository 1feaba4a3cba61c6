"""The page of rules for people, made from the files of rules.

`python -m headcount.analyse.rules.page > docs/rules.md` writes it anew.
"""

import sys
import tomllib
from collections.abc import Iterable
from importlib.resources import files

from headcount.analyse.rules.explain import condition_text
from headcount.analyse.rules.library import Library, builtin
from headcount.analyse.rules.model import Rule

_INTRODUCTION = """\
# Rules of diagnosis

What `headcount diagnose LOG` holds a log of counters to. [A log of counters](diagnose-a-log.md)
says what comes of it; `headcount diagnose LOG --explain NAME` shows a rule, or all that rules say
of a counter.

*Consistently*: at least 80 % of the samples of a window are beyond the threshold, and so is their
mean. The papers of 1998 use the word without a number; this one is ours. *Rises*, *falls*: the last
third of the window differs from the first by a fifth or more, and the rank correlation with time is
0.5 or more (ours). Of what is joined by *or*, counters that a log lacks are passed over; anything
else that is missing leaves a rule unjudged.

*Says*: a **proof** names a bottleneck, a **sign** points at one, a **note** is only told. A rule of
the nineties whose threshold the machines have outgrown says less on a machine of today: what stands
after the arrow. A machine counts as one of the nineties if it runs Windows with no more than 4 GiB
of memory. *For*: the kinds of server it is used for (`--profile`); all, where nothing stands.
*Taken back by*: an exception, under which a finding does not count.

The names of counters are the short ones of [counters](counters.md). This page is made from the
rules: `python -m headcount.analyse.rules.page > docs/rules.md`.
"""

_TITLES = {
    "memory": "Memory",
    "disk": "Disks",
    "network": "Network",
    "cpu": "CPU",
    "service": "Limits of server programs",
    "workload": "What was asked of the server",
}


def page() -> str:
    """The whole page."""
    library = builtin()
    parts = [_INTRODUCTION]
    for area, title in _TITLES.items():
        rules = [rule for rule in library.rules.values() if rule.area == area]
        parts.append(f"## {title}\n\n{_rules(rules, library)}")
    parts.append(f"## Where rules contradict each other\n\n{_conflicts(library)}")
    parts.append(f"## Advice\n\n{_advice(library)}")
    parts.append(f"## Sources\n\n{_sources(library)}")
    parts.append(f"## The rules of the papers, one by one\n\n{_ids(library)}")
    return "\n".join(parts)


def _rules(rules: Iterable[Rule], library: Library) -> str:
    lines = [
        "| rule | holds when | says | for | what it means | advice | from |",
        "|---|---|---|---|---|---|---|",
    ]
    for rule in rules:
        says = rule.strength if rule.today is None else f"{rule.strength} → {rule.today}"
        if rule.exception:
            says = "exception"
        meaning = " ".join(part for part in (rule.verdict, rule.remark) if part)
        if rule.excepted_by:
            meaning += f" Taken back by {', '.join(rule.excepted_by)}."
        who = [*rule.profiles, *([f"{rule.system.title()} only"] if rule.system != "any" else [])]
        cells = [
            f"**{rule.id}** {rule.title}",
            condition_text(rule.when),
            says,
            ", ".join(who),
            meaning,
            ", ".join(rule.advice),
            f"{library.short_source(rule)}{' (historic)' if rule.era == 'historic' else ''}",
        ]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _conflicts(library: Library) -> str:
    lines = [
        "The report names the other rule beside each finding, with what it says.\n",
        "| rule | threshold | the other | its threshold |",
        "|---|---|---|---|",
    ]
    done = set()
    for rule in library.rules.values():
        for name in rule.conflicts:
            if (name, rule.id) in done:
                continue
            done.add((rule.id, name))
            other = library.rules[name]
            sides = []
            for one in (rule, other):
                who = f" ({', '.join(one.profiles)})" if one.profiles else ""
                sides += [f"{one.id}, {library.sources[one.source].short}{who}", one.title]
            lines.append(_row(sides))
    return "\n".join(lines) + "\n"


def _advice(library: Library) -> str:
    lines = ["| advice | what to do | from |", "|---|---|---|"]
    for one in library.advice.values():
        old = "" if one.era == "modern" else " (historic)" if one.holds else " (of its time only)"
        lines.append(_row([one.id, one.text, f"{library.short_source(one)}{old}"]))
    return "\n".join(lines) + "\n"


def _sources(library: Library) -> str:
    lines = [f"- {one.short}: {one.title}" for one in library.sources.values()]
    return "\n".join(lines) + "\n"


def _ids(library: Library) -> str:
    lines = ["| id | what it is here | where |", "|---|---|---|"]
    for name, place in ids().items():
        what, where = place["as"], place.get("at", "")
        if what in {"rule", "advice"}:
            where = "above"
        elif where.startswith("docs/"):
            where = f"[{where.removeprefix('docs/')}]({where.removeprefix('docs/')})"
        else:
            where = f"`{where}`"
        if what == "rule" and name in library.rules:
            told = f"rule: {library.rules[name].title}"
        elif what == "advice":
            told = "advice"
        else:
            told = place.get("does", "formula or counsel")
        lines.append(_row([name, told, where]))
    return "\n".join(lines) + "\n"


def ids() -> dict[str, dict[str, str]]:
    """Where each formula, threshold and counsel of the papers lives, by its id."""
    path = files("headcount.analyse.rules").joinpath("data/ids.toml")
    found: dict[str, dict[str, str]] = tomllib.loads(path.read_text("utf-8"))["ids"]
    return found


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
