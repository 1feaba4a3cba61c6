"""Spans, exceptions, conflicts, facts and the order of areas."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import (
    AVAILABLE,
    CPU,
    DISK_TIME,
    PAGES,
    QUEUE,
    START_S,
    examination,
    frame,
    ids,
    samples,
)

from headcount.analyse.rules import windows
from headcount.analyse.rules.decide import decide
from headcount.analyse.rules.examine import examine
from headcount.analyse.rules.facts import Facts, facts
from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.series import Frame
from headcount.counters.catalogue import catalogue
from headcount.counters.source import Sample

NT4 = Facts(1, 128 * 2**20, 1, "windows", "given", "given", "given")
"""A machine of the papers' time."""
TODAY = Facts(8, 64 * 2**30, 1, "windows", "given", "given", "given")

WORK = "system.windows.server.work_queue"
SHORT = {AVAILABLE: 2e6, PAGES: 45.0}
BUSY_DISK = {DISK_TIME: 0.95, QUEUE: 6.0, "system.disk.utilization": 0.95}
QUIET = {
    AVAILABLE: 60e6,
    PAGES: 2.0,
    CPU: 0.2,
    DISK_TIME: 0.05,
    QUEUE: 0.1,
    "system.disk.operation_time": 4.0,
    "system.network.utilization": 0.1,
}


def test_a_lack_of_memory_that_looks_like_the_disk_is_memory() -> None:
    found = examination({**QUIET, **SHORT, **BUSY_DISK}, facts=NT4)
    decision = decide(found)
    assert (decision.kind, decision.area, decision.masked) == ("limited", "memory", True)
    assert decision.runner_up == "disk"
    assert decision.ruled_out == ("network", "cpu")
    assert decision.confidence == "clear"
    assert {"M-01", "M-03"} <= {one.rule.id for one in decision.evidence}


def test_a_busy_disk_with_memory_to_spare_is_the_disk() -> None:
    decision = decide(examination({**QUIET, **BUSY_DISK}, facts=NT4))
    assert (decision.kind, decision.area, decision.masked) == ("limited", "disk", False)
    assert decision.ruled_out == ("memory", "network", "cpu")


def test_disks_come_before_the_cpu_and_the_cpu_is_the_runner_up() -> None:
    decision = decide(examination({**QUIET, **BUSY_DISK, CPU: 0.97}, facts=NT4))
    assert (decision.area, decision.runner_up) == ("disk", "cpu")


def test_a_busy_cpu_alone_is_the_cpu() -> None:
    decision = decide(examination({**QUIET, CPU: 0.93}, facts=NT4))
    assert (decision.area, decision.runner_up) == ("cpu", None)


def test_stolen_time_is_named_and_not_the_machines_own_work() -> None:
    linux = Facts(2, 8 * 2**30, 1, "linux", "given", "given", "given")
    steal = f"{CPU}{{cpu.mode=steal}}"
    robbed = examination({CPU: 0.95, steal: 0.6}, facts=linux)
    assert [one.rule.id for one in decide(robbed).evidence] == ["H-22"]
    assert {one.rule.id for one in robbed.taken_back} >= {"C-01", "C-02", "NODE-04"}
    busy = decide(examination({CPU: 0.95, steal: 0.15}, facts=linux))
    assert {"C-01", "NODE-04", "H-22"} <= {one.rule.id for one in busy.evidence}


def test_a_working_machine_with_room_left_waits_for_clients() -> None:
    """T-19, the study's own numbers: 80% CPU, 39 MB/s of a link of 100."""
    numbers = {CPU: 0.80, "system.network.utilization": 0.39}
    decision = decide(examination({**QUIET, **numbers}, "file-server", NT4))
    assert (decision.kind, decision.area, decision.confidence) == ("clients", None, "clear")
    assert decision.used["CPU"] == pytest.approx(0.80)


def test_a_quiet_machine_is_idle() -> None:
    decision = decide(examination(QUIET, facts=NT4))
    assert (decision.kind, decision.evidence) == ("idle", ())


def test_without_counters_the_limit_is_unknown() -> None:
    decision = decide(examination({"web.requests": 10.0}))
    assert decision.kind == "unknown"
    assert decision.not_judged == ("memory", "disk", "network", "cpu")


def test_earlier_resources_not_logged_lower_the_confidence() -> None:
    decision = decide(examination({CPU: 0.95}, facts=TODAY))
    assert (decision.area, decision.confidence) == ("cpu", "likely")


def test_a_minute_of_paging_does_not_explain_a_day() -> None:
    hours = [0.95] * 480
    paging = [60e6] * 460 + [1e6] * 20
    decision = decide(examination({**QUIET, CPU: hours, AVAILABLE: paging}, facts=NT4))
    assert (decision.area, decision.runner_up) == ("cpu", "memory")


def test_an_hour_of_a_day_is_found_with_its_times() -> None:
    busy = [0.1] * 600 + [0.95] * 60 + [0.1] * 600
    found = examination({**QUIET, CPU: busy}, facts=NT4)
    finding = next(one for one in found.found if one.rule.id == "C-01")
    ((start_s, end_s),) = finding.spans
    assert start_s == START_S + 600 * 60
    assert end_s == START_S + 659 * 60
    assert finding.share == pytest.approx(60 / 1260, rel=0.01)
    assert finding.readings[0].value == pytest.approx(0.95)


def test_many_reads_with_memory_to_spare_are_not_a_lack_of_memory() -> None:
    """M-04."""
    rising = [float(value) for value in range(5, 105)]
    found = examination({PAGES: rising, AVAILABLE: 60e6}, facts=NT4)
    assert "M-02" not in ids(found)
    taken = {one.rule.id: [rule.id for rule in one.taken_back_by] for one in found.taken_back}
    assert taken["M-02"] == taken["M-03"] == ["M-04"]
    falling = [60e6 - index * 0.55e6 for index in range(100)]
    assert "M-02" in ids(examination({PAGES: rising, AVAILABLE: falling}, facts=NT4))


def test_old_thresholds_are_notes_on_a_machine_of_today() -> None:
    values = {**QUIET, PAGES: 300.0, AVAILABLE: 30e9}
    found = examination(values, facts=TODAY)
    assert {one.rule.id: one.strength for one in found.found} == {"M-02": "note", "M-03": "note"}
    assert decide(found).kind == "idle"
    assert {one.strength for one in examination(values, facts=NT4).found} == {"proof", "sign"}


@pytest.mark.parametrize(
    ("profile", "values", "finds", "other", "holds"),
    [
        ("app-server", {PAGES: 30.0, AVAILABLE: 50e6}, "M-03", "T-03", False),
        ("app-server", {DISK_TIME: 0.7, QUEUE: 2.5}, "I-01", "T-16", False),
        ("app-server", {DISK_TIME: 0.9, QUEUE: 2.5}, "I-01", "T-16", True),
        ("app-server", {QUEUE: 2.5}, "I-03", "T-17", False),
        ("file-server", {DISK_TIME: 0.9, QUEUE: 1.0}, "T-16", "I-01", False),
        ("file-server", {QUEUE: 3.5}, "T-17", "I-03", True),
        (
            "file-server",
            {CPU: 0.83, "system.windows.server.work_queue": 1.0},
            "C-01",
            "T-10",
            False,
        ),
        ("app-server", {"system.windows.server.pool.paged.failures": 1.0}, "M-07", "T-08", False),
    ],
)
def test_conflicts_are_reported_with_the_other_rules_result(
    profile, values, finds, other, holds
) -> None:
    found = examination(values, profile, NT4)
    finding = next(one for one in found.found if one.rule.id == finds)
    conflicts = {one.rule.id: one.holds for one in finding.conflicts}
    assert conflicts[other] is holds
    assert other not in ids(found) or other in {"C-01", "C-02"}


def test_facts_come_from_options_before_the_log() -> None:
    log = frame({"system.cpu.logical.count": 4.0, "system.memory.limit": 8e9})
    assert facts(log, "linux") == Facts(4, 8e9, 1, "linux", "from the log", "from the log")
    known = facts(log, "linux", cpus=2, memory_bytes=4e9, spindles=6)
    assert (known.cpus, known.memory_bytes, known.spindles) == (2, 4e9, 6)
    assert known.sentences() == []
    unknown = facts(frame({CPU: 0.5}), None)
    assert len(unknown.sentences()) == 3
    assert not unknown.is_of_the_nineties


def test_windows_cover_everything_and_overlap() -> None:
    log = frame({CPU: 0.5}, count=3000, every_s=1.0)
    found = windows.granular(log.at_s)
    assert found[0][0] == log.at_s[0]
    assert found[-1][1] == log.at_s[-1]
    for one, two in itertools.pairwise(found):
        assert two[0] <= one[1]
    assert windows.granular(log.at_s[:19]) == []


NAMES = [name for name, one in catalogue().items() if one.unit != "By"]


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from(NAMES)), st.sampled_from(["file-server", "app-server"]))
def test_when_all_is_quiet_nothing_is_found(names, profile) -> None:
    values = dict.fromkeys(names, 0.0)
    idle = {name for name in names if name == "system.windows.memory.standby_lifetime"}
    values.update(dict.fromkeys(idle, 20_000.0))
    values[AVAILABLE] = 4e9
    if "system.windows.cache.copy_read_hits" in values:
        values["system.windows.cache.copy_read_hits"] = 0.8
    found = examination(values, profile, Facts(4, 8e9, 1, None))
    assert ids(found) == []
    assert decide(found).kind in {"idle", "unknown"}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=4, max_size=40), st.integers(1, 64))
def test_load_is_judged_per_cpu(loads, cpus) -> None:
    name = "system.cpu.load_average.1m"
    alone = examination({name: [4 * one for one in loads]}, facts=Facts(1))
    many = examination({name: [4 * one * cpus for one in loads]}, facts=Facts(cpus))
    assert ids(alone) == ids(many)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=30), st.floats(1e6, 1e6 + 1e6))
def test_neither_the_clock_nor_the_order_of_counters_matters(values, later_s) -> None:
    first = samples({AVAILABLE: values, CPU: [value / 1e12 for value in values]})
    moved = [Sample(one.at_s + later_s, dict(reversed(one.values.items()))) for one in first]
    known = Facts(2, 1e12)
    both = [examine(Frame(given), known, "app-server", builtin()) for given in (first, moved)]
    assert ids(both[0]) == ids(both[1])
    assert decide(both[0]).kind == decide(both[1]).kind


def test_one_device_is_enough_and_is_named() -> None:
    values = {
        f"system.disk.queue_length{{system.device={name}}}": length
        for name, length in (("sda", 0.1), ("sdb", 7.0))
    }
    found = examination({**values, QUEUE: 7.1}, facts=NT4)
    finding = next(one for one in found.found if one.rule.id == "I-03")
    assert [one.instance for one in finding.readings] == ["sdb"]
