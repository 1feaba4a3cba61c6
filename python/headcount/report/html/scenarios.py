"""What users did at capacity, and how long each thing took."""

from headcount.analyse.time_text import Name, time_text
from headcount.bundle.level import LevelResult, Times
from headcount.report.content import ReportContent
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.report.selection import shown
from headcount.text import count, duration, megabytes_per_s, plural, share, significant

_SCENARIO = (
    Column("Scenario", text=True),
    Column("Per second"),
    Column("Completed"),
    Column("Failed"),
    Column("Overload"),
    Column("Mean"),
    Column("p50"),
    Column("p95"),
    Column("p99"),
    Column("Max"),
)

_STEP = (
    Column("Step", text=True),
    Column("Per second"),
    Column("Completed"),
    Column("Failed"),
    Column("Read"),
    Column("Written"),
    Column("Mean"),
    Column("p50"),
    Column("p95"),
    Column("p99"),
)


def section(content: ReportContent) -> Html | None:
    """Show the scenarios and steps of the level at the published capacity."""
    level = shown(content.verdict, content.levels)
    if level is None:
        return None
    return make_section(
        f"Scenarios and steps at {plural('user', level.users)} ({level.outcome})",
        table(_SCENARIO, _scenarios(level), "Scenarios"),
        element("p", "Response time, from the moment each scenario was due.", class_="note"),
        table(_STEP, _steps(level), "Steps") if level.steps else None,
        element("p", "Service time, from the actual start of each step.", class_="note")
        if level.steps
        else None,
    )


def _scenarios(level: LevelResult) -> list[Html]:
    # With one scenario a total would repeat it.
    results = level.scenarios if len(level.scenarios) == 1 else [*level.scenarios, level.total]
    return [
        row(
            _SCENARIO,
            [
                "All together" if result is level.total else result.name,
                significant(result.rate_per_s),
                count(result.completed),
                count(result.failed),
                share(result.overload),
                *_times(result.response),
                duration(result.response.max_ms if result.response else None),
            ],
            "sum" if result is level.total else None,
        )
        for result in results
    ]


def _steps(level: LevelResult) -> list[Html]:
    return [
        row(
            _STEP,
            [
                step.name,
                significant(step.rate_per_s),
                count(step.completed),
                count(step.failed),
                megabytes_per_s(step.read_bytes_per_s),
                megabytes_per_s(step.written_bytes_per_s),
                *_times(step.service),
            ],
        )
        for step in level.steps
    ]


def _times(times: Times | None) -> list[str]:
    names: tuple[Name, ...] = ("mean_ms", "p50_ms", "p95_ms", "p99_ms")
    return [time_text(times, name) for name in names]
