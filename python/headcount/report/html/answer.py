"""The answer: what a reader with ten seconds takes away."""

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Capacity, Plateau, Verdict
from headcount.plan.money import each_text
from headcount.report.content import ReportContent
from headcount.report.markup import Html, element, joined
from headcount.report.selection import counter_mean, shown
from headcount.report.tasks import marks_said
from headcount.report.wording import (
    confidence,
    flattening,
    judged,
    price_interval,
    price_of,
    price_text,
)
from headcount.text import (
    count,
    duration,
    duration_range,
    megabytes_per_s,
    share,
    significant,
    span,
    unbroken,
)

_OUTCOME = {
    "passed": "Passed",
    "failed": "Failed",
    "invalid": "Invalid",
    "interrupted": "Interrupted",
    "unfinished": "Unfinished",
}


def header(content: ReportContent) -> Html:
    """Say what was measured, where and when."""
    where = joined(
        [
            element("b", content.target),
            " \N{MIDDLE DOT} ",
            element("time", _moment(content.started_at), datetime=content.started_at),
            " \N{MIDDLE DOT} workload ",
            element("code", content.workload),
        ]
    )
    return element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} server capacity report", class_="brand"),
        element("h1", content.title),
        element("p", where, class_="where"),
    )


def answer(content: ReportContent) -> Html:
    """Give the answer, its interval, what broke first, the key figures and the doubts."""
    verdict = content.verdict
    broke = (
        element(
            "p", element("b", "What broke first: "), unbroken(verdict.broke_first), class_="broke"
        )
        if verdict.broke_first
        else None
    )
    return element(
        "section",
        element("p", _OUTCOME[verdict.outcome], class_=f"badge {verdict.outcome}"),
        element("p", unbroken(verdict.sentence), class_="sentence", id="answer"),
        _interval(verdict.capacity),
        *(element("p", unbroken(said), class_="interval") for said in flattening(verdict)),
        _judged(verdict),
        broke,
        _tiles(content),
        _doubts(content),
        class_="answer",
        aria_label="The answer",
    )


def _judged(verdict: Verdict) -> Html | None:
    said = judged(verdict)
    return element("p", unbroken(said), class_="interval") if said else None


def _interval(capacity: Capacity | None) -> Html | None:
    said = confidence(capacity)
    return element("p", unbroken(said), class_="interval") if said else None


def _tiles(content: ReportContent) -> Html:
    verdict, level = content.verdict, shown(content.verdict, content.levels)
    tiles: list[tuple[str, str, str]] = []
    if verdict.score is not None:
        score = verdict.score
        # A score of tasks is a time.
        is_time = score.unit == "ms"
        said = score.formula if is_time else f"{score.unit}; {score.formula}"
        if score.zero_level is not None:
            said += f"; zero because of the level at {count(score.zero_level)} users"
        if score.interval is not None:
            said += f"; 95% confidence interval {duration_range(*score.interval)}"
        value = duration(score.value) if is_time else significant(score.value)
        tiles.append((score.name, value, said))
    if verdict.marks is not None:
        said = f"marks a minute; {marks_said(verdict.marks)}"
        tiles.append(("Marks", significant(verdict.marks.per_minute), said))
    tiles += [_saturation(plateau) for plateau in verdict.plateaus if plateau.flattened]
    if level is not None:
        tiles += _of_level(level)
    tiles += _prices(verdict)
    cost = verdict.cost
    noun = "level" if cost.levels == 1 else "levels"
    said = f"{count(cost.levels)} {noun}, {count(cost.operations)} operations"
    tiles.append(("Time it took", span(cost.seconds), said))
    return element(
        "div",
        *(
            element(
                "div", element("h3", name), element("p", value, class_="value"), element("p", said)
            )
            for name, value, said in tiles
        ),
        class_="tiles",
    )


def _saturation(plateau: Plateau) -> tuple[str, str, str]:
    rate = (
        megabytes_per_s(plateau.value_per_s)
        if plateau.figure == "bytes"
        else f"{significant(plateau.value_per_s)} scenarios/s"
    )
    least = f", more than {count(plateau.above_users)}" if plateau.above_users else ""
    name = "Saturation, bytes" if plateau.figure == "bytes" else "Saturation, scenarios"
    return name, f"{count(plateau.users)} users", f"{rate} there{least}"


def _prices(verdict: Verdict) -> list[tuple[str, str, str]]:
    if verdict.price is None:
        return []
    currency, tiles = verdict.price.currency, []
    for each in verdict.price.each:
        parts = [price_text(verdict), price_interval(currency, each)]
        text = "; ".join(part for part in parts if part)
        tiles.append((f"Price per {price_of(each)}", each_text(each.value, currency), text))
    return tiles


def _of_level(level: LevelResult) -> list[tuple[str, str, str]]:
    response, interval = level.total.response, level.total.p95_interval_ms
    at = f"at {count(level.users)} users"
    spread = f", 95% interval {duration_range(*interval)}" if interval else ""
    if level.total.p95_interval_unreliable:
        spread += " or wider: the level is short against the server's memory"
    return [
        ("Throughput", significant(level.achieved_per_s), f"scenarios per second {at}"),
        ("Response time p95", duration(response.p95_ms if response else None), at + spread),
        ("CPU of the server", share(counter_mean(level, "system.cpu.utilization")), at),
    ]


def _doubts(content: ReportContent) -> Html | None:
    doubts = content.verdict.flags
    if not doubts:
        return None
    return element(
        "div",
        element("h3", "Doubts to know of"),
        element("ul", *(element("li", unbroken(doubt)) for doubt in doubts)),
        class_="doubts",
    )


def _moment(started_at: str) -> str:
    """Write an ISO 8601 moment in UTC as people read it; anything else stays as it is."""
    date, found, time = started_at.partition("T")
    return f"{date} {time[:5]} UTC" if found and time.endswith(("Z", "+00:00")) else started_at
