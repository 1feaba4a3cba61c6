"""What several experiments say together: confirmed, refuted or undecided, and why."""

from collections.abc import Sequence

import pytest
from experiment_turns import Behaviour, arms_of, delay, limiter, pool, turns

from headcount.analyse.experiments import alone, beside, concurrency, cut, kinds
from headcount.analyse.experiments.conclude import conclude, next_step, rivals_of
from headcount.analyse.experiments.kinds import Kinds
from headcount.bundle.confirmation import Finding
from headcount.bundle.diagnosis import Candidate, Diagnosis, Limit

USERS = 16
BOTH = Kinds("cheap", "dear")


def diagnosis(limit: Limit, size: float | None = None, **scores: float) -> Diagnosis:
    """A diagnosis with this first limit, and scores of other candidates."""
    candidates = [
        Candidate(limit=name, detail=None, score=score, figures=[], sentence="")  # type: ignore[arg-type]
        for name, score in {limit: 0.9, **scores}.items()
    ]
    return Diagnosis(
        limit=limit,
        detail=None,
        size=size,
        size_unit=None,
        confidence=0.9,
        confidence_word="high",
        sentence="A limit.",
        saturation=0.0,
        figures=[],
        runner_up=None,
        joint=[],
        candidates=candidates,
        ruled_out=[],
        next=None,
        log_lines=[],
        advice=[],
        not_observed=[],
        doubts=[],
        levels=[],
    )


def findings_on(behaviour: Behaviour) -> list[Finding]:
    """What `concurrency` and `kinds` find on a server of this behaviour."""
    names = {concurrency.HALF: USERS // 2, concurrency.ALL: USERS}
    loads = turns(arms_of(behaviour, 0.01, names, concurrency.ONE), noise=0.03)
    arms = {}
    for name, service_s in (("cheap", 0.005), ("dear", 0.02)):
        arms |= arms_of(behaviour, service_s, {BOTH.loaded(name): USERS}, BOTH.alone(name))
    costs = turns({name: arms[name] for name in BOTH.arms}, noise=0.03)
    found = [concurrency.judge(loads), kinds.judge(costs, BOTH)]
    return [one for one in found if one is not None]


SERVERS: dict[Limit, Behaviour] = {
    "pool": pool(4),
    "lock": pool(1),
    "limiter": limiter(25),
}


@pytest.mark.parametrize("true", list(SERVERS))
@pytest.mark.parametrize("named", [*SERVERS, "delay"])
def test_the_right_limit_is_confirmed_and_every_other_refuted(true: Limit, named: Limit) -> None:
    asked = diagnosis(named)
    found = conclude(asked, findings_on(SERVERS[true]))
    if true == named:
        assert found.answer == "confirmed"
        assert found.sentence.startswith("Confirmed by experiment")
        return
    assert found.answer == "refuted", found.sentence
    assert found.supported == true
    assert found.sentence.startswith("Refuted by experiment")
    assert "instead" in found.sentence


def test_a_slow_server_refutes_a_pool_and_supports_a_delay() -> None:
    arms = {alone.ONE: (1, 10, 100.0), alone.ALL: (9, 88, 104.0)}
    finding = alone.judge(turns(arms, noise=0.03))
    assert finding is not None
    assert conclude(diagnosis("delay"), [finding]).answer == "confirmed"
    found = conclude(diagnosis("pool", delay=0.4), [finding])
    assert (found.answer, found.supported) == ("refuted", "delay")
    assert findings_on(delay())[0].contradicts


def test_without_kinds_a_pool_may_be_a_rate_limit() -> None:
    asked = diagnosis("pool")
    only = findings_on(pool(4))[:1]
    found = conclude(asked, only)
    assert (found.answer, found.open) == ("undecided", ["limiter"])
    assert "also a rate limit" in found.sentence
    assert "two scenarios" in next_step(asked, found, only)


def test_a_resource_is_confirmed_only_by_changing_it() -> None:
    asked = diagnosis("cpu")
    found = conclude(asked, findings_on(pool(2)))
    assert found.answer == "undecided"
    assert "--allow-nudge" in next_step(asked, found, findings_on(pool(2)))
    arms = {cut.WHOLE: (8, 200.0, 40.0), cut.PART: (8, 140.0, 57.0)}
    nudge = cut.judge(turns(arms, noise=0.02), "nudge", "cpu", "the server's CPU", 0.7)
    assert nudge is not None
    found = conclude(asked, [nudge])
    assert (found.answer, found.experiments) == ("confirmed", ["nudge"])
    found = conclude(diagnosis("pool"), [nudge, *findings_on(pool(2))])
    assert (found.answer, found.supported) == ("refuted", "cpu")


@pytest.mark.parametrize(("left", "answer"), [(0.5, "confirmed"), (1.0, "refuted")])
def test_a_shared_upstream(left: float, answer: str) -> None:
    arms = {beside.WITHOUT: (8, 100.0, 80.0), beside.WITH: (8, 100.0 * left, 80.0 / left)}
    finding = beside.judge(turns(arms, noise=0.03), "http://other")
    assert finding is not None
    assert conclude(diagnosis("upstream"), [finding]).answer == answer


def test_nothing_measured_is_undecided_and_says_so() -> None:
    found = conclude(diagnosis("lock"), [])
    assert found.answer == "undecided"
    assert "no experiment gave a result" in found.sentence


def test_wide_intervals_are_undecided_and_ask_for_more_time() -> None:
    arms = {cut.WHOLE: (8, 200.0, 40.0), cut.PART: (8, 166.0, 48.0)}
    finding = cut.judge(turns(arms, noise=0.2), "less", "cpu", "cpu", 0.7)
    assert finding is not None
    found = conclude(diagnosis("cpu"), [finding])
    assert found.answer == "undecided"
    assert "too wide to say whether it is the CPU" in found.sentence
    assert "--confirm-time" in next_step(diagnosis("cpu"), found, [finding])


def test_an_unknown_limit_is_narrowed() -> None:
    asked = diagnosis("unknown")
    found = conclude(asked, findings_on(limiter(25)))
    assert (found.answer, found.supported) == ("undecided", "limiter")
    assert "the results fit a rate limit" in found.sentence


def test_rivals_are_those_of_the_program_and_those_with_evidence() -> None:
    assert rivals_of(diagnosis("pool", 4, cpu=0.3, disk=0.1)) == {"lock", "limiter", "delay", "cpu"}
    assert "lock" not in rivals_of(diagnosis("pool", 1))
    assert rivals_of(diagnosis("cpu", pool=0.1, lock=0.4)) == {"delay", "lock"}


def experiment_names(findings: Sequence[Finding]) -> list[str]:
    return [one.experiment for one in findings]


def test_experiments_that_decided_are_named() -> None:
    found = conclude(diagnosis("pool"), findings_on(pool(4)))
    assert found.experiments == experiment_names(findings_on(pool(4)))
    assert "`concurrency` and `kinds`" in found.sentence
