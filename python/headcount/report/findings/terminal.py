"""The diagnosis of a log on the terminal: the answer first, then why, then what to do."""

from textwrap import wrap

from rich.console import Console
from rich.text import Text

from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.explain import Explanation, condition_in_words
from headcount.analyse.rules.finding import Finding
from headcount.analyse.rules.library import Library
from headcount.analyse.rules.model import Advice, Rule
from headcount.report.findings import wording
from headcount.report.terminal.glyphs import writable

MOST_EVIDENCE = 4
MOST_ADVICE = 3
_COLOURS = {"limited": "bold red", "signs": "bold yellow", "unknown": "bold yellow"}


def show(found: LogDiagnosis, console: Console) -> None:
    """Print one diagnosis."""
    _say(console, wording.of_the_log(found), "dim")
    _say(console, wording.verdict(found), _COLOURS.get(found.decision.kind, "bold green"))
    _say(console, f"How sure: {wording.sure(found)}.")
    for line in wording.context(found):
        _say(console, line)
    evidence = found.decision.evidence
    if evidence:
        _say(console, "\nWhy", "bold")
        for one in evidence[:MOST_EVIDENCE]:
            _finding(one, found, console)
        _more(len(evidence) - MOST_EVIDENCE, console)
    if found.advice:
        _say(console, "\nWhat to do first", "bold")
        for number, advice in enumerate(found.advice[:MOST_ADVICE], start=1):
            _say(console, f"{number}. {advised(advice)}", indent=2)
    if found.notes or found.examination.taken_back:
        _say(console, "\nTo know", "bold")
    for one in found.examination.taken_back:
        by = one.taken_back_by[0]
        _say(console, f"- {one.rule.id} does not count. {by.verdict} ({by.id})", indent=2)
    for note in found.notes:
        _say(console, f"- {note}", indent=2)
    rest = _rest(found)
    if rest:
        _say(console, f"\nIn the report (-o report.html): {rest}.", "dim")


def explain_rule(rule: Rule, library: Library, console: Console) -> None:
    """Print a rule: when it holds, what it means, where it is from, what it advises."""
    _say(console, f"{rule.id}: {rule.title}", "bold")
    _say(console, f"Holds when: {condition_in_words(rule.when)}.")
    strength = rule.strength if rule.today is None else f"{rule.strength}, today {rule.today}"
    _say(console, f"Says: {strength}. {rule.verdict}")
    who = ", ".join(rule.profiles) or "any server"
    _say(console, f"For: {who}; {rule.era}; system: {rule.system}.")
    if rule.remark:
        _say(console, rule.remark)
    _say(console, f"From: {library.source(rule)}.")
    for name in rule.conflicts:
        other = library.rules[name]
        text = f"{name}, {library.source(other)}: {other.title}"
        _say(console, f"Another threshold: {text}.")
    for name in rule.excepted_by:
        _say(console, f"Taken back by {name}: {library.rules[name].verdict}")
    for name in rule.advice:
        _say(console, f"- {advised(library.advice[name])}", indent=2)


def explain_counter(found: Explanation, console: Console) -> None:
    """Print a counter: its meaning, and every threshold with its source."""
    _say(console, f"{found.counter.label} ({found.counter.name})", "bold")
    _say(console, found.counter.meaning)
    _say(console, f"Unit: {found.counter.unit}.")
    if not found.thresholds:
        _say(console, "No rule has a threshold for it.")
    for one in found.thresholds:
        text = f"{one.rule.id} {one.text}: {one.rule.title}. {one.rule.verdict} ({one.source})"
        _say(console, f"- {text}", indent=2)


def advised(advice: Advice) -> str:
    """An advice; the old ones are marked."""
    if advice.era == "modern":
        return advice.text
    mark = "1998" if advice.holds else "1998, of its time"
    return f"{advice.text} [{advice.id}, {mark}]"


def _finding(one: Finding, found: LogDiagnosis, console: Console) -> None:
    _say(console, f"- {wording.finding(one)}.", indent=2)
    origin = f"[{one.rule.id}, {wording.source(one.rule, found)}]"
    _say(console, f"{_capital(wording.when(one))}. {origin}", indent=4)
    for other in one.conflicts:
        if other.holds is False:
            who = f"{other.rule.id}, {wording.source(other.rule, found)}"
            line = f"Not by everyone's threshold: {other.rule.title} [{who}]."
            _say(console, line, "dim", indent=4)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _rest(found: LogDiagnosis) -> str:
    seen = {one.rule.id for one in found.decision.evidence[:MOST_EVIDENCE]}
    others = [one for one in found.examination.found if one.rule.id not in seen]
    parts = ["a chart for each finding"] if found.examination.found else []
    if others:
        parts.append(f"{len(others)} more findings and notes")
    if len(found.advice) > MOST_ADVICE:
        parts.append(f"{len(found.advice) - MOST_ADVICE} more pieces of advice")
    if found.examination.not_judged:
        parts.append(f"{len(found.examination.not_judged)} rules whose counters the log lacks")
    return ", ".join(parts)


def _more(number: int, console: Console) -> None:
    if number > 0:
        _say(console, f"and {number} more that say the same", "dim", indent=2)


def _say(console: Console, line: str, style: str = "", indent: int = 0) -> None:
    """Print a sentence: text, never markup; wrapped at words, and indented throughout."""
    space = " " * indent
    hanging = space + ("  " if line.startswith("- ") else "   " if line[:1].isdigit() else "")
    for part in line.split("\n"):
        wrapped = wrap(
            writable(part, console),
            max(console.width, 40),
            initial_indent=space,
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        console.print(Text("\n".join(wrapped), style=style))
