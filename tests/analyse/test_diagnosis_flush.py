"""A server whose only working thread waits for data to reach the disk."""

from collections.abc import Mapping

from diagnosis_levels import diagnosed, ladder

from headcount.bundle.diagnosis import Diagnosis

USERS = (10, 46, 160)
SOME, FULL = (f"cgroup.pressure{{resource=io,kind={kind}}}" for kind in ("some", "full"))
FLUSHING = "process.threads.waiting{wait=sync}"
BUSIEST = "process.cpu.busiest_thread"
REDIS = {FLUSHING: 0.45, BUSIEST: 0.45, SOME: 0.3, FULL: 0.3}
"""What a Redis that flushes each write has shown, roughly: pressure counts part of a flush."""


def with_counters(counters: Mapping[str, float], *per_s: float) -> Diagnosis:
    rates = dict(zip(USERS, per_s, strict=True))
    return diagnosed(ladder(rates, dict.fromkeys(USERS, counters)), 1.0)


def test_a_thread_that_works_and_flushes_all_the_time_waits_for_the_disk() -> None:
    found = with_counters(REDIS, 8500, 25000, 25000)
    assert (found.limit, found.confidence_word) == ("disk", "high")
    assert found.sentence.startswith("The disk, writing: a thread waited for data")
    assert "(fsync) 45.0% of the time" in found.sentence
    assert "above the disk" not in " ".join(one.sentence for one in found.figures)


def test_flushes_in_the_background_are_not_the_limit() -> None:
    found = with_counters(REDIS | {FULL: 0.1}, 8500, 25000, 25000)
    assert found.limit != "disk"


def test_a_thread_with_time_left_does_not_wait_for_its_flushes() -> None:
    found = with_counters(REDIS | {FLUSHING: 0.2, BUSIEST: 0.3}, 8500, 25000, 25000)
    assert found.limit != "disk"


def test_the_load_alone_is_no_proof_on_a_machine_that_changes() -> None:
    levels = ladder({10: 2500.0, 46: 25000.0, 160: 25000.0})
    steady = diagnosed(levels, 1.0)
    again = levels[1].model_copy(update={"index": 4, "achieved_per_s": 14000.0})
    drifted = diagnosed([*levels, again], 1.0)
    assert steady.limit == drifted.limit == "pool"
    assert steady.confidence > 1.5 * drifted.confidence
    assert drifted.confidence_word == "low"
    assert diagnosed([again, *levels], 1.0).doubts == drifted.doubts
