"""The parts of the page below the answer."""

from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.explain import condition_text
from headcount.analyse.rules.finding import Finding
from headcount.counters.catalogue import label
from headcount.report.findings import chart, log_sentences
from headcount.report.findings.log_areas import AREAS
from headcount.report.html import table
from headcount.report.html.table import Column, row
from headcount.report.markup import Html, element, joined
from headcount.text import memory, plural, share

FIRST = 3
"""Suggestions shown first."""
_NOTES = (
    Column("Rule", text=True),
    Column("Finding", text=True),
    Column("Figures", text=True),
    Column("When", text=True),
    Column("Source", text=True),
)
_LACKS = (Column("Rule", text=True), Column("Title", text=True), Column("Missing", text=True))


def advice(found: LogDiagnosis) -> Html | None:
    """What to do: three suggestions first, the rest behind a click; outdated ones are marked."""
    if not found.advice:
        return None
    lines = [
        element(
            "li",
            f"{one.text} ",
            element("small", f"{found.library.source(one)} ({one.id}){_age(one.era, one.holds)}"),
        )
        for one in found.advice
    ]
    rest = lines[FIRST:]
    return table.section(
        "What to do",
        element("ol", *lines[:FIRST]),
        table.more(f"{len(rest)} more", element("ul", *rest)) if rest else None,
    )


def _age(era: str, holds: bool) -> str:
    if era == "modern":
        return ""
    return ", historic" if holds else ", historic: outdated"


def findings(found: LogDiagnosis) -> list[Html]:
    """A section with a chart for each finding that is a proof or a sign."""
    return [_finding(one, found) for one in found.examination.found if one.strength != "note"]


def _finding(one: Finding, found: LogDiagnosis) -> Html:
    others = log_sentences.conflicts(one, found)
    paragraphs = [
        element("p", f"{one.rule.verdict} {one.rule.remark}".strip()),
        element(
            "p", "; ".join(log_sentences.readings(one)) + f". {_capital(log_sentences.when(one))}."
        ),
    ]
    against = element(
        "div",
        element("h3", "Other thresholds"),
        element("ul", *(element("li", line) for line in others)),
        class_="doubts",
    )
    age = ", historic" if one.rule.era == "historic" else ""
    source = f"{one.rule.id}, a {one.strength}. {found.library.source(one.rule)}{age}."
    return table.section(
        f"{AREAS[one.rule.area].removeprefix('the ').capitalize()}: {one.rule.title}",
        *paragraphs,
        chart.chart(one, found),
        against if others else None,
        element("p", source, class_="note"),
        style="chart",
    )


def others(found: LogDiagnosis) -> Html | None:
    """Notes: findings that are reported but do not count."""
    notes = [one for one in found.examination.found if one.strength == "note"]
    if not notes:
        return None
    rows = [_note_row(one, found) for one in notes]
    return table.section(
        "Notes, no evidence",
        table.table(_NOTES, rows, "Notes"),
        element(
            "p",
            "Thresholds that hardware has outgrown, and checks of the load itself.",
            class_="note",
        ),
    )


def taken_back(found: LogDiagnosis) -> Html | None:
    """Findings that an exception took back."""
    taken = found.examination.taken_back
    if not taken:
        return None
    lines = [
        element("p", f"{one.taken_back_by[0].id}: {one.taken_back_by[0].verdict}", class_="note")
        for one in taken[:1]
    ]
    rows = [_note_row(one, found) for one in taken]
    return table.section(
        "Cancelled by an exception", table.table(_NOTES, rows, "Cancelled"), *lines
    )


def _note_row(one: Finding, found: LogDiagnosis) -> Html:
    cells = [
        one.rule.id,
        joined([one.rule.title, element("small", f"{one.rule.verdict} {one.rule.remark}".strip())]),
        "; ".join(log_sentences.readings(one)),
        log_sentences.when(one),
        log_sentences.source(one.rule, found),
    ]
    return row(_NOTES, cells)


def not_judged(found: LogDiagnosis) -> Html | None:
    """Rules whose counters the log lacks."""
    lacking = found.examination.not_judged
    if not lacking:
        return None
    rows = [
        row(
            _LACKS,
            [
                one.rule.id,
                f"{one.rule.title} ({condition_text(one.rule.when)})",
                ", ".join(label(name) for name in one.missing) or "enough samples",
            ],
        )
        for one in lacking
    ]
    return table.section(
        "Not observed",
        table.more(
            f"{plural('rule', len(lacking))} without counters in the log",
            table.table(_LACKS, rows, "Not observed"),
        ),
    )


def about(found: LogDiagnosis) -> Html:
    """The log, the machine, and the assumptions."""
    facts = found.examination.facts
    pairs: list[tuple[str, Html | str]] = [
        ("File", found.recording.source),
        ("Format", found.recording.format),
        ("System", found.recording.system or "unknown"),
        ("CPUs", f"{facts.cpus or 'unknown'} ({facts.cpus_from})"),
        ("Memory", f"{memory(facts.memory_bytes)} ({facts.memory_from})"),
        ("Spindles per disk", f"{facts.spindles} ({facts.spindles_from})"),
        ("Rules that did not fire", str(len(found.examination.quiet))),
    ]
    used = found.decision.used
    if used:
        means = ", ".join(f"{name} {share(value)}" for name, value in used.items())
        pairs.append(("Mean use", means))
    if found.recording.bookmarks:
        pairs += [
            (log_sentences.moments(one.at_s, one.at_s), one.text)
            for one in found.recording.bookmarks
        ]
    unknown = found.recording.unknown
    return table.section(
        "The log and the machine",
        table.pairs(pairs),
        element("h3", "Notes") if found.notes else None,
        element("ul", *(element("li", note) for note in found.notes)) if found.notes else None,
        table.more(
            f"{plural('counter', len(unknown))} of the log that Headcount does not know",
            element("p", ", ".join(unknown)),
        )
        if unknown
        else None,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
