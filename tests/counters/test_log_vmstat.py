"""The text of vmstat -t, against its own columns."""

import os
import subprocess
from pathlib import Path

import pytest

from headcount.counters import log
from headcount.counters.recording import Recording
from headcount.errors import InputError

NAMES = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st {:>19}
"""
ROW = " 3  1   2048 204800   4096   8192   40    8   100   200  300  400 50 20 15 10  5 {}\n"


def read(folder: Path, text: str) -> Recording:
    path = folder / "vmstat.txt"
    path.write_text(text, "utf-8")
    (one,) = log.read(path)
    return one


@pytest.mark.parametrize("options", [(), ("-w",), ("-a",)])
def test_a_real_one(tmp_path: Path, options: tuple[str, ...]) -> None:
    environment = os.environ | {"TZ": "UTC"}
    command = ["vmstat", "-t", *options, "1", "3"]
    text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    one = read(tmp_path, text.stdout)
    names, *rows = [line.split() for line in text.stdout.splitlines() if "memory" not in line]
    assert len(one.samples) == len(rows) - 1 == 2
    for sample, row in zip(one.samples, rows[1:], strict=True):
        by_name = dict(zip(names, row, strict=False))
        assert sample.values["system.cpu.context_switches"] == float(by_name["cs"])
        free = sample.values["system.memory.usage{system.memory.state=free}"]
        assert free == 1024 * float(by_name["free"])
    assert len(one.notes) == 1


def test_every_column(tmp_path: Path) -> None:
    stamps = ["2026-11-28 23:59:50", "2026-11-28 23:59:55", "2026-11-29 00:00:00"]
    text = NAMES.format("CET") + "".join(map(ROW.format, stamps))
    one = read(tmp_path, text)
    assert [sample.at_s for sample in one.samples] == [1795910395.0, 1795910400.0]
    assert dict(one.samples[0].values) == pytest.approx(
        {
            "system.cpu.runnable": 3,
            "system.cpu.blocked": 1,
            "system.paging.usage{system.paging.state=used}": 2048 * 1024,
            "system.memory.usage{system.memory.state=free}": 204800 * 1024,
            "system.memory.usage{system.memory.state=buffers}": 4096 * 1024,
            "system.paging.operations{system.paging.direction=in}": 10,
            "system.paging.operations{system.paging.direction=out}": 2,
            "system.disk.io{disk.io.direction=read}": 102_400,
            "system.disk.io{disk.io.direction=write}": 204_800,
            "system.disk.io": 307_200,
            "system.cpu.interrupts": 300,
            "system.cpu.context_switches": 400,
            "system.cpu.utilization{cpu.mode=user}": 0.5,
            "system.cpu.utilization{cpu.mode=system}": 0.2,
            "system.cpu.utilization{cpu.mode=idle}": 0.15,
            "system.cpu.utilization{cpu.mode=iowait}": 0.1,
            "system.cpu.utilization{cpu.mode=steal}": 0.05,
            "system.cpu.utilization": 0.75,
        }
    )
    assert any("(CET) are read as UTC" in note for note in one.notes)


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    rows = [ROW.format(f"2026-11-28 10:00:{second:02}") for second in (0, 5, 10)]
    assert len(read(tmp_path, NAMES.format("UTC") + "".join(rows)[:-6]).samples) == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW.format(""), "line 3: the rows have no times; record with: vmstat -t 5 > slow.txt"),
        (ROW.format("noon"), 'line 3: "noon" is not a time'),
        ("x" + ROW.format("2026-11-28 10:00:00"), "line 3: "),
        (ROW.format("2026-11-28 10:00:00"), "has no samples: the first row"),
    ],
)
def test_what_cannot_be_read_is_an_error(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, NAMES.format("UTC") + row)
