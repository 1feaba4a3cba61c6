"""The report of a tuning: what it found first, then how and on what it was measured."""

import shlex
from collections.abc import Iterator

from headcount.bundle.tuning import Tuning
from headcount.plan.plan import Plan
from headcount.report.content import ReportContent
from headcount.report.document import charts, configuration, disclosure, methodology, repeat
from headcount.report.document import tuning_tables as tables
from headcount.report.document.blocks import (
    Block,
    Code,
    Document,
    Facts,
    Figure,
    Heading,
    KeyFigures,
    Paragraph,
    Section,
    prose,
    strong,
)
from headcount.report.document.prose import ended, sentence
from headcount.report.figures import gains
from headcount.report.key_figures import KeyFigure
from headcount.report.tuning import (
    KIND,
    MEAN,
    TITLE,
    WORDS,
    figure_text,
    findings,
    gain_text,
    headline,
    interval_text,
    noise_text,
    starts_text,
    state,
)
from headcount.text import count, plural

FIRST_PAGE_ROWS = 6
"""Gains that the first page shows: the largest, and the proof."""

_OUTCOMES = {"finished": "passed", "interrupted": "interrupted", "failed": "unfinished"}


def of_content(content: ReportContent, found: Tuning, plan: Plan | None = None) -> Document:
    """The report of a tuning. Pure: the same content gives the same document."""
    figure, first = _figure(found), _figure(found, FIRST_PAGE_ROWS)
    behind = [figure.data] if figure is not None and figure.data is not None else []
    return Document(
        kind=KIND,
        title=content.title,
        subject=content.target,
        outcome=_OUTCOMES[found.ending],
        headline=headline(found),
        answer=found.sentence,
        measured_at=content.started_at,
        facts=[
            ("Server under test", f"{found.server} ({content.target})"),
            ("Workload", content.workload),
            ("Goal", found.goal),
        ],
        generator=f"Headcount {content.environment.headcount}",
        sections=[
            section(found, figure),
            configuration.section(content),
            methodology.section(content, plan),
            disclosure.section(content),
            repeat.section(content),
            repeat.words(WORDS),
            *([repeat.behind(behind)] if behind else []),
            *configuration.appendix(content),
        ],
        summary=list(_summary(content, found)),
        chart=first,
    )


def _figure(found: Tuning, most: int = gains.MOST_ROWS) -> Figure | None:
    drawn = gains.figure(found, most)
    return charts.taken(drawn) if drawn is not None else None


def section(found: Tuning, figure: Figure | None) -> Section:
    """What was found, what changes, what was tried, what was left alone, and the noise."""
    blocks: list[Block] = [Paragraph(prose(found.sentence), "lead")]
    if found.ratio is not None:
        gain = gain_text(found, found.ratio)
        blocks.append(Paragraph(prose(f"{sentence(gain)[:-1]}: {interval_text(found.ratio)}.")))
    blocks += [
        KeyFigures(_figures(found)),
        *([Paragraph(prose(starts))] if (starts := starts_text(found)) is not None else []),
        Paragraph(prose(state(found))),
        *_limits(found),
        *_tables(found),
        *([figure] if figure is not None else []),
        Heading("Noise"),
        Facts([(name, prose(text)) for name, text in noise_text(found)]),
    ]
    return Section(TITLE, blocks)


def _limits(found: Tuning) -> Iterator[Block]:
    for name, text in findings(found):
        yield Heading(name)
        yield Paragraph(prose(strong(sentence(text))))


def _figures(found: Tuning) -> list[KeyFigure]:
    figures = [("Before", found.before), ("After", found.after)]
    return [
        *(
            KeyFigure(name, figure_text(found, value), MEAN)
            for name, value in figures
            if value is not None
        ),
        KeyFigure("Users", count(found.users), "in the turns at the end"),
        KeyFigure("Goal", found.goal, f"decided by: {found.measure}"),
    ]


def _tables(found: Tuning) -> Iterator[Block]:
    for made in (tables.changes(found), tables.ladder(found), tables.piloted(found)):
        if made is not None:
            yield Heading(made.caption)
            yield made
    for name, text in found.files.items():
        lines = text.splitlines()
        yield Heading(name)
        yield Code("\n".join(lines[: repeat.PLAN_LINES]))
        if len(lines) > repeat.PLAN_LINES:
            over = len(lines) - repeat.PLAN_LINES
            are = "is" if over == 1 else "are"
            yield Paragraph(prose(f"{plural('more line', over)} {are} in {name}."), "note")
    for made in (tables.races(found), tables.knobs(found)):
        if made is not None:
            yield Heading(made.caption)
            yield made


def _summary(content: ReportContent, found: Tuning) -> Iterator[tuple[str, str]]:
    yield "Question", f"Which settings of {found.server} help {content.target}, and by how much?"
    yield "What limited it", sentence(found.diagnosis)
    if found.diagnosis_after is not None:
        yield "What limits it now", sentence(found.diagnosis_after)
    if found.changes:
        changes = "; ".join(f"{one.knob}: {one.after}" for one in found.changes)
        yield "What to change", ended(changes)
    if found.ratio is not None:
        gain = gain_text(found, found.ratio)
        yield "How sure", f"{sentence(gain)[:-1]}: {interval_text(found.ratio)}."
    yield "State", state(found)


def command(found: Tuning, plan: Plan) -> str:
    """The command that tunes the same server under the same load again."""
    goal = f"p95@{found.users}" if found.goal == "p95" else found.goal
    parts = ["headcount", "tune", "--target", plan.target, "--workload", plan.workload.name]
    parts += ["--goal", goal, "--seed", str(plan.seed)]
    parts += ["--scale", f"{plan.scale:g}"] if plan.scale != 1 else []
    for option, values in (("--set", plan.server), ("--limit", plan.limits)):
        for name, value in sorted(values.items()):
            parts += [option, f"{name}={value}"]
    return shlex.join(parts)
