"""Tasks of a level: figures, criteria, score and marks against independent arithmetic."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
from history import Count, Slice, Task, task, window
from numpy.typing import NDArray
from scipy import stats

from headcount.analyse.judge import Context, judge
from headcount.analyse.marks import level_marks
from headcount.analyse.task_score import level_score, weighted_mean
from headcount.analyse.tasks import Tasks, results
from headcount.analyse.window import Window
from headcount.bundle.level import CriterionResult
from headcount.plan.criteria import parse
from headcount.plan.marks import Marks
from headcount.plan.task_score import TaskScore

NAMES = ("read", "delete", "send", "never")
SCORE = TaskScore(name="Score", weights={"read": 10, "delete": 2, "never": 1})
SECONDS = 40


def drawn(seed: int, each_s: int, mean_ms: float) -> list[NDArray[np.int64]]:
    """Lognormal times in µs, `each_s` of them in each second of the level."""
    random = np.random.default_rng(seed)
    log_mean = math.log(mean_ms * 1000)
    return [
        np.maximum(np.rint(random.lognormal(log_mean, 0.8, each_s)), 1).astype(np.int64)
        for _ in range(SECONDS)
    ]


READ, DELETE = drawn(1, 30, 20.0), drawn(2, 7, 45.0)
SEND_FAILED = 3
"""Tasks of the name "send" that fail, each second; none succeeds."""


def level(*extra: list[Task], scenarios: int = 4) -> Window:
    """Make a level of a second a slice, with what each slice's tasks are."""
    made = []
    for second in range(SECONDS):
        tasks = [task(READ[second].tolist()), task(DELETE[second].tolist())]
        tasks += extra[second] if extra else [Task(), Task()]
        counts = [Count(completed=scenarios), Count(completed=second % 3)]
        made.append(Slice(float(second), second + 1.0, counts, tasks=tasks))
    return window(made)


TASKS = Tasks(NAMES, SCORE)


def judged(text: str, of: Window, tasks: Tasks = TASKS) -> CriterionResult:
    return judge(parse(text), of, ["work", "rest"], {}, Context(tasks))


def test_the_figures_of_a_task_are_those_of_its_times() -> None:
    found = {each.name: each for each in results(level(), TASKS)}
    assert set(found) == {"read", "delete"}  # never happened, so absent
    for name, seconds in (("read", READ), ("delete", DELETE)):
        ms = np.concatenate(seconds) / 1000
        one = found[name]
        assert (one.completed, one.failed) == (len(ms), 0)
        assert one.per_minute == pytest.approx(len(ms) / SECONDS * 60)
        assert one.mean_ms == pytest.approx(statistics.fmean(ms))
        assert one.sd_ms == pytest.approx(statistics.stdev(ms))
        assert one.service is not None
        for quantile, value in ((50, one.service.p50_ms), (95, one.service.p95_ms)):
            nearest = np.percentile(ms, quantile, method="inverted_cdf")
            assert value == pytest.approx(nearest, rel=2e-3)
        assert one.p95_interval_ms is not None
        assert one.p95_interval_ms[0] < one.service.p95_ms < one.p95_interval_ms[1]


def test_tasks_that_only_failed_count() -> None:
    failing = [[Task(failed=SEND_FAILED), Task()] for _ in range(SECONDS)]
    (send,) = [each for each in results(level(*failing), TASKS) if each.name == "send"]
    assert (send.completed, send.failed) == (0, SEND_FAILED * SECONDS)
    assert send.mean_ms is send.sd_ms is send.service is None


def test_the_score_is_the_weighted_mean_of_percentiles() -> None:
    found = level_score(level(), TASKS)
    assert found is not None
    p95 = [
        float(np.percentile(np.concatenate(times) / 1000, 95, method="inverted_cdf"))
        for times in (READ, DELETE)
    ]
    assert found.value == pytest.approx((10 * p95[0] + 2 * p95[1]) / 12, rel=2e-3)
    assert (found.weights, found.missing) == ({"read": 10.0, "delete": 2.0}, ["never"])
    # Sections of 4 s: enough reads and deletes (28) in each. Student's t around the whole.
    parts = []
    for start in range(0, SECONDS, 4):
        cut = [np.concatenate(times[start : start + 4]) / 1000 for times in (READ, DELETE)]
        one = [float(np.percentile(ms, 95, method="inverted_cdf")) for ms in cut]
        parts.append(math.log((10 * one[0] + 2 * one[1]) / 12))
    assert len(parts) == 10
    centre = math.log((10 * p95[0] + 2 * p95[1]) / 12)
    error = math.sqrt(sum((part - centre) ** 2 for part in parts) / 9 / 10)
    half = float(stats.t.ppf(0.975, 9)) * error
    assert found.interval is not None
    assert found.interval[0] == pytest.approx(math.exp(centre - half), rel=5e-3)
    assert found.interval[1] == pytest.approx(math.exp(centre + half), rel=5e-3)


@pytest.mark.parametrize(
    ("score", "weights", "wanted"),
    [
        # Compaq and Microsoft's weights, as they are remembered: reading is 10 of 19.
        ({"read": 100.0, "delete": 100.0}, {"read": 10, "delete": 2}, 100.0),
        ({"read": 300.0, "send": 1500.0}, {"read": 10, "send": 1}, (3000 + 1500) / 11),
        ({"send": 7.0}, {"read": 10, "send": 1}, 7.0),
    ],
)
def test_only_tasks_that_happened_have_weight(
    score: dict[str, float], weights: dict[str, float], wanted: float
) -> None:
    assert weighted_mean(score, weights) == pytest.approx(wanted)


def test_rare_tasks_need_longer_sections_and_too_rare_ones_have_no_interval() -> None:
    # Two a second: sections of 4 s hold 8, of 8 s 16, of a third of the level 26 and more.
    for each_s, known in ((2, True), (1, False)):
        rare = drawn(5, each_s, 10.0)
        made = level(*[[task(rare[second].tolist()), Task()] for second in range(SECONDS)])
        weighed = SCORE.model_copy(update={"weights": {"read": 10, "send": 1}})
        found = level_score(made, Tasks(NAMES, weighed))
        assert found is not None
        assert found.value is not None
        assert (found.interval is not None) == known


def test_other_percentiles_can_be_weighed() -> None:
    median = SCORE.model_copy(update={"percentile": 50.0, "weights": {"read": 1}})
    found = level_score(level(), Tasks(NAMES, median))
    assert found is not None
    assert found.value == pytest.approx(float(np.median(np.concatenate(READ))) / 1000, rel=5e-3)


@pytest.mark.parametrize("percentile", [50, 90, 95, 99])
def test_a_percentile_of_a_task_is_a_share_of_slow_or_failed(percentile: int) -> None:
    limit_us = 60_000
    times = np.concatenate(READ)
    result = judged(f"read:p{percentile}<=60ms", level())
    # A histogram of three digits cannot tell 60.0 ms from 60.03 ms.
    assert result.bad == pytest.approx(int((times > limit_us).sum()), abs=3)
    assert result.total == len(times)
    assert result.passed == (result.bad <= (1 - percentile / 100) * result.total + 1e-9)
    assert sum(bad for bad, _ in result.batches) == result.bad
    assert sum(total for _, total in result.batches) == result.total
    assert len(result.batches) == SECONDS / 5
    failing = [[Task(failed=SEND_FAILED), Task()] for _ in range(SECONDS)]
    lost = judged("send:p95<=60s", level(*failing))
    assert (lost.passed, lost.bad, lost.total) == (False, 120, 120)


def test_means_and_errors_of_a_task() -> None:
    mean_ms = float(np.concatenate(DELETE).mean()) / 1000
    assert judged("delete:mean<=1s", level()).value == pytest.approx(mean_ms)
    assert not judged(f"delete:mean<={mean_ms * 0.999:.4f}ms", level()).passed
    some = [[task([1000] * 297, failed=3), Task()] for _ in range(SECONDS)]
    errors = judged("send:errors<=1%", level(*some))
    assert (errors.passed, errors.bad, errors.total) == (True, 120, 12_000)
    assert not judged("send:errors<1%", level(*some)).passed
    silent = [[Task(failed=1), Task()] for _ in range(SECONDS)]
    assert not judged("send:mean<=1h", level(*silent)).passed


@pytest.mark.parametrize("text", ["never:p95<=1ms", "never:mean<1ms", "send:errors<1%"])
def test_criteria_on_tasks_that_never_happened_are_unproven(text: str) -> None:
    result = judged(text, level())
    assert (result.passed, result.unproven, result.value) == (True, True, None)
    assert "unproven" in result.sentence
    assert "happened" in result.sentence


def test_the_score_is_a_criterion() -> None:
    found = level_score(level(), TASKS)
    assert found is not None
    assert found.value is not None
    for factor, passes in ((0.99, False), (1.01, True)):
        result = judged(f"score<={found.value * factor:.6f}ms", level())
        assert (result.passed, result.value) == (passes, found.value)
    failing = [[Task(failed=1), Task()] for _ in range(SECONDS)]
    weighed = SCORE.model_copy(update={"weights": {"read": 10, "send": 1}})
    never_sent = judged("score<=1h", level(*failing), Tasks(NAMES, weighed))
    assert (never_sent.passed, never_sent.value) == (False, None)
    nothing = Tasks(NAMES, SCORE.model_copy(update={"weights": {"never": 1}}))
    assert judged("score<=1ms", level(), nothing).unproven


def test_marks_are_completed_scenarios_and_tasks_a_minute() -> None:
    rests = sum(second % 3 for second in range(SECONDS))

    def counted(**plan: Any) -> tuple[list[str], float]:
        found = level_marks(Marks(**plan), level(), ["work", "rest"], TASKS)
        assert found is not None
        assert found.interval_per_minute is not None
        assert found.interval_per_minute[0] <= found.per_minute <= found.interval_per_minute[1]
        return found.count, found.per_minute

    per_minute = 60 / SECONDS
    names, found = counted()
    assert names == ["work", "rest"]
    assert found == pytest.approx((4 * SECONDS + rests) * per_minute)
    names, found = counted(count=["read", "rest"], name="Reads")
    assert found == pytest.approx((30 * SECONDS + rests) * per_minute)
    assert level_marks(None, level(), ["work"], TASKS) is None


def test_the_interval_of_marks_is_that_of_batch_means() -> None:
    found = level_marks(Marks(count=["rest"]), level(), ["work", "rest"], TASKS)
    assert found is not None
    batches = [
        sum(second % 3 for second in range(start, start + 4)) * 15 for start in range(0, SECONDS, 4)
    ]
    half = float(stats.t.ppf(0.975, 9)) * statistics.stdev(batches) / math.sqrt(10)
    mean = statistics.fmean(batches)
    assert found.per_minute == pytest.approx(mean)
    assert found.interval_per_minute == pytest.approx((mean - half, mean + half))
