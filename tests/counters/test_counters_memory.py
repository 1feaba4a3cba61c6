"""Memory and paging counters on texts of several kernels."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.proc import memory

LINUX_2_6_32 = (
    "MemTotal:       16344972 kB\nMemFree:        13634064 kB\nBuffers:            3656 kB\n"
    "Cached:          1195708 kB\nSwapCached:            0 kB\nSwapTotal:             0 kB\n"
    "SwapFree:              0 kB\nSReclaimable:     159856 kB\nHugePages_Total:       0\n"
)
KIB = 1024


def test_states_add_up_to_all_memory() -> None:
    meminfo = memory.parse(LINUX_2_6_32)
    values = memory.gauges(meminfo)
    states = {name: value for name, value in values.items() if "memory.state" in name}
    assert sum(states.values()) == meminfo["MemTotal"] == 16344972 * KIB
    cached = values["system.memory.usage{system.memory.state=cached}"]
    assert cached == (1195708 + 159856) * KIB


def test_what_an_old_kernel_or_a_machine_without_swap_lacks_is_absent() -> None:
    values = memory.gauges(memory.parse(LINUX_2_6_32))
    assert "system.memory.utilization" not in values
    assert not [name for name in values if "paging" in name]


def test_utilisation_is_the_memory_that_is_not_available() -> None:
    text = "MemTotal: 1000 kB\nMemAvailable: 250 kB\nSwapTotal: 200 kB\nSwapFree: 150 kB\n"
    values = memory.gauges(memory.parse(text))
    assert values["system.memory.utilization"] == pytest.approx(0.75)
    assert values["system.paging.usage{system.paging.state=used}"] == 50 * KIB
    assert values["system.paging.utilization"] == pytest.approx(0.25)


def test_paging_per_second() -> None:
    before = memory.parse_vmstat("pgfault 100\npgmajfault 10\npswpin 4\npswpout 5\noom_kill 3\n")
    after = memory.parse_vmstat("pgfault 300\npgmajfault 60\npswpin 4\npswpout 25\noom_kill 9\n")
    assert memory.delta(before, after, 2.0) == {
        "system.paging.faults{system.paging.fault.type=major}": 25,
        "system.paging.faults{system.paging.fault.type=minor}": 75,
        "system.paging.operations{system.paging.direction=in}": 0,
        "system.paging.operations{system.paging.direction=out}": 10,
        "system.linux.memory.oom_kills": 3,
    }


def test_refaults_by_the_names_of_kernels_before_and_since_5_9() -> None:
    old = memory.refaults({"workingset_refault": 5}, {"workingset_refault": 15}, 2.0)
    assert old == 5 * memory.PAGE_BYTES
    new = memory.refaults(
        {"workingset_refault_file": 5, "workingset_refault_anon": 1},
        {"workingset_refault_file": 15, "workingset_refault_anon": 3},
        2.0,
    )
    assert new == 6 * memory.PAGE_BYTES
    assert memory.refaults({}, {"pgfault": 3}, 1.0) is None


KEYS = ["pgfault", "pgmajfault", "pswpin", "pswpout", "oom_kill"]
KEYS += ["workingset_refault_file", "workingset_refault_anon", "workingset_refault"]
NUMBERS = st.dictionaries(st.sampled_from(KEYS), st.integers(0, 2**64))


@given(NUMBERS, NUMBERS, st.floats(1e-3, 1e6))
def test_no_rate_is_negative_whatever_the_counters_do(
    before: dict[str, int], after: dict[str, int], elapsed_s: float
) -> None:
    values = memory.delta(before, after, elapsed_s)
    assert all(math.isfinite(value) and value >= 0 for value in values.values())
