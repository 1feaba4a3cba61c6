"""The reference page of rules, generated from the rules' files.

`python -m headcount.analyse.rules.reference > docs/rules.md` rewrites it.
"""

import sys
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from itertools import groupby

from headcount.analyse.rules.explain import condition_text
from headcount.analyse.rules.library import Library, builtin
from headcount.analyse.rules.model import Advice, Rule

_INTRODUCTION = """\
# Rules of diagnosis

`headcount diagnose LOG` evaluates these rules; [Diagnose a log](diagnose-a-log.md) explains the
result. `headcount diagnose --explain NAME` shows one rule, every rule about a counter, one advice
(A-05) or any other id of the papers of 1998: what it was, what has replaced it, and the knobs of
[`headcount tune`](tuning.md) that do the same today.

*Holds when* uses the short names of [counters](counters.md). Unless the table says otherwise, a
comparison must hold *consistently*: for 80% of a window's samples and for their mean (the papers of
1998 give no number). *Rises* and *falls* mean that the first and last third of the window differ by
at least a fifth, with a rank correlation with time of at least 0.5. In an *or*, counters missing
from the log are skipped; any other missing counter leaves the rule undecided.

A ratio, or a time of each operation, has a least count after *with*: its base must reach this
much on average, and samples below it do not count. If a log lacks the counter for it, the finding
says so. These figures are Headcount's.

*Strength*: a **proof** names a bottleneck, a **sign** points at one, a **note** is only reported.
Signs that measure waiting or saturation itself are named first (*direct*). While an exception
holds, the findings it cancels do not count. The strength after an arrow applies to machines that
have outgrown the rule: all but Windows with at most 4 GiB of memory.

In italics: the `--profile` and system a rule is for (all, if none is named), and its source. Rules
and advice from SAS 1998 and Microsoft 1998 are historic.

This page is generated: `python -m headcount.analyse.rules.reference > docs/rules.md`.
"""

_TITLES = {
    "memory": "Memory",
    "disk": "Disks",
    "network": "Network",
    "cpu": "CPU",
    "service": "Limits of server programs",
    "workload": "The load itself",
}


def page() -> str:
    """The whole page."""
    library = builtin()
    parts = [_INTRODUCTION]
    for area, title in _TITLES.items():
        rules = [rule for rule in library.rules.values() if rule.area == area]
        parts.append(f"## {title}\n\n{_rules(rules, library)}")
    parts.append(f"## Conflicting thresholds\n\n{_conflicts(library)}")
    parts.append(f"## Advice\n\n{_advice(library)}")
    parts.append(f"## Sources\n\n{_sources(library)}")
    parts.append(f"## Other ids from the papers\n\n{_ids()}")
    return "\n".join(parts)


def _rules(rules: Iterable[Rule], library: Library) -> str:
    lines = [
        "| rule | holds when | strength | meaning | advice |",
        "|---|---|---|---|---|",
    ]
    for rule in rules:
        strength = rule.strength if rule.today is None else f"{rule.strength} → {rule.today}"
        strength += ", direct" if rule.direct else ""
        meaning = " ".join(part for part in (rule.verdict, rule.remark) if part)
        if rule.excepted_by:
            meaning += f" Cancelled by {', '.join(rule.excepted_by)}."
        only = [*rule.profiles, *([rule.system.title()] if rule.system != "any" else [])]
        scope = [", ".join(only), library.short_source(rule)][not only :]
        cells = [
            f"**{rule.id}** {rule.title}<br>*{'; '.join(scope)}*",
            condition_text(rule.when).replace(", consistently", ""),
            "exception" if rule.exception else strength,
            meaning,
            ", ".join(rule.advice),
        ]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _conflicts(library: Library) -> str:
    pairs = []
    done: set[tuple[str, str]] = set()
    for rule in library.rules.values():
        others = [name for name in rule.conflicts if (name, rule.id) not in done]
        done.update((rule.id, name) for name in others)
        if others:
            pairs.append(f"- {rule.id}: {', '.join(others)}")
    lead = "Sources disagree here. A report names the other rules beside a finding.\n\n"
    return lead + "\n".join(pairs) + "\n"


def _advice(library: Library) -> str:
    def heading(one: Advice) -> tuple[str, bool]:
        return library.sources[one.source].short, one.holds

    parts = []
    found = sorted(
        library.advice.values(), key=lambda one: (one.era != "modern", not one.holds, one.source)
    )
    for (short, holds), group in groupby(found, key=heading):
        lines = [f"### {short}{'' if holds else ', outdated'}\n"]
        lines += [
            f"- **{one.id}** {one.text}{_where(one.where)}{_today(one.today)}" for one in group
        ]
        parts.append("\n".join(lines) + "\n")
    return "Tips are in appendix A of SAS 1998.\n\n" + "\n".join(parts)


def _where(place: str) -> str:
    return f" ({place.removeprefix('appendix A, ')})" if place else ""


def _today(text: str) -> str:
    return f" *Today:* {text}" if text else ""


def _sources(library: Library) -> str:
    lines = [f"- {one.short}: {one.title}" for one in library.sources.values()]
    return "\n".join(lines) + "\n"


def _ids() -> str:
    """Where the papers' ids are that are neither a rule nor advice."""
    formulas: dict[str, list[str]] = {}
    lines = []
    for name, place in ids().items():
        if place["as"] == "formula":
            formulas.setdefault(place["at"].removeprefix("docs/"), []).append(name)
        elif place["as"] == "program":
            lines.append(f"- {name}: {place['does']} ({_place(place['at'])})")
    found = [f"- Formulas in [{at}]({at}): {_ranges(names)}" for at, names in formulas.items()]
    return "\n".join([*found, *lines]) + "\n"


def _ranges(names: Iterable[str]) -> str:
    """Ids in order, those that follow each other as a range.

    >>> _ranges(["R-01", "R-02", "R-03", "R-05", "S-01"])
    'R-01 to R-03, R-05, S-01'
    """
    found: list[list[str]] = []
    for name in names:
        letter, number = name.split("-")
        if found and found[-1][-1] == f"{letter}-{int(number) - 1:02}":
            found[-1].append(name)
        else:
            found.append([name])
    return ", ".join(one[0] if len(one) == 1 else f"{one[0]} to {one[-1]}" for one in found)


def _place(path: str) -> str:
    page = path.removeprefix("docs/")
    return f"`{path}`" if page == path else f"[{page}]({page})"


def ids() -> dict[str, dict[str, str]]:
    """Where Headcount has each formula, threshold and tip of the papers, by its id."""
    path = files("headcount.analyse.rules").joinpath("data/ids.toml")
    found: dict[str, dict[str, str]] = tomllib.loads(path.read_text("utf-8"))["ids"]
    return found


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
