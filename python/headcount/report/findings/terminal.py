"""The diagnosis of a log on the terminal: the answer first, then why, then what to do."""

from rich.console import Console

from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.explain import Explanation, condition_text
from headcount.analyse.rules.finding import Finding
from headcount.analyse.rules.least import least_sentence
from headcount.analyse.rules.library import Library
from headcount.analyse.rules.model import Advice, Rule
from headcount.report.findings import log_sentences
from headcount.report.terminal.say import say
from headcount.text import plural

MOST_EVIDENCE = 4
MOST_ADVICE = 3
_COLOURS = {"limited": "bold red", "signs": "bold yellow", "unknown": "bold yellow"}
_COLOURS["too_few"] = _COLOURS["unknown"]


def show(found: LogDiagnosis, console: Console) -> None:
    """Print one diagnosis."""
    say(console, log_sentences.of_the_log(found), "dim")
    say(console, log_sentences.verdict(found), _COLOURS.get(found.decision.kind, "bold green"))
    say(console, f"Confidence: {log_sentences.confidence(found)}.")
    for line in log_sentences.context(found):
        say(console, line)
    evidence = found.decision.evidence
    if evidence:
        say(console, "\nWhy", "bold")
        for one in evidence[:MOST_EVIDENCE]:
            _finding(one, found, console)
        _more(len(evidence) - MOST_EVIDENCE, console)
    if found.advice:
        say(console, "\nWhat to do first", "bold")
        for number, advice in enumerate(found.advice[:MOST_ADVICE], start=1):
            say(console, f"{number}. {advice_text(advice)}", indent=2)
    if found.notes or found.examination.taken_back:
        say(console, "\nNotes", "bold")
    for one in found.examination.taken_back:
        by = one.taken_back_by[0]
        say(console, f"- {one.rule.id} does not count. {by.verdict} ({by.id})", indent=2)
    for note in found.notes:
        say(console, f"- {note}", indent=2)
    rest = _rest(found)
    if rest:
        say(console, f"\nIn the report (-o report.html): {rest}.", "dim")


def explain_rule(rule: Rule, library: Library, console: Console) -> None:
    """Print a rule: its condition, meaning, source and advice."""
    say(console, f"{rule.id}: {rule.title}", "bold")
    say(console, f"Holds when: {condition_text(rule.when)}.")
    strength = (
        rule.strength if rule.today is None else f"{rule.strength}, {rule.today} on modern machines"
    )
    say(console, f"Strength: {strength}. {rule.verdict}")
    for line in dict.fromkeys(least_sentence(leaf) for leaf in rule.when.leaves()):
        if line:
            say(console, line)
    who = ", ".join(rule.profiles) or "any server"
    say(console, f"For: {who}; {rule.era}; system: {rule.system}.")
    if rule.remark:
        say(console, rule.remark)
    say(console, f"Source: {library.source(rule)}.")
    for name in rule.conflicts:
        other = library.rules[name]
        text = f"{name}, {library.source(other)}: {other.title}"
        say(console, f"Another threshold: {text}.")
    for name in rule.excepted_by:
        say(console, f"Cancelled by {name}: {library.rules[name].verdict}")
    for name in rule.advice:
        say(console, f"- {advice_text(library.advice[name])}", indent=2)


def explain_counter(found: Explanation, console: Console) -> None:
    """Print a counter: its meaning, and every threshold with its source."""
    say(console, f"{found.counter.label} ({found.counter.name})", "bold")
    say(console, found.counter.meaning)
    say(console, f"Unit: {found.counter.unit}.")
    if not found.thresholds:
        say(console, "No rule has a threshold for it.")
    for one in found.thresholds:
        text = f"{one.rule.id} {one.text}: {one.rule.title}. {one.rule.verdict} ({one.source})"
        say(console, f"- {text}", indent=2)


def advice_text(advice: Advice) -> str:
    """An advice; old ones are marked."""
    if advice.era == "modern":
        return advice.text
    mark = "1998" if advice.holds else "1998, outdated"
    return f"{advice.text} [{advice.id}, {mark}]"


def _finding(one: Finding, found: LogDiagnosis, console: Console) -> None:
    say(console, f"- {log_sentences.finding(one)}.", indent=2)
    origin = f"[{one.rule.id}, {log_sentences.source(one.rule, found)}]"
    say(console, f"{_capital(log_sentences.when(one))}. {origin}", indent=4)
    for other in one.conflicts:
        if other.holds is False:
            who = f"{other.rule.id}, {log_sentences.source(other.rule, found)}"
            line = f"Another threshold is not reached: {other.rule.title} [{who}]."
            say(console, line, "dim", indent=4)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _rest(found: LogDiagnosis) -> str:
    seen = {one.rule.id for one in found.decision.evidence[:MOST_EVIDENCE]}
    others = [one for one in found.examination.found if one.rule.id not in seen]
    parts = ["a chart for each finding"] if found.examination.found else []
    if others:
        parts.append(f"{plural('more finding', len(others))} and notes")
    if len(found.advice) > MOST_ADVICE:
        rest = len(found.advice) - MOST_ADVICE
        parts.append(plural("more suggestion", rest))
    if found.examination.not_judged:
        parts.append(
            f"{plural('rule', len(found.examination.not_judged))} without counters in the log"
        )
    return ", ".join(parts)


def _more(number: int, console: Console) -> None:
    if number > 0:
        say(console, f"and {number} more for the same area", "dim", indent=2)
