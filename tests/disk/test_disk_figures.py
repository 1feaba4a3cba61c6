"""Figures of a cell, worked out by hand; the grid; doubts; where a folder lies."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from headcount.disk import benchmark_result, grid, settings
from headcount.disk.cell import Block, Cell, block_text, unit_bytes
from headcount.disk.doubts import doubts
from headcount.disk.place import Place, memory_bytes, place
from headcount.disk.result import Figures, mean_busy
from headcount.errors import InputError

Make = Callable[[Sequence[int]], Figures]


def test_rates_are_per_second_and_mb_decimal(measured: Make) -> None:
    one = replace(measured([4096 * 100] * 10), seconds=2.0, writes=500, written_bytes=500 * 8192)
    assert one.ios == 1500
    assert one.iops == 750
    assert one.mb_per_s == pytest.approx((1000 * 4096 + 500 * 8192) / 2 / 1e6)
    assert one.cpu_us_per_io == pytest.approx(0.5e6 / 1500)
    assert one.mb_per_cpu_s == pytest.approx((1000 * 4096 + 500 * 8192) / 1e6 / 0.5)
    assert statistics.fmean(one.batches_mb_per_s) == pytest.approx(4096 * 1000 / 2 / 1e6)


def test_without_transfers_figures_are_missing_and_not_zero(measured: Make) -> None:
    none = replace(measured([0] * 10), process_cpu_s=0.0, machine_busy=None)
    assert none.cpu_us_per_io is None
    assert none.mb_per_cpu_s is None
    assert none.others_busy(2) is None
    assert mean_busy([none]) is None
    row = dict(zip(benchmark_result.COLUMNS, benchmark_result.row(none), strict=True))
    assert row["CPU"] == row["CPU/IO"] == row["\N{PLUS-MINUS SIGN}"] == "\N{EN DASH}"


def test_cpu_of_others_is_the_total_less_ours(measured: Make) -> None:
    one = measured([4096] * 10)  # 0.5 s of 2 processors in 1 s: a quarter of the machine
    assert one.others_busy(2) == pytest.approx(0.4 - 0.25)
    assert one.others_busy(1) == 0
    assert mean_busy([one, replace(one, machine_busy=0.8)]) == pytest.approx(0.6)


def test_the_grid_is_every_combination_once() -> None:
    full = grid.FULL
    cells = grid.cells(grid.PATTERNS, full.blocks_bytes, full.threads, full.depths)
    assert len(cells) == len(set(cells)) == 4 * 4 * 4 * 2
    assert {cell.threads for cell in cells} == {1, 2, 4, 8}
    assert {cell.depth for cell in cells} == {1, 8}
    assert {cell.largest_bytes // 1024 for cell in cells} == {4, 16, 64, 256}
    assert cells[0].name == "4 KiB sequential read, 1 thread, depth 1"
    quick = grid.QUICK
    few = grid.cells(grid.PATTERNS, quick.blocks_bytes, quick.threads, quick.depths)
    assert set(few) < set(cells)
    for usual, made in ((full, cells), (quick, few)):
        assert settings.whole(usual.size_bytes, made) == usual.size_bytes


@pytest.mark.parametrize("name", grid.PRESETS)
def test_the_shares_of_a_preset_are_percent(name: str) -> None:
    preset = grid.PRESETS[name]
    assert sum(block.share for block in preset.blocks) == pytest.approx(100)
    made = grid.preset_cells(name, [1, 2], [4])
    assert [cell.threads for cell in made] == [1, 2]
    assert preset.origin


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(InputError, match="fileserver, database, webserver"):
        grid.preset_cells("mailserver", [1], [1])


def test_the_unit_divides_every_block(cell: Cell) -> None:
    assert unit_bytes([cell]) == 4096
    assert unit_bytes([cell, replace(cell, blocks=(Block(6144),))]) == 2048
    assert unit_bytes(grid.preset_cells("fileserver", [1], [1])) == 512
    assert [block_text(size) for size in (512, 4096, 2 << 20)] == ["512 B", "4 KiB", "2 MiB"]


def test_a_test_file_is_rounded_up_and_must_hold_the_largest_cell(cell: Cell) -> None:
    assert settings.whole(1, [cell]) == 1 << 20
    assert settings.whole((1 << 20) + 1, [cell]) == 2 << 20
    wide = replace(cell, blocks=(Block(256 << 10),), threads=8)
    with pytest.raises(InputError, match="--size 32MiB is the least"):
        settings.whole(31 << 20, [cell, wide])
    assert settings.whole(32 << 20, [cell, wide]) == 32 << 20


@pytest.mark.parametrize("text", ["", "1,", "0", "1,x", "-1", "5000", "1.5"])
def test_invalid_numbers_say_how_to_write_them(text: str) -> None:
    with pytest.raises(InputError, match="write it like 1,2,4,8"):
        settings.numbers(text, "--threads")
    assert settings.numbers("4, 1,4", "--threads") == (4, 1)


def usual_settings(**other: object) -> settings.Settings:
    made = settings.Settings(
        folder=Path("/data"),
        size_bytes=1 << 30,
        direct=True,
        sync=False,
        verify=False,
        engine="threads",
        seed=1,
        seconds=1.0,
        warm_up_s=0.1,
    )
    return replace(made, **other)  # type: ignore[arg-type]


def test_doubts_are_reported_if_there_are_any(measured: Make) -> None:
    quiet = replace(measured([4096] * 10), machine_busy=0.3)
    assert doubts(usual_settings(), "disk", 1 << 34, [quiet], 2) == []
    assert "memory" in doubts(usual_settings(), "memory", 1 << 34, [quiet], 2)[0]
    assert "network" in doubts(usual_settings(), "elsewhere", 1 << 34, [quiet], 2)[0]
    cached = doubts(usual_settings(direct=False), "disk", 1 << 34, [quiet], 2)[0]
    assert "1.00 GiB" in cached
    assert "16.0 GiB" in cached
    assert (
        "some of the reads" in doubts(usual_settings(direct=False), "disk", 1 << 20, [quiet], 2)[0]
    )
    loud, full = doubts(usual_settings(), "disk", 1 << 34, [replace(quiet, machine_busy=0.97)], 2)
    assert "72.0% of the machine" in loud
    assert "In 1 of 1 cells" in full


def test_a_folder_is_found_on_its_mount(tmp_path: Path) -> None:
    number = tmp_path.stat().st_dev
    device = f"{number >> 8 & 0xFFF}:{number & 0xFF}"
    proc, sys = tmp_path / "proc", tmp_path / "sys"
    (proc / "self").mkdir(parents=True)
    block = sys / "dev" / "block" / device
    (block / "queue").mkdir(parents=True)
    (block / "device").mkdir()
    (block / "queue" / "rotational").write_text("0\n")
    (block / "device" / "model").write_text("Fast One  \n")
    mounts = [
        "20 1 0:19 / / rw - overlay overlay rw",
        f"30 20 {device} / {tmp_path} rw shared:1 - ext4 /dev/my\\040disk rw",
        "31 20 0:55 / /elsewhere rw - tmpfs tmpfs rw",
        "nonsense",
    ]
    (proc / "self" / "mountinfo").write_text("\n".join(mounts))
    found = place(tmp_path, proc, sys)
    assert found == Place(str(tmp_path), "ext4", "/dev/my disk", "Fast One", rotational=False)
    assert found.words == "ext4 on /dev/my disk (Fast One)"
    nothing = place(tmp_path, tmp_path / "none", tmp_path / "none")
    assert nothing == Place(None, None, None, None, None)
    assert nothing.words == "an unknown file system"


def test_memory_is_that_of_the_machine() -> None:
    text = Path("/proc/meminfo").read_text("ascii")
    assert memory_bytes() == int(text.split()[1]) * 1024
