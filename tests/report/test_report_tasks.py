"""Tasks, score and marks in both reports."""

import io
import json
from dataclasses import replace

import pytest
from report_factory import content
from report_page import read
from report_tasks import LIMIT, WEIGHTS, tasked
from rich.console import Console

from headcount.bundle.level import Levels
from headcount.report.content import ReportContent
from headcount.report.figures.response import limits
from headcount.report.html.task_score import limits as score_limits
from headcount.report.selection import shown
from headcount.report.tasks import marks_value, score_text
from headcount.report.terminal import summary
from headcount.text import count, duration, significant

AT = "Tasks at 918 users (passed)"
AGAINST = "Score and marks against users"


def printed(made: ReportContent, width: int) -> str:
    file = io.StringIO()
    summary(made.verdict, made.levels, Console(file=file, width=width), made.environment)
    return file.getvalue()


def test_without_tasks_there_are_no_sections_on_them() -> None:
    headings = read(content()).headings
    assert not {AT, AGAINST} & set(headings)
    assert "Tasks at" not in printed(content(), 120)


def test_the_page_has_the_tasks_at_the_capacity_and_their_weights() -> None:
    made = tasked()
    page = read(made)
    assert AT in page.headings
    level = shown(made.verdict, made.levels)
    assert level is not None
    head = next(row for row in page.rows if row[0] == "Task")
    assert head[1:] == ["Count", "A minute", "Failed", "Mean", "SD", "p50", "p95", "p99", "Weight"]
    rows = page.rows[page.rows.index(head) :]
    for task in level.tasks:
        row = next(row for row in rows if row[0] == task.name)
        assert task.service is not None
        assert row[1:5] == [
            count(task.completed),
            significant(task.per_minute),
            count(task.failed),
            duration(task.mean_ms),
        ]
        assert row[5:7] == [duration(task.sd_ms), duration(task.service.p50_ms)]
        assert row[7].startswith(duration(task.service.p95_ms))
        assert row[8] == duration(task.service.p99_ms)
        weight = WEIGHTS.get(task.name)
        assert row[9] == ("\N{EN DASH}" if weight is None else f"{weight:g}")
    assert "Not in the score, because they did not happen: schedule-change." in " ".join(page.texts)


def test_score_and_marks_have_their_intervals() -> None:
    made = tasked()
    page = read(made)
    text = " ".join(page.texts)
    score, marks = made.verdict.score, made.verdict.marks
    assert score is not None
    assert marks is not None
    assert "read 10, delete 2, send 1" in text
    assert "3,672 marks a minute; Marks, tasks a minute: completed read, send" in text
    assert f"Weighted p95 of tasks {duration(score.value)} sum(w x p95) / sum(w)" in text
    assert marks_value(marks) == "3,672 marks a minute"
    assert "completed read, send at 918 users; 95% confidence interval 3,580 to 3,764" in text
    assert score_text(score).startswith(f"Weighted p95 of tasks: {significant(score.value)} ms (")
    assert "95% confidence interval" in score_text(score)
    assert AGAINST in page.headings
    start = next(i for i, row in enumerate(page.rows) if row[:3] == ["Users", "Outcome", "Score"])
    rows = page.rows[start + 1 : start + 1 + len(made.levels)]
    assert [row[0] for row in rows] == sorted(
        [count(level.users) for level in made.levels], key=lambda text: int(text.replace(",", ""))
    )


def test_the_limit_of_the_score_is_drawn_with_the_score_alone() -> None:
    made = tasked()
    assert [text for text, _ in limits(made)] == ["p95<=1s"]
    assert score_limits(made) == [(LIMIT, 1000.0)]


def test_levels_without_a_score_have_dashes_and_no_chart() -> None:
    made = tasked()
    unscored = [
        level.model_copy(
            update={"score": level.score.model_copy(update={"value": None, "interval": None})}
        )
        for level in made.levels
        if level.score is not None
    ]
    bare = made.verdict.model_copy(update={"score": None})
    page = read(replace(made, levels=unscored, verdict=bare))
    start = next(i for i, row in enumerate(page.rows) if row[:3] == ["Users", "Outcome", "Score"])
    assert page.rows[start + 1][2] == "\N{EN DASH}"
    assert "Score against users" not in page.texts


def test_levels_are_read_back_and_those_of_older_bundles_have_no_tasks() -> None:
    levels = Levels(levels=list(tasked().levels))
    written = json.loads(levels.model_dump_json())
    assert Levels.model_validate(written) == levels
    for level in written["levels"]:
        for key in ("tasks", "score", "marks"):
            del level[key]
        for judged in level["criteria"]:
            del judged["unproven"]
    old = Levels.model_validate(written).levels[0]
    assert (old.tasks, old.score, old.marks) == ([], None, None)
    assert not old.criteria[0].unproven


@pytest.mark.parametrize(
    "width",
    [60, 80, 120, 200],
)
def test_the_terminal_shows_every_column(width: int) -> None:
    text = printed(tasked(), width)
    lines = text.splitlines()
    heads = [line for line in lines if line.startswith("Task ")]
    shown = {heading for head in heads for heading in head.split()}
    assert shown >= {"Task", "Count", "Failed", "Mean", "p95", "p99", "SD", "Weight"}
    after = lines[lines.index(heads[0]) :]
    assert all(len(line) <= width for line in after if line.startswith(("read ", "send ")))
    assert any(line.startswith("send") for line in after)
    flat = " ".join(text.split())
    assert "3,672 marks a minute (Marks, tasks a minute: completed read, send" in flat
    assert "Weighted p95 of tasks: " in flat
