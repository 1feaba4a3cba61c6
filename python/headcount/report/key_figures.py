"""The figures for readers who have ten seconds, the same in every report."""

from dataclasses import dataclass

from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Plateau, Score, Verdict
from headcount.plan.money import each_text
from headcount.report.answer_sentences import price_interval, price_of, price_text
from headcount.report.content import ReportContent
from headcount.report.selection import counter_mean, shown
from headcount.report.tasks import marks_text
from headcount.text import (
    count,
    duration,
    interval,
    megabytes_per_s,
    plural,
    share,
    significant,
    span,
    unit,
)


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A figure: its name, its value with the unit, and what it refers to."""

    name: str
    value: str
    of: str


def key_figures(content: ReportContent) -> list[KeyFigure]:
    """Score and marks, saturation, the level that stands for the answer, prices, and the effort."""
    verdict, level = content.verdict, shown(content.verdict, content.levels)
    found: list[KeyFigure] = []
    if verdict.score is not None:
        found.append(_score(verdict.score))
    if verdict.marks is not None:
        text = f"marks a minute; {marks_text(verdict.marks)}"
        found.append(KeyFigure("Marks", significant(verdict.marks.per_minute), text))
    found += [_saturation(plateau) for plateau in verdict.plateaus if plateau.flattened]
    if level is not None:
        found += _of_level(level)
    found += _prices(verdict)
    cost = verdict.cost
    text = f"{plural('level', cost.levels)}, {plural('operation', cost.operations)}"
    return [*found, KeyFigure("Time it took", span(cost.seconds), text)]


def _score(score: Score) -> KeyFigure:
    # A score of tasks is a time.
    is_time = score.unit == "ms"
    explanation = score.formula if is_time else f"{score.unit}; {score.formula}"
    if score.zero_level is not None:
        explanation += f"; zero because of the level at {plural('user', score.zero_level)}"
    if score.interval is not None:
        explanation += f"; 95% confidence interval {interval(*score.interval, duration)}"
    value = duration(score.value) if is_time else significant(score.value)
    return KeyFigure(score.name, value, explanation)


def _saturation(plateau: Plateau) -> KeyFigure:
    rate = (
        megabytes_per_s(plateau.value_per_s)
        if plateau.figure == "bytes"
        else f"{significant(plateau.value_per_s)} scenarios/s"
    )
    least = f", more than {count(plateau.above_users)}" if plateau.above_users else ""
    name = "Saturation, bytes" if plateau.figure == "bytes" else "Saturation, scenarios"
    return KeyFigure(name, plural("user", plateau.users), f"{rate} there{least}")


def _prices(verdict: Verdict) -> list[KeyFigure]:
    if verdict.price is None:
        return []
    currency, found = verdict.price.currency, []
    for each in verdict.price.each:
        parts = [price_text(verdict), price_interval(currency, each)]
        text = "; ".join(part for part in parts if part)
        # If the capacity may be larger, the price per user may be lower.
        most = each.of == "user" and verdict.capacity is not None and verdict.capacity.at_least
        name = f"Price per {price_of(each)}" + (", at most" if most else "")
        found.append(KeyFigure(name, each_text(each.value, currency), text))
    return found


def _of_level(level: LevelResult) -> list[KeyFigure]:
    response, bounds = level.total.response, level.total.p95_interval_ms
    at = f"at {plural('user', level.users)}"
    spread = f", 95% interval {interval(*bounds, duration)}" if bounds else ""
    if level.total.p95_interval_unreliable:
        spread += " or wider: the level is too short for bursts of slow responses"
    cpu = share(counter_mean(level, "system.cpu.utilization"))
    p95 = time_text(response, "p95_ms")
    return [
        KeyFigure("Throughput", unit(level.achieved_per_s, "scenarios/s"), at),
        KeyFigure("Response time p95", p95, at + spread),
        KeyFigure("CPU of the server", cpu, at),
    ]
