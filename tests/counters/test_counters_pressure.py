"""Pressure stall information."""

import pytest

from headcount.counters.proc import pressure

LINUX_4_20 = "some avg10=0.04 avg60=0.08 avg300=0.09 total=2585078\n"
LINUX_6_18 = LINUX_4_20 + "full avg10=0.00 avg60=0.01 avg300=0.10 total=2146070\n"


def test_reads_files_with_and_without_full() -> None:
    assert pressure.parse(LINUX_4_20) == {"some": 2585078}
    assert pressure.parse(LINUX_6_18) == {"some": 2585078, "full": 2146070}
    assert pressure.parse("") == {}


def test_share_of_time_from_the_running_total() -> None:
    before, after = {"some": 1_000_000, "full": 0}, {"some": 1_500_000, "full": 100_000}
    values = pressure.delta(before, after, 2.0, resource="io")
    assert values == {
        "system.linux.pressure{resource=io,kind=some}": pytest.approx(0.25),
        "system.linux.pressure{resource=io,kind=full}": pytest.approx(0.05),
    }


def test_full_cpu_pressure_is_given_for_groups_only() -> None:
    before, after = {"some": 0, "full": 0}, {"some": 0, "full": 500_000}
    assert list(pressure.delta(before, after, 1.0, resource="cpu")) == [
        "system.linux.pressure{resource=cpu,kind=some}"
    ]
    group = pressure.delta(before, after, 1.0, resource="cpu", metric="cgroup.pressure")
    assert group["cgroup.pressure{resource=cpu,kind=full}"] == pytest.approx(0.5)


def test_shares_are_at_most_1_and_absent_after_a_reset() -> None:
    values = pressure.delta({"some": 0}, {"some": 1_002_000}, 1.0, resource="io")
    assert values == {"system.linux.pressure{resource=io,kind=some}": 1.0}
    assert pressure.delta({"some": 9}, {"some": 3}, 1.0, resource="io") == {}
