"""What a server's machine used, from its raw counters to the figures of the reports."""

from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import on_one_machine
from report_factory import content, environment, level

from headcount.bundle.level import CounterSummary, LevelResult
from headcount.counters.proc.source import HostSource
from headcount.counters.summary import summarise
from headcount.report.html import usage
from headcount.report.resources import Resources, is_over_loopback, network_text, resources

SECTOR_BYTES = 512
MOMENTS_S = (100.0, 101.0, 102.5, 103.0, 106.0)
"""Samples come unevenly, as they do on a busy machine."""

SERVED = [
    (0, 0),
    (400_000, 90_000),
    (1_000_000, 120_000),
    (1_500_000, 500_000),
    (4_800_000, 600_000),
]
"""Bytes the server has sent to and received from its users, at each moment."""

READ_SECTORS = (0, 100, 900, 1000, 7000)
WRITTEN_SECTORS = (0, 40, 50, 60, 5000)
AVAILABLE_KIB = (6000, 5000, 4000, 4000, 2000)
MEMORY_KIB = 8000


def write_machine(root: Path, moment: int, *, loopback: bool) -> None:
    """Write /proc and /sys as they are at a moment.

    The disk has a partition and a device mapper on it, the network card a bridge over it: they
    count the same bytes again. What the server sends to users on its own machine, the loopback
    counts as sent and as received.
    """
    sent, received = SERVED[moment]
    local = sent + received if loopback else 0
    away = (0, 0) if loopback else (received, sent)
    disk = f"9 0 {READ_SECTORS[moment]} 9 9 0 {WRITTEN_SECTORS[moment]} 9 0 9 9"
    interfaces = [("lo", local + 77, local + 77), ("eth0", *away), ("br0", *away)]
    files = {
        "proc/meminfo": f"MemTotal: {MEMORY_KIB} kB\nMemAvailable: {AVAILABLE_KIB[moment]} kB\n",
        "proc/diskstats": "".join(
            f" 8 {number} {name} {disk}\n" for number, name in enumerate(("sda", "sda1", "dm-0"))
        ),
        "proc/net/dev": "one line\nof headings\n"
        + "".join(
            f"{name}: {rx} 1 0 0 0 0 0 0 {tx} 1 0 0 0 0 0 0\n" for name, rx, tx in interfaces
        ),
        "sys/block/sda/device/type": "0\n",
        "sys/block/dm-0/size": "1\n",
        "sys/class/net/eth0/device/vendor": "0x1af4\n",
        "sys/class/net/br0/lower_eth0/mtu": "1500\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def measured_level(root: Path, *, loopback: bool) -> LevelResult:
    """Sample the machine as a run does, and sum the samples up as a level does."""
    now_s = [0.0]
    source = HostSource(
        "sut", fine=False, proc=root / "proc", sys=root / "sys", clock=lambda: now_s[0]
    )
    samples = []
    for moment, at_s in enumerate(MOMENTS_S):
        now_s[0] = at_s
        write_machine(root, moment, loopback=loopback)
        samples.append(source.sample())
    found = {
        name: CounterSummary(mean=one.mean, max=one.maximum, p95=one.p95, samples=one.samples)
        for name, one in summarise(samples).items()
    }
    return level(1, 10).model_copy(update={"counters": {"sut": found}})


def test_every_byte_of_disk_and_network_is_counted_once(tmp_path: Path) -> None:
    length_s = MOMENTS_S[-1] - MOMENTS_S[0]
    disk = (READ_SECTORS[-1] + WRITTEN_SECTORS[-1]) * SECTOR_BYTES / length_s
    network = sum(SERVED[-1]) / length_s
    for loopback in (False, True):
        one = measured_level(tmp_path / str(loopback), loopback=loopback)
        used = resources(one, loopback=loopback)
        assert used.disk_bytes_per_s == pytest.approx(disk)
        assert used.network_bytes_per_s == pytest.approx(network)


def test_traffic_of_other_interfaces_is_not_counted(tmp_path: Path) -> None:
    away = measured_level(tmp_path / "away", loopback=False)
    assert resources(away, loopback=True).network_bytes_per_s == 0
    here = measured_level(tmp_path / "here", loopback=True)
    assert resources(here, loopback=False).network_bytes_per_s == 0


def test_used_memory_is_all_but_what_is_available(tmp_path: Path) -> None:
    used = resources(measured_level(tmp_path, loopback=True), loopback=True)
    # Each sample stands for the time since the one before; the first for as much as their mean.
    spans_s = [1.5, 1.0, 1.5, 0.5, 3.0]
    taken = [MEMORY_KIB - kib for kib in AVAILABLE_KIB]
    mean_kib = sum(a * b for a, b in zip(taken, spans_s, strict=True)) / sum(spans_s)
    assert used.memory_bytes == pytest.approx(mean_kib * 1024)
    assert used.memory_share == pytest.approx(mean_kib / MEMORY_KIB)


def test_figures_without_samples_are_unknown() -> None:
    nothing = level(1, 10).model_copy(update={"counters": {}})
    for loopback in (False, True):
        unknown = Resources(None, None, None, None, None)
        assert resources(nothing, loopback=loopback) == unknown


def test_a_sum_with_a_missing_part_is_unknown() -> None:
    plain = level(1, 10)
    known = {k: v for k, v in plain.counters["sut"].items() if "transmit" not in k}
    lone = plain.model_copy(update={"counters": {"sut": known}})
    assert resources(lone, loopback=False).network_bytes_per_s is None
    assert resources(lone, loopback=True).network_bytes_per_s is not None


def test_only_both_sides_on_one_machine_use_the_loopback() -> None:
    assert not is_over_loopback(environment())
    assert not is_over_loopback(None)
    assert is_over_loopback(on_one_machine().environment)


def test_the_interface_counted_is_named(tmp_path: Path) -> None:
    plain = level(1, 10)
    assert network_text(plain, loopback=False).endswith("without the loopback (eth0)")
    assert "what passed the loopback (lo), each byte counted once" in network_text(
        plain, loopback=True
    )
    several = measured_level(tmp_path, loopback=False)
    assert network_text(several, loopback=False).endswith("leaving out those stacked on others")


def test_columns_without_figures_are_left_out() -> None:
    def headings(*levels: LevelResult) -> list[str]:
        made = usage.columns(replace(content(), levels=levels))
        return [one.column.heading for one in made]

    nothing = level(1, 10).model_copy(update={"counters": {}})
    cpu = level(2, 20)
    cpu = cpu.model_copy(
        update={
            "counters": {
                "sut": {"system.cpu.utilization": cpu.counters["sut"]["system.cpu.utilization"]}
            }
        }
    )
    assert headings(nothing) == []
    assert headings(nothing, cpu) == ["CPU"]
    assert headings(cpu, level(3, 30)) == ["CPU", "Memory", "Disk MB/s", "Network MB/s"]


def test_the_note_says_what_the_figures_cover() -> None:
    assert "which also ran the load generator" in usage.note(on_one_machine())
    assert "load generator" not in usage.note(content())
    nothing = level(1, 10).model_copy(update={"counters": {}})
    assert usage.note(replace(content(), levels=[nothing])).endswith("no counters were sampled.")
