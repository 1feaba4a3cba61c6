"""Volumes of PCP archives, read by Headcount: always what PCP's own program prints."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headcount.counters import log
from headcount.counters.log.pcp import metrics, volume
from headcount.errors import InputError

METRICS: dict[str, list[Any]] = {
    "kernel.all.cpu.user": ["millisec", True, False, "U64"],
    "kernel.all.cpu.idle": ["millisec", True, False, "64"],
    "kernel.all.load": ["none", False, True, "FLOAT"],
    "kernel.all.runnable": ["none", False, False, "U32"],
    "mem.util.free": ["Kbyte", False, False, "32"],
    "filesys.full": ["none", False, True, "DOUBLE"],
    "disk.dev.read": ["count", True, True, "U32"],
    "disk.dev.write": ["count", True, True, "U64"],
}
DISCRETE: dict[str, list[Any]] = {
    "hinv.ncpu": ["none", "discrete", False, "U32"],
    "mem.physmem": ["Kbyte", "discrete", False, "U64"],
    "network.interface.speed": ["Mbyte / sec", "discrete", True, "FLOAT"],
}
INSTANCES = {
    "kernel.all.load": ("1 minute", "5 minute"),
    "filesys.full": ("/dev/sda1", "odd name - 2"),
    "disk.dev.read": ("sda", "sdb", "dm-0"),
    "disk.dev.write": ("sda", "sdb", "dm-0"),
    "network.interface.speed": ("eth0",),
}


def write(base: Path, described: dict[str, list[Any]], samples: list[Any], version: int) -> Path:
    wanted = {"archive": str(base), "host": "a", "metrics": described, "version": version}
    script = Path(__file__).with_name("pcp_import.py")
    text = json.dumps(wanted | {"samples": samples})
    subprocess.run(["/usr/bin/python3", script], input=text, text=True, check=True, timeout=60)
    return base


def value(chance: random.Random, kind: str) -> float:
    if kind in {"FLOAT", "DOUBLE"}:
        return chance.choice([0.0, 0.1, chance.random() * 100, -2.34567, 1e9 + 0.125])
    most = {"32": 2**31 - 1, "U32": 2**32 - 1, "64": 2**53, "U64": 2**53}[kind]
    return chance.choice([0, 1, 7, chance.randrange(most), most])


def random_samples(
    chance: random.Random, described: dict[str, list[Any]], rows: int, *, gaps: bool
) -> Any:
    """Records with and without each metric and instance, counts that restart, and gaps."""
    samples: list[Any] = []
    at_us = 1_772_438_400_000_000
    for _ in range(rows):
        at_us += chance.choice([1, 4_000, 1_000_000, 1_234_567])
        if gaps and samples and samples[-1][1] is not None and chance.random() < 0.1:
            samples.append([0, None])  # a millisecond after the last record
            at_us += 1_000
        keys = [
            f"{name}-{instance}" if instance else name
            for name in described
            if chance.random() < 0.7
            for instance in INSTANCES.get(name, ("",))
            if not instance or chance.random() < 0.8
        ]
        if keys:
            values = {key: value(chance, described[key.partition("-")[0]][3]) for key in keys}
            samples.append([at_us / 1e6, values])
    return samples


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_table_is_the_one_pmrep_prints(tmp_path: Path, version: int, seed: int) -> None:
    chance = random.Random(seed)
    described = METRICS if seed % 2 else METRICS | DISCRETE
    samples = random_samples(chance, described, 60, gaps=bool(seed % 2))
    base = write(tmp_path / "made", described, samples, version)
    found = metrics.describe(str(base), base, list(described))
    times_s, columns = metrics.logged(str(base), base, found)
    expected_s, expected = metrics.printed(str(base), base, found)
    assert np.array_equal(times_s, expected_s)
    assert list(columns) == list(expected)
    for key, column in expected.items():
        assert np.array_equal(columns[key], column, equal_nan=True), key


def test_several_volumes_are_read_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = [[1772438400.0 + row, {"mem.util.free": row}] for row in range(30)]
    base = write(tmp_path / "made", {"mem.util.free": METRICS["mem.util.free"]}, samples, 2)
    whole = (tmp_path / "made.0").read_bytes()
    label = int.from_bytes(whole[:4])
    part = (len(whole) - label) // 30
    (tmp_path / "made.0").write_bytes(whole[: label + 11 * part])
    (tmp_path / "made.1").write_bytes(whole[:label] + whole[label + 11 * part :])
    monkeypatch.setattr(volume, "_CHUNK", 100)  # so that records lie across chunks
    found = metrics.describe(str(base), base, ["mem.util.free"])
    times_s, columns = metrics.logged(str(base), base, found)
    assert list(times_s) == [at_s for at_s, _ in samples]
    assert list(columns["mem.util.free", None]) == list(range(30))


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_volume_gives_what_pmrep_makes_of_it(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    base = write(tmp_path / "made", METRICS, random_samples(chance, METRICS, 40, gaps=False), 2)
    found = metrics.describe(str(base), base, list(METRICS))
    part = tmp_path / "made.0"
    whole = bytearray(part.read_bytes())
    if seed % 2:
        whole = whole[: chance.randrange(300, len(whole)) | 1]
    else:
        place = chance.randrange(132, len(whole)) // 4 * 4
        whole[place : place + 4] = chance.randbytes(4)
    part.write_bytes(whole)
    try:
        times_s, columns = metrics.logged(str(base), base, found)
    except volume.OddError:
        assert_read_by_pmrep(base)
        return
    expected_s, expected = metrics.printed(str(base), base, found)
    assert np.array_equal(times_s, expected_s)
    for key, column in expected.items():
        assert np.array_equal(columns[key], column, equal_nan=True), key


def assert_read_by_pmrep(base: Path) -> None:
    found = metrics.describe(str(base), base, list(METRICS))
    try:
        expected = metrics.printed(str(base), base, found)[0]
    except InputError:
        with pytest.raises(InputError, match="pmrep"):
            log.read(base)
        return
    assert len(expected) >= len(log.read(base)[0].samples) > 0


def test_unusual_archives_are_left_to_pmrep(tmp_path: Path) -> None:
    samples = [[1772438400.0 + row, {"mem.util.free": row}] for row in range(3)]
    described = {"mem.util.free": METRICS["mem.util.free"]}
    base = write(tmp_path / "made", described, samples, 2)
    found = metrics.describe(str(base), base, list(described))
    (one,) = log.read(base)
    subprocess.run(["xz", tmp_path / "made.0"], check=True)
    with pytest.raises(volume.OddError, match="other files"):
        metrics.logged(str(base), base, found)
    assert log.read(base)[0].samples == one.samples
    subprocess.run(["xz", "-d", tmp_path / "made.0.xz"], check=True)
    for end in ("0", "meta", "index"):
        shutil.copy(tmp_path / f"made.{end}", tmp_path / f"copy.{end}")
    with pytest.raises(volume.OddError, match="several archives"):
        metrics.logged(f"{base},{tmp_path / 'copy'}", base, found)
    gap = [[1772438400.0, {"hinv.ncpu": 2}], [0, None], [1772438401.0, {"mem.util.free": 1}]]
    base = write(tmp_path / "gap", described | DISCRETE, gap, 3)
    found = metrics.describe(str(base), base, ["hinv.ncpu", "mem.util.free"])
    with pytest.raises(volume.OddError, match="a gap"):
        metrics.logged(str(base), base, found)
