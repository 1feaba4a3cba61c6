"""The catalogue and the sources agree on names, in both directions."""

from pathlib import Path

import counters_machine as machine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.catalogue import Counter, catalogue, label, lookup
from headcount.counters.generator import GeneratorSource
from headcount.counters.naming import DEVICE, INTERFACE, instance_name, split_instance
from headcount.counters.proc.source import HostSource
from headcount.generator.agent_counters import CLOCK_ERROR, OWN

LOGGED = {
    "system.cpu.interrupts",
    "system.memory.committed",
    "system.memory.commit_limit",
    "system.memory.commit_utilization",
    "system.paging.faults",
    "system.disk.io",
    "system.disk.operations",
    "system.disk.queue_length.current",
    "system.filesystem.usage{system.filesystem.state=free}",
    "system.filesystem.utilization",
    "system.network.io",
    "system.network.speed",
    "system.network.utilization",
    "system.network.utilization.busiest",
}
"""Given by logs of other programs alone; tested with their readers."""


ELSEWHERE = (
    # Of servers, of logs and of fine samples: tested with those.
    *("app.", "web.", "mail.", "dovecot.", "postgresql.", "samba.", "system.windows."),
    *("socket.", "system.network.queue.", "process.threads.", "process.file_locks.", "upstream."),
    *("line.", "haproxy.", "redis.", "php_fpm.", "jvm."),
    "process.cpu.garbage_collection",
)


def sampled() -> dict[str, Counter]:
    """Return the part of the catalogue that live sources of this machine give."""
    return {
        name: entry
        for name, entry in catalogue().items()
        if name not in LOGGED and not name.startswith(ELSEWHERE)
    }


def emitted(root: Path) -> set[str]:
    """Return every name the sources give on a machine that has everything, and on this one."""
    clock = machine.Clock()
    proc, sys = root / "proc", root / "sys"
    full = HostSource("server", [machine.PID], "/lab", fine=False, proc=proc, sys=sys, clock=clock)
    names: set[str] = set()
    for moment in (0, 1):
        machine.write(
            root, machine.host(moment) | machine.process(moment) | machine.cgroup_v2(moment)
        )
        names |= full.sample().values.keys()
        clock.now_s += 1
    for real in (HostSource("host", fine=False), GeneratorSource()):
        for _ in range(2):
            names |= real.sample().values.keys()
        real.close()
    # Of a run by several agents; what they give of their processes is as above.
    return names | {*OWN, CLOCK_ERROR}


def test_counters_of_sources_and_of_the_catalogue_match(tmp_path: Path) -> None:
    names = emitted(tmp_path)
    assert {name for name in names if lookup(name) is None} == set()
    assert sampled().keys() - {split_instance(name)[0] for name in names} == set()


def test_the_catalogue_marks_counters_given_per_device_or_interface(tmp_path: Path) -> None:
    families = set()
    for name in emitted(tmp_path):
        family, instance = split_instance(name)
        if instance is not None and not family.startswith(ELSEWHERE):
            families.add((family, "device" if DEVICE in name else "interface"))
    marked = {(name, entry.per) for name, entry in sampled().items() if entry.per}
    assert families == marked


def test_entries_have_a_short_unique_label_a_meaning_and_a_unit() -> None:
    entries = list(catalogue().values())
    assert len({entry.label for entry in entries}) == len(entries)
    for entry in entries:
        assert len(entry.label) <= 30, entry.name
        assert entry.meaning.endswith("."), entry.name
        assert entry.unit, entry.name


def test_only_shares_have_the_unit_1() -> None:
    shares = {name for name, entry in catalogue().items() if entry.unit == "1"}
    assert {"system.cpu.utilization", "cgroup.cpu.throttled", "process.cpu.run_delay"} <= shares
    assert catalogue()["process.cpu.utilization"].unit == "{cpu}"


def test_labels_name_the_device() -> None:
    assert label("system.disk.utilization{system.device=vda}") == "Disk busy (vda)"
    assert label("system.disk.utilization") == "Disk busy"
    assert label("something.else") == "something.else"


INSTANCES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


@pytest.mark.parametrize("attribute", [DEVICE, INTERFACE])
@given(instance=INSTANCES, family=st.sampled_from(["a.b", "a.b{c=d}", "a.b{c=d,e.f=g}"]))
def test_instance_names_split_into_their_parts(attribute: str, instance: str, family: str) -> None:
    assert split_instance(instance_name(family, attribute, instance)) == (family, instance)
    assert split_instance(family) == (family, None)
