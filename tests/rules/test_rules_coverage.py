"""Logs that show too little: few samples, samples far apart, gaps, a single counter."""

import pytest
from recordings import AVAILABLE, CPU, QUEUE, START_S

from headcount.analyse.rules.coverage import coverage, topics
from headcount.analyse.rules.decide import decide
from headcount.analyse.rules.diagnosis import LogDiagnosis, diagnose
from headcount.analyse.rules.series import Frame
from headcount.analyse.rules.windows import covered
from headcount.counters.recording import Recording
from headcount.counters.source import Sample
from headcount.report.findings import log_sentences

IDLE = {CPU: 0.02, AVAILABLE: 8e9, QUEUE: 0.01, "system.network.utilization": 0.01}
BUSY = {**IDLE, CPU: 0.97}
STALL = "system.linux.pressure{resource=io,kind=some}"
HOUR_S = 3600.0


def diagnosis(values: dict[str, float], times_s: list[float]) -> LogDiagnosis:
    taken = tuple(Sample(START_S + at_s, values) for at_s in times_s)
    return diagnose(Recording("log", "made", "vm", "linux", taken))


def evenly(count: int, apart_s: float) -> list[float]:
    return [place * apart_s for place in range(count)]


@pytest.mark.parametrize(
    ("count", "apart_s", "says"),
    [
        (2, 4660 * HOUR_S, "2 samples, 4,660 h apart: at least 5 are needed, at most 1 h apart."),
        (1, 1.0, "Nothing can be concluded from 1 sample: at least 5 are needed."),
        (4, 1.0, "from 4 samples, usually 1 s apart: at least 5 are needed."),
        (20, 4 * HOUR_S, "20 samples, usually 4 h apart: they must be at most 1 h apart."),
    ],
)
def test_few_samples_or_samples_far_apart_allow_no_conclusion(count, apart_s, says) -> None:
    found = diagnosis(IDLE, evenly(count, apart_s))
    decision = found.decision
    assert (decision.kind, decision.confidence, decision.ruled_out) == ("too_few", "none", ())
    assert says in log_sentences.verdict(found)
    assert "idle" not in log_sentences.verdict(found)
    assert [one.id for one in found.advice] == ["N-52"]


@pytest.mark.parametrize(("count", "apart_s"), [(5, 1.0), (5, HOUR_S), (100, 60.0)])
def test_enough_samples_allow_a_conclusion(count, apart_s) -> None:
    found = diagnosis(IDLE, evenly(count, apart_s))
    assert (found.decision.kind, found.decision.confidence) == ("idle", "clear")


def test_few_samples_are_a_sign_and_not_a_proof() -> None:
    found = diagnosis(BUSY, evenly(2, 4660 * HOUR_S))
    assert (found.decision.kind, found.decision.area) == ("signs", "cpu")
    assert log_sentences.confidence(found) == "weak; only 2 samples, 4,660 h apart"
    assert found.decision.ruled_out == ()
    assert diagnosis(BUSY, evenly(20, 1.0)).decision.kind == "limited"


def test_facts_of_the_machine_are_not_samples() -> None:
    facts = {"system.cpu.logical.count": 2.0, "system.memory.limit": 8e9}
    taken = [Sample(at_s, {**facts, **(IDLE if at_s < 2 else {})}) for at_s in evenly(50, 1.0)]
    assert coverage(Frame(taken)).samples == 2
    assert coverage(Frame([Sample(0.0, facts)])).samples == 0


def test_two_sessions_months_apart_say_what_they_cover() -> None:
    """Twenty seconds, a gap of 4,660 h, twenty seconds: the sum of the intervals, cut at 2.5."""
    sessions = evenly(20, 1.0) + [4660 * HOUR_S + at_s for at_s in evenly(20, 1.0)]
    found = diagnosis(IDLE, sessions)
    assert found.decision.coverage.observed_s == pytest.approx(1 + 19 + 2.5 + 19)
    assert found.decision.confidence == "likely"
    text = " ".join(log_sentences.context(found))
    assert "The samples cover 42 s of 4,660 h; nothing is known of the rest." in text
    assert "nothing is known" not in " ".join(log_sentences.context(diagnosis(IDLE, evenly(9, 1))))


def test_a_finding_does_not_cover_a_gap() -> None:
    at_s = Frame([Sample(one, {CPU: 1.0}) for one in [0.0, 1, 2, 3, 100, 101, 102, 103]]).at_s
    # 1 s each, and 2.5 s for the first behind the gap: 4 of 9.5 s.
    assert covered([(0.0, 3.0)], at_s) == pytest.approx(4 / 9.5)
    assert covered([(0.0, 103.0)], at_s) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("counter", "can"),
    [
        (CPU, "CPU busy. It can prove that the CPU is the limit; it says nothing about memory"),
        (AVAILABLE, "It can prove that memory is the limit; it says nothing about the disks"),
        (STALL, "It can prove that the disks are the limit; it says nothing about memory"),
        ("system.memory.utilization", "It can point at memory without proof; it says nothing"),
        ("system.network.tcp.retransmits", "TCP retransmissions, and no rule judges it alone."),
    ],
)
def test_a_log_of_one_counter_says_what_it_can_show(counter, can) -> None:
    found = diagnosis({counter: 8e9 if counter == AVAILABLE else 0.1}, evenly(60, 10.0))
    text = " ".join(log_sentences.context(found))
    assert "The log has one counter, " in text
    assert can in text
    assert "idle" not in log_sentences.verdict(found)


def test_one_counter_is_counted_once_with_its_devices_and_its_largest() -> None:
    named = {f"system.disk.utilization{{system.device={name}}}": 0.1 for name in ("sda", "sdb")}
    log = Frame([Sample(0.0, {**named, "system.disk.utilization.busiest": 0.1})])
    assert topics(log) == ["system.disk.utilization"]
    modes = {CPU: 0.1, f"{CPU}{{cpu.mode=user}}": 0.1, f"{CPU}{{cpu.mode=idle}}": 0.9}
    assert topics(Frame([Sample(0.0, modes)])) == [CPU]
    ways = {f"system.disk.io{{disk.io.direction={way}}}": 1.0 for way in ("read", "write")}
    assert len(topics(Frame([Sample(0.0, ways)]))) == 2
    assert len(topics(Frame([Sample(0.0, IDLE)]))) == 4


def test_a_rule_that_lacks_a_counter_rules_nothing_out() -> None:
    """H-02 cannot hold without I/O pressure, but it has not seen the memory either."""
    decision = decide(diagnosis({STALL: 0.01}, evenly(60, 1.0)).examination)
    assert decision.ruled_out == ("disk",)
    assert "memory" in decision.not_judged


def test_resources_not_observed_are_named_with_a_missing_counter() -> None:
    sentences = log_sentences.context(diagnosis({CPU: 0.05, AVAILABLE: 8e9}, evenly(60, 1.0)))
    lacking = "the disks (missing: Disk wait) and the network (missing: Link in use)"
    assert f"Not observed: {lacking}." in sentences


def test_a_log_of_one_resource_does_not_rule_out_the_others() -> None:
    found = diagnosis({CPU: 0.05}, evenly(60, 1.0))
    assert log_sentences.verdict(found) == (
        "The CPU is not the limit. The log does not show whether memory, the disks or the network "
        "is."
    )
