"""Levels of a workload whose tasks make a score."""

from dataclasses import replace

from report_factory import content, p50_at, times

from headcount.analyse.standing import level_at, marks, task_score
from headcount.bundle.level import CriterionResult, LevelMarks, LevelResult, LevelScore, TaskResult
from headcount.report.content import ReportContent

WEIGHTS = {"read": 10.0, "delete": 2.0, "send": 1.0}
LIMIT = "score<=1s"


def _task(name: str, users: int, factor: float, per_minute: float, failed: int = 0) -> TaskResult:
    service = times(p50_at(users) * factor, round(per_minute * 5))
    return TaskResult(
        name=name,
        completed=round(per_minute * 5),
        failed=failed,
        per_minute=per_minute,
        mean_ms=service.mean_ms,
        sd_ms=service.mean_ms * 0.8,
        service=service,
        p95_interval_ms=(service.p95_ms * 0.93, service.p95_ms * 1.08),
    )


def with_tasks(plain: LevelResult) -> LevelResult:
    """Give a level tasks whose score is the weighted mean of their 95th percentiles."""
    users = plain.users
    tasks = [
        _task("read", users, 0.8, users * 3.1),
        _task("delete", users, 0.3, users * 1.2),
        _task("send", users, 2.4, users * 0.9, failed=4),
        _task("LOGIN", users, 0.1, users * 0.2),
    ]
    weighed = [task for task in tasks if task.name in WEIGHTS]
    total = sum(WEIGHTS[task.name] * task.service.p95_ms for task in weighed if task.service)
    value = total / sum(WEIGHTS.values())
    judged = CriterionResult(
        criterion=LIMIT,
        passed=value <= 1000,
        value=value,
        limit=1000.0,
        unit="ms",
        bad=None,
        total=None,
        allowed_share=None,
        sentence=f"the score is {value:.0f} ms",
    )
    return plain.model_copy(
        update={
            "tasks": tasks,
            "score": LevelScore(
                name="Weighted p95 of tasks",
                unit="ms",
                percentile=95.0,
                value=value,
                interval=(value * 0.95, value * 1.06),
                weights=WEIGHTS,
                missing=["schedule-change"],
            ),
            "marks": LevelMarks(
                name="Marks, tasks a minute",
                count=["read", "send"],
                per_minute=users * 4.0,
                interval_per_minute=(users * 3.9, users * 4.1),
            ),
            "criteria": [*plain.criteria, judged],
        }
    )


def tasked() -> ReportContent:
    """A search for the capacity by the score."""
    plain = content()
    levels = [with_tasks(level) for level in plain.levels]
    at = level_at(918, levels)
    verdict = plain.verdict.model_copy(update={"score": task_score(at), "marks": marks(at)})
    return replace(plain, levels=levels, verdict=verdict)
