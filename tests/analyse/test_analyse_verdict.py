"""The verdict of each way in which a run can end."""

import math
from typing import Any

import pytest
from null_run import Run, plan_of, prompt, record, serve, workload

from headcount.analyse.search import Flag, Outcome
from headcount.analyse.search.standing import LeftOut
from headcount.analyse.verdict import of_levels, of_search
from headcount.bundle.level import LevelResult, StallResult, Steadiness
from headcount.cli.exits import exit_code
from headcount.errors import ExitCode
from headcount.plan.plan import Plan
from headcount.plan.workload import Score, Workload

SCORE = Score(name="weighted harmonic mean", unit="transactions/s")


@pytest.fixture(scope="module")
def run() -> Run:
    return record(workload("closed", "20ms", serve(0.001), criteria=["p95<=200ms"]), 5, 0.8)


@pytest.fixture(scope="module")
def sample(run: Run) -> LevelResult:
    steady = Steadiness(steady=True, settled_after_s=0.0, reasons=[])
    found = {"outcome": "passed", "reasons": [], "achieved_per_s": 100.0, "steadiness": steady}
    found["stalls"] = []
    return prompt(run.level(run.between(0.2, 0.7)).model_copy(update=found))


def level(sample: LevelResult, users: int, outcome: str = "passed", **more: Any) -> LevelResult:
    changes: dict[str, Any] = {"users": users, "outcome": outcome}
    if outcome == "failed":
        broken = sample.criteria[0].model_copy(
            update={"passed": False, "sentence": "p95 is 1.40 s; 9.0% took longer than 200 ms"}
        )
        changes |= {"criteria": [broken], "reasons": [broken.sentence]}
    if outcome == "invalid":
        changes |= {"reasons": ["the load generator was busy"]}
    return sample.model_copy(update=changes | more)


def ladder(run: Run, users: list[int], score: Score | None = None) -> Plan:
    values = run.plan.workload.model_dump(exclude_none=True)
    values["run"]["ladder"] = users
    if score is not None:
        values["score"] = score.model_dump(exclude_none=True)
    return plan_of(Workload.model_validate(values), users, mode="ladder")


@pytest.mark.parametrize(
    ("users", "outcome", "sentence"),
    [
        (50, "passed", "50 users: every criterion holds at 100 scenarios/s."),
        (1, "passed", "1 user: every criterion holds at 100 scenarios/s."),
        (50, "failed", "50 users are too many: p95 is 1.40 s; 9.0% took longer than 200 ms."),
        (1, "failed", "1 user is too many: p95 is 1.40 s; 9.0% took longer than 200 ms."),
        (50, "invalid", "The level is invalid: the load generator was busy."),
    ],
)
def test_the_sentence_of_one_level(
    run: Run, sample: LevelResult, users: int, outcome: str, sentence: str
) -> None:
    plan = plan_of(run.plan.workload, [users])
    verdict = of_levels(plan, [level(sample, users, outcome)], 12.0, "finished")
    assert (verdict.kind, verdict.outcome, verdict.sentence) == ("level", outcome, sentence)
    assert verdict.capacity is None
    if outcome == "failed":
        place = "1 user" if users == 1 else "50 users"
        assert verdict.broke_first == f"at {place} p95 is 1.40 s; 9.0% took longer than 200 ms"
    else:
        assert verdict.broke_first is None


def test_a_search_whose_capacity_misses_a_throughput(run: Run, sample: LevelResult) -> None:
    plan = plan_of(run.plan.workload, [], mode="search")
    missed = sample.criteria[0].model_copy(
        update={
            "criterion": "bytes>=30MB/s",
            "passed": False,
            "sentence": "12.0 MB/s moved; bytes>=30MB/s is asked for",
        }
    )
    levels = [
        level(sample, users, "failed", index=index, criteria=[sample.criteria[0], missed])
        for index, users in enumerate((10, 120), 1)
    ]
    outcome = Outcome(
        *(121.0, 117.2, 123.1, 120, True, "p95<=200ms", (), (), 2, 60.0),
        short_of_goals=(0, 1),
        missed=("bytes>=30MB/s",),
    )
    verdict = of_search(plan, levels, outcome, 60.0, "finished")
    assert verdict.outcome == "failed"
    assert verdict.capacity is not None
    assert verdict.capacity.users is None
    assert verdict.sentence == (
        "120 users meet the other criteria (95% confidence interval 117 to 124), but 12.0 MB/s "
        "moved; bytes>=30MB/s is asked for."
    )
    assert verdict.broke_first is None


def test_no_level_at_all(run: Run) -> None:
    verdict = of_levels(run.plan, [], 1.0, "interrupted")
    assert (verdict.outcome, verdict.sentence) == ("interrupted", "No level was finished.")
    assert verdict.cost.levels == verdict.cost.operations == 0


def test_a_ladder_names_the_last_that_passed_and_the_first_that_failed(
    run: Run, sample: LevelResult
) -> None:
    plan = ladder(run, [10, 1000, 2000])
    levels = [level(sample, 10), level(sample, 1000), level(sample, 2000, "failed")]
    verdict = of_levels(plan, levels, 60.0, "finished")
    assert (verdict.kind, verdict.outcome) == ("ladder", "failed")
    assert verdict.sentence == "1,000 users passed at 100 scenarios/s; 2,000 users failed."
    assert verdict.cost.operations == 3 * sum(step.completed for step in sample.steps)
    passed = of_levels(ladder(run, [10]), [level(sample, 10)], 60.0, "finished")
    assert (passed.outcome, passed.sentence) == ("passed", "10 users passed at 100 scenarios/s.")
    none = of_levels(ladder(run, [10]), [level(sample, 10, "failed")], 60.0, "finished")
    assert none.sentence == "No level of the ladder passed."


def test_an_invalid_level_makes_a_ladder_invalid_and_is_a_doubt(
    run: Run, sample: LevelResult
) -> None:
    plan = ladder(run, [10, 20], SCORE)
    verdict = of_levels(plan, [level(sample, 10), level(sample, 20, "invalid")], 9.0, "finished")
    assert (verdict.outcome, verdict.score) == ("invalid", None)
    assert verdict.flags == ["levels that do not count (see their reasons): 20 users"]


def test_the_score_of_a_whole_ladder(run: Run, sample: LevelResult) -> None:
    plan = ladder(run, [1, 2], SCORE)
    levels = [level(sample, 1, achieved_per_s=60.0), level(sample, 2, achieved_per_s=30.0)]
    verdict = of_levels(plan, levels, 9.0, "finished")
    assert verdict.sentence == "40.0 transactions/s (weighted harmonic mean of 2 levels)."
    assert verdict.score is not None
    assert (verdict.score.value, verdict.score.zero_level) == (pytest.approx(40.0), None)
    dead = [levels[0], level(sample, 2, "failed", achieved_per_s=0.0)]
    verdict = of_levels(plan, dead, 9.0, "finished")
    assert verdict.score is not None
    assert (verdict.score.value, verdict.score.zero_level) == (0.0, 2)
    assert verdict.outcome == "failed"


def test_weights_belong_to_the_levels_of_the_workload(run: Run, sample: LevelResult) -> None:
    weighted = Score(name="weighted harmonic mean", unit="transactions/s", weights=[2.0, 1.0])
    plan = ladder(run, [1, 2], weighted)
    levels = [level(sample, 1, achieved_per_s=60.0), level(sample, 2, achieved_per_s=30.0)]
    score = of_levels(plan, levels, 9.0, "finished").score
    assert score is not None
    assert score.value == pytest.approx(3 / (2 / 60 + 1 / 30))
    other = plan.model_copy(update={"levels": [1, 2, 3]})
    verdict = of_levels(other, [*levels, level(sample, 3)], 9.0, "finished")
    assert verdict.score is None
    assert verdict.sentence == "3 users passed at 100 scenarios/s."


def test_the_most_kb_per_s_of_a_ladder_names_its_level(run: Run, sample: LevelResult) -> None:
    wanted = Score(kind="most-kb-per-s", name="most throughput", unit="KB/s")
    read, written = [1e6, 5e6, 4e6], [1024e3, 2.5e6, 3.5e6]
    moved = [
        sample.total.model_copy(update={"read_bytes_per_s": r, "written_bytes_per_s": w})
        for r, w in zip(read, written, strict=True)
    ]
    users = [4, 12, 20]
    levels = [level(sample, n, total=total) for n, total in zip(users, moved, strict=True)]
    verdict = of_levels(ladder(run, users, wanted), levels, 60.0, "finished")
    assert verdict.score is not None
    # Two levels move as much; that of fewer users counts. 7.5e6 / 1024 = 7324.2.
    assert verdict.score.value == pytest.approx(7324.21875)
    assert verdict.score.formula.endswith("that of 12 users: 60.0 Mbit/s")
    assert verdict.sentence == (
        "7,324 KB/s (60.0 Mbit/s) at 12 users, the most throughput of 3 levels."
    )
    spoilt = [*levels[:2], level(sample, 20, "invalid", total=moved[2])]
    assert of_levels(ladder(run, users, wanted), spoilt, 60.0, "finished").score is None


def test_half_a_ladder_or_a_single_level_has_no_score(run: Run, sample: LevelResult) -> None:
    plan = ladder(run, [1, 2], SCORE)
    half = of_levels(plan, [level(sample, 1)], 9.0, "interrupted")
    assert (half.outcome, half.score) == ("interrupted", None)
    single = plan.model_copy(update={"levels": [1], "mode": "level"})
    assert of_levels(single, [level(sample, 1)], 9.0, "finished").score is None


def test_a_level_that_drifted_is_flagged(run: Run, sample: LevelResult) -> None:
    drifting = Steadiness(steady=False, settled_after_s=5, reasons=["throughput fell by 9%"])
    verdict = of_levels(run.plan, [level(sample, 5, steadiness=drifting)], 9.0, "finished")
    assert verdict.flags == ["the level at 5 users was not steady: throughput fell by 9%"]


def outcome(**changes: Any) -> Outcome:
    values: dict[str, Any] = {
        "estimate": 960.0,
        "low": 917.6,
        "high": 989.2,
        "published": 917,
        "confirmed": True,
        "binding": "p95<=200ms",
        "widened_by": (),
        "flags": (),
        "levels": 3,
        "seconds": 100.0,
    }
    return Outcome(**(values | changes))


def test_a_stall_that_counts_is_a_doubt(run: Run, sample: LevelResult) -> None:
    stalls = [StallResult(after_s=2.0, seconds=4.0)]
    stalled = level(sample, 5, stalls=stalls)
    verdict = of_levels(run.plan, [stalled], 9.0, "finished")
    assert verdict.flags == ["the server answered next to nothing for up to 4 s in 1 of 1 level"]


def test_levels_left_out_by_the_search_are_doubts_and_never_broke_first(
    run: Run, sample: LevelResult
) -> None:
    levels = [
        level(sample, 40, "failed", index=1, stalls=[StallResult(after_s=2.0, seconds=4.0)]),
        level(sample, 160, "failed", index=2),
        level(sample, 917, "passed", index=3),
        level(sample, 1200, "failed", index=4),
    ]
    left_out = (LeftOut(0, 40, 4.0), LeftOut(1, 160, None))
    verdict = of_search(
        search(run), levels, outcome(left_out=left_out, per_s=-0.01 / 3600), 9.0, "finished"
    )
    assert verdict.broke_first is not None
    assert verdict.broke_first.startswith("at 1,200 users")
    assert verdict.flags == [
        (
            "the server answered next to nothing for 4 s in level 1 (40 users); the search left "
            "that out"
        ),
        "level 2 (160 users) failed, but levels with as many users passed; it was left out",
        (
            "the capacity falls by 1.0% an hour: look for what grows, such as memory, queues or "
            "files, and repeat"
        ),
    ]


def search(run: Run, **options: Any) -> Plan:
    return plan_of(run.plan.workload, [], mode="search", search=options)


def test_a_capacity_lies_in_its_interval(run: Run, sample: LevelResult) -> None:
    levels = [level(sample, n, o) for n, o in ((917, "passed"), (1200, "failed"), (1000, "failed"))]
    verdict = of_search(search(run), levels, outcome(), 100.0, "finished")
    assert (verdict.kind, verdict.outcome) == ("capacity", "passed")
    assert verdict.sentence == "917 users (95% confidence interval 917 to 990)."
    assert verdict.broke_first == "at 1,000 users p95 is 1.40 s; 9.0% took longer than 200 ms"
    assert verdict.capacity is not None
    assert (verdict.capacity.users, verdict.capacity.official_passed) == (917, True)
    assert verdict.flags == []


REASON = "p95 is 1.40 s; 9.0% took longer than 200 ms"


def test_a_failed_soak_is_the_answer(run: Run, sample: LevelResult) -> None:
    levels = [
        level(sample, 900),
        level(sample, 1000, "failed"),
        level(sample, 917, purpose="official"),
        level(sample, 917, "failed", purpose="soak", steady_s=1800.3),
    ]
    verdict = of_search(search(run, soak="30m"), levels, outcome(), 100.0, "finished")
    assert verdict.outcome == "failed"
    assert exit_code(verdict) == ExitCode.FAILED == 1
    assert verdict.sentence == (
        f"The soak of 30 min at 917 users failed: {REASON}. In shorter levels: 917 users "
        "(95% confidence interval 917 to 990)."
    )
    assert verdict.broke_first == f"at 917 users {REASON}"
    assert verdict.capacity is not None
    assert (verdict.capacity.users, verdict.capacity.official_passed) == (917, True)
    interrupted = of_search(search(run, soak="30m"), levels, outcome(), 100.0, "interrupted")
    assert interrupted.outcome == "interrupted"
    assert interrupted.sentence == verdict.sentence


def test_a_failed_soak_after_a_search_without_failures(run: Run, sample: LevelResult) -> None:
    found = outcome(high=math.inf, binding=None)
    levels = [
        level(sample, 917),
        level(sample, 917, "failed", purpose="soak", steady_s=3600.0),
    ]
    verdict = of_search(search(run, soak="1h"), levels, found, 100.0, "finished")
    assert verdict.outcome == "failed"
    assert verdict.sentence == (
        f"The soak of 1 h at 917 users failed: {REASON}. In shorter levels: At least 917 users: "
        "no level failed up to there."
    )


@pytest.mark.parametrize(
    ("ended", "flags"),
    [
        ("passed", []),
        ("invalid", ["levels that do not count (see their reasons): 917 users"]),
    ],
)
def test_a_passed_or_invalid_soak_leaves_the_answer_as_it_is(
    run: Run, sample: LevelResult, ended: str, flags: list[str]
) -> None:
    soak = level(sample, 917, ended, purpose="soak", steady_s=1800.0)
    levels = [level(sample, 917), level(sample, 1000, "failed"), soak]
    verdict = of_search(search(run, soak="30m"), levels, outcome(), 100.0, "finished")
    assert (verdict.outcome, verdict.flags) == ("passed", flags)
    assert exit_code(verdict) == ExitCode.PASSED
    assert verdict.sentence == "917 users (95% confidence interval 917 to 990)."


def test_a_search_without_failed_levels(run: Run, sample: LevelResult) -> None:
    found = outcome(high=math.inf, binding=None, flags=(Flag.MAX_USERS,))
    verdict = of_search(search(run), [level(sample, 917)], found, 100.0, "finished")
    assert verdict.sentence == "At least 917 users: no level failed up to there."
    assert verdict.capacity is not None
    assert (verdict.capacity.at_least, verdict.capacity.high) == (True, None)
    assert verdict.flags == ["at least this many: the search stopped at max_users"]
    verdict.model_dump_json()  # infinity has no place in JSON


def test_a_server_that_fails_with_one_user(run: Run, sample: LevelResult) -> None:
    found = outcome(estimate=0.5, low=0.0, high=1.0, published=0, flags=(Flag.FAILS_AT_ONE,))
    verdict = of_search(search(run), [level(sample, 1, "failed")], found, 9.0, "finished")
    assert verdict.outcome == "failed"
    assert verdict.sentence == "Not even 1 user meets the criteria."
    assert verdict.flags == ["the criteria fail with a single user"]


def test_a_search_interrupted_before_a_level_passed_gives_an_upper_bound(
    run: Run, sample: LevelResult
) -> None:
    found = outcome(estimate=0.0, low=0.0, high=10.0, published=0, flags=(Flag.INCOMPLETE,))
    verdict = of_search(search(run), [level(sample, 10, "failed")], found, 9.0, "interrupted")
    assert verdict.outcome == "interrupted"
    assert verdict.sentence == "Fewer than 10 users: no level passed."
    assert verdict.flags == []  # that it was not finished is what the outcome says


@pytest.mark.parametrize("levels", [0, 1])
def test_no_valid_level(run: Run, sample: LevelResult, levels: int) -> None:
    found = outcome(estimate=0.0, low=0.0, high=math.inf, published=0, binding=None)
    taken = [level(sample, 10, "invalid")] * levels
    verdict = of_search(search(run), taken, found, 9.0, "finished")
    assert verdict.outcome == "invalid"
    assert verdict.sentence == "No capacity: no valid level was finished."


def test_a_quick_search_is_flagged(run: Run, sample: LevelResult) -> None:
    found = outcome(confirmed=False, flags=(Flag.UNCONFIRMED, Flag.NOISY))
    verdict = of_search(search(run, quick=True), [level(sample, 917)], found, 9.0, "finished")
    assert verdict.flags[0] == "runs disagree; the interval may be too narrow"
    assert verdict.flags[1].startswith("a quick search")
    assert len(verdict.flags) == 2


def test_the_capacity_is_of_a_level_that_ran_and_passed(run: Run, sample: LevelResult) -> None:
    levels = [level(sample, 300, index=1), level(sample, 917, index=2), level(sample, 917, index=3)]
    found = of_search(search(run), levels, outcome(), 100.0, "finished").capacity
    assert found is not None
    assert (found.users, found.level, found.level_s) == (917, 3, sample.steady_s)
    # A search that took a level for passed that did not pass its criteria: the next one below.
    levels[1:] = [level(sample, 917, "failed", index=2)]
    found = of_search(search(run), levels, outcome(), 100.0, "finished").capacity
    assert found is not None
    assert (found.users, found.level, found.official_passed) == (300, 1, False)


def test_a_widened_interval_is_a_doubt(run: Run, sample: LevelResult) -> None:
    found = outcome(widened_by=("other work on the machine", "repeated levels that disagree"))
    verdict = of_search(search(run), [level(sample, 917)], found, 9.0, "finished")
    assert verdict.capacity is not None
    assert verdict.capacity.widened_by == list(found.widened_by)
    assert verdict.flags == [
        "the interval is wider because of other work on the machine, repeated levels that disagree"
    ]


def test_a_search_whose_only_failure_may_be_chance(run: Run, sample: LevelResult) -> None:
    found = outcome(high=math.inf, binding=None)
    levels = [level(sample, 917), level(sample, 1000, "failed")]
    verdict = of_search(search(run), levels, found, 100.0, "finished")
    assert verdict.sentence == (
        "At least 917 users: 1,000 users failed, but too narrowly for an upper end."
    )
