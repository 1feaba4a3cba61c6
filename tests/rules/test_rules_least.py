"""Ratios and times of each operation: below their least count they say nothing."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import examination, frame, ids

from headcount.analyse.rules.condition import evaluate
from headcount.analyse.rules.decide import decide
from headcount.analyse.rules.explain import condition_text
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.least import least, least_sentence
from headcount.analyse.rules.library import builtin, with_file
from headcount.analyse.rules.model import Condition
from headcount.errors import InputError
from headcount.report.findings import log_sentences

LEAVES = [(rule, leaf) for rule in builtin().rules.values() for leaf in rule.when.leaves()]
ALWAYS = (float("-inf"), float("inf"))
LINUX = Facts(2, 24e9, 1, "linux")
RETRANSMITS = "system.network.tcp.retransmits"
PACKETS = "system.network.packet.count{network.io.direction=transmit}"
WAIT = "system.disk.operation_time"
DONE = "system.disk.operations"
STALL = "system.linux.pressure{resource=io,kind=some}"
OF_EACH = (WAIT, "system.windows.cache.copy_read_hits", "cgroup.cpu.throttled")
"""Counters that are a mean over operations, reads or periods."""


def test_every_ratio_has_a_least_count_as_data_and_explains_it() -> None:
    ratios = [
        (rule, leaf)
        for rule, leaf in LEAVES
        if leaf.over is not None or (leaf.counter or "").startswith(OF_EACH)
    ]
    assert len(ratios) >= 15
    for rule, leaf in ratios:
        assert leaf.least is not None, rule.id
        assert "at least" in condition_text(rule.when), rule.id
        assert least_sentence(leaf).startswith("Least count: "), rule.id


@pytest.mark.parametrize(
    ("rule", "leaf"), [pytest.param(*one, id=one[0].id) for one in LEAVES if one[1].over]
)
def test_a_ratio_to_nothing_never_holds(rule, leaf) -> None:
    """Whatever the figure above: 0.80 retransmits over 0.00 packets were above 1%."""
    for above in (1e-6, 0.8, 1e9):
        values = dict.fromkeys((leaf.counter, *leaf.plus), above) | {leaf.over: 0.0}
        found = evaluate(leaf, frame(values), Facts(4, 8e9), ALWAYS)
        assert found.holds is False, rule.id


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 99.9), st.floats(0, 1e6))
def test_below_the_least_count_no_share_of_retransmits_is_found(packets, lost) -> None:
    assert "H-10" not in ids(examination({RETRANSMITS: lost, PACKETS: packets}))


def test_samples_below_the_least_count_are_not_beyond_the_threshold() -> None:
    """Nine samples of ten are slow, but of a single transfer each."""
    slow = {WAIT: [900.0] * 9 + [1.0], DONE: [0.1] * 9 + [50.0]}
    assert ids(examination(slow, facts=LINUX)) == []
    assert "I-02" in ids(examination({WAIT: 900.0, DONE: 5.0}, facts=LINUX))


def test_a_mean_time_counts_every_operation_once() -> None:
    leaf = Condition(counter=WAIT, is_="mean", op=">", value=0, least_of=DONE, least=1)
    log = frame({WAIT: [10.0, 100.0], DONE: [90.0, 10.0]})
    (reading,) = evaluate(leaf, log, LINUX, ALWAYS).readings
    assert reading.value == pytest.approx((90 * 10 + 10 * 100) / 100)
    assert reading.count == pytest.approx(50)


def test_a_finding_says_what_a_ratio_is_of() -> None:
    sentences = {
        one.rule.id: log_sentences.finding(one)
        for values in ({WAIT: 400.0, DONE: 2.0}, {RETRANSMITS: 50.0, PACKETS: 2000.0})
        for one in examination(values, facts=LINUX).found
    }
    assert "400 ms on average (Disk operations 2.00/s)" in sentences["I-02"]
    assert "2.5% on average (Packets sent 2,000/s)" in sentences["H-10"]
    (alone,) = (one for one in examination({WAIT: 400.0}).found if one.rule.id == "I-02")
    assert "(the log lacks Disk operations)" in log_sentences.finding(alone)


def test_a_finding_names_each_counter_once() -> None:
    """H-08 has a threshold on either side."""
    (stall,) = (
        one for one in examination({STALL: 0.37}, facts=LINUX).found if one.rule.id == "H-08"
    )
    (reading,) = log_sentences.readings(stall)
    assert reading.endswith("37.0% on average; the threshold is at or above 15%")


def test_a_stall_of_half_the_time_is_named_before_the_network_and_the_cpu() -> None:
    """A throttled disk beside busy CPUs, as in a real log of sar's: 50.7%, with noise."""
    noise = [0.44, 0.57, 0.49, 0.53, 0.41, 0.60] * 5
    log = {
        STALL: noise,
        RETRANSMITS: 0.8,
        PACKETS: 0.0,
        "system.cpu.utilization": 1.0,
        "system.linux.memory.available": 20e9,
        "system.disk.utilization": 0.03,
    }
    decision = decide(examination(log, facts=LINUX))
    assert (decision.kind, decision.area, decision.runner_up) == ("limited", "disk", "cpu")
    assert decision.evidence[0].rule.id == "H-05"


@pytest.mark.parametrize(
    "stalled", [{STALL: 0.2}, {"system.disk.utilization": 0.99, "system.disk.queue_length": 1.9}]
)
def test_a_sign_that_work_waits_is_named_before_other_signs(stalled) -> None:
    others = {"system.memory.utilization": 0.93, RETRANSMITS: 50.0, PACKETS: 2000.0}
    decision = decide(examination({**others, **stalled}, facts=LINUX))
    assert (decision.kind, decision.area) == ("signs", "disk")
    assert decide(examination(others, facts=LINUX)).area == "memory"


OWN = """
[[rule]]
id = "X-1"
title = "Mine"
area = "network"
strength = "sign"
era = "modern"
source = "headcount"
verdict = "Mine."
[rule.when]
counter = "system.network.tcp.retransmits"
is = "mean"
value = 1
{rest}
"""


def test_a_rule_of_a_user_has_a_default_and_must_name_a_counter(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(OWN.format(rest=f'over = "{PACKETS}"'), "utf-8")
    (leaf,) = with_file(path).rules["X-1"].when.leaves()
    assert least(leaf) == 1.0
    for rest, says in (("least = 5", "least_of"), ('least_of = "x"\nleast = 5', "no counter `x`")):
        path.write_text(OWN.format(rest=rest), "utf-8")
        with pytest.raises(InputError, match=says):
            with_file(path)
