"""What the machine did beside a server, from texts of the kernel and from this machine."""

import mmap
import os
import time
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from headcount.pilot.machine import (
    Places,
    Reading,
    grown,
    parse_interrupt_ticks,
    parse_interrupts,
    reading,
)
from headcount.pilot.work import faults, watch

INTERRUPTS = """\
           CPU0       CPU2
 36:          0     137501 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
 38:          7      14214 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0
 39:       6298          0 PCI-MSIX-0000:00:03.0   2-edge      virtio2-output.0
NMI:          0          0   Non-maskable interrupts
ERR:          0
"""
STAT = """\
cpu  100 0 100 1000 0 30 12 0 0 0
cpu0 50 0 50 500 0 10 4 0 0 0
cpu2 50 0 50 500 0 20 8 0 0 0
intr 12345 0 0
"""
MEMINFO = """\
MemTotal:       24683000 kB
Dirty:            205504 kB
Writeback:          1024 kB
WritebackTmp:       4444 kB
"""
PRESSURE = """\
some avg10=1.52 avg60=2.74 avg300=2.69 total=27074645
full avg10=0.00 avg60=0.00 avg300=0.00 total=55
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for name, text in (
        ("interrupts", INTERRUPTS),
        ("stat", STAT),
        ("meminfo", MEMINFO),
        ("pressure", PRESSURE),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_counters_of_the_kernel_are_read(proc: Path) -> None:
    places = Places((38, 39, 99), str(proc / "pressure"))
    assert reading(places, str(proc)) == Reading(
        (205504 + 1024) * 1024,
        {0: 6305, 2: 14214},
        {0: 14, 2: 28},
        27074645,
    )
    assert reading(Places(), str(proc)).interrupts == {}
    assert reading(Places(memory_pressure=str(proc / "gone"))).stalled_us is None


def test_truncated_texts_are_read() -> None:
    assert parse_interrupts(INTERRUPTS)[38] == {0: 7, 2: 14214}
    assert sorted(parse_interrupts(INTERRUPTS)) == [36, 38, 39]
    assert parse_interrupts("") == {}
    assert parse_interrupts(INTERRUPTS[:43]) == {}
    assert parse_interrupt_ticks("cpu0 1 2 3\ncpux 1 2 3 4 5 6 7 8\n") == {}
    assert grown({0: 5}, {0: 7, 1: 3}) == {0: 2, 1: 3}
    assert grown({0: 5}, {0: 3}) == {0: 0}  # it was reset


def test_pages_that_are_read_from_a_disk_again_are_counted() -> None:
    """A file that is dropped from memory, and read through a mapping."""
    own = os.getpid()
    before = faults([own])
    with TemporaryFile(dir="/var/tmp") as opened:  # /tmp may be in memory
        opened.write(os.urandom(4 << 20))
        opened.flush()
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        with mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            mapped.madvise(mmap.MADV_RANDOM)  # one page at a time
            total = sum(mapped[at] for at in range(0, len(mapped), 4096))
    assert total > 0
    assert faults([own])[own] - before[own] >= 100
    assert faults([0]) == {}


def test_watching_this_process() -> None:
    work = watch([os.getpid()], 0.5, lambda wait_s: bool(_spin(wait_s)))
    assert work is not None
    assert set(work.runnable) <= set(range(os.cpu_count() or 1))
    assert work.dirty_bytes >= 0
    assert work.interrupts == {}
    assert work.stalled_s is None
    assert set(work.interrupt_s) == set(parse_interrupt_ticks(Path("/proc/stat").read_text()))
    assert sum(work.runnable.values()) > 0  # it was running when it looked


def _spin(wait_s: float) -> None:
    end_s = time.monotonic() + wait_s
    while time.monotonic() < end_s:
        sum(range(1000))
