"""sadf's JSON read as columns gives what each sample says by itself, however they differ."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from sysstat_by_sample import figures

from headcount.counters import log
from headcount.counters.log import pieces, sysstat
from headcount.errors import InputError

CPU = {"cpu": "all", "user": 9.5, "nice": 0.0, "system": 2.0, "iowait": 1.5, "steal": 0, "idle": 87}
MEMORY = {
    "memfree": 100,
    "avail": 600,
    "memused": 500,
    "memused-percent": 50.0,
    "buffers": 100,
    "cached": 200,
    "slab": 100,
    "swpfree": 70,
    "swpused": 30,
    "swpused-percent": 30.0,
}
DISK = {"tps": 30.5, "rkB": 3, "wkB": 1.25, "aqu-sz": 2, "await": 10.1, "util-percent": 80}
LINK = {"rxpck": 1, "txpck": 2, "rxkB": 3.5, "txkB": 4, "ifutil-percent": 12.5}


def figure(chance: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Some of the fields with other values, a few of them null or 0."""
    return {
        name: value
        if isinstance(value, str)
        else chance.choice([0, 0.0, 7, round(chance.random() * 100, 2), value, value])
        for name, value in fields.items()
    }


def with_gaps(chance: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    found = figure(chance, fields)
    if chance.random() < 0.2:
        found.pop(chance.choice(list(found)))
    if chance.random() < 0.1:
        found[chance.choice(list(found))] = None
    return found


def sample(chance: random.Random, row: int) -> dict[str, Any]:
    stamp = {"date": "2026-03-02", "time": f"09:{row // 60:02}:{row % 60:02}", "utc": 1}
    disks = [
        {"disk-device": name, **with_gaps(chance, DISK)}
        for name in ("sda", "sdb", "dm-0")
        if chance.random() < 0.6
    ]
    links = [
        {"iface": name, **with_gaps(chance, LINK)}
        for name in ("lo", "eth0", "eth1")
        if chance.random() < 0.7
    ]
    sections: dict[str, Any] = {
        "cpu-load": [figure(chance, CPU), figure(chance, CPU | {"cpu": "0"})][: 1 + row % 2],
        "paging": with_gaps(chance, {"fault": 9.5, "majflt": 1.5}),
        "memory": figure(chance, MEMORY),
        "io": {"tps": 3.0, "io-reads": with_gaps(chance, {"rtps": 1, "bread": 2.5})},
        "interrupts": [{"intr": "sum", "value": 5.5 + row}, {"intr": "0", "value": 1}],
        "disk": disks,
        "network": {"net-dev": links, "net-edev": [{"iface": "eth0", "rxerr": row}]},
        "filesystems": [{"filesystem": "/dev/sda1", "%fsused": 10 + row % 3}],
        "of-no-interest": [row, {"x": None}],
    }
    kept = {name: one for name, one in sections.items() if chance.random() < 0.85}
    return {"timestamp": stamp} | kept


def alike(chance: random.Random, rows: int, start: int = 0) -> list[dict[str, Any]]:
    """Samples of one shape, as most logs have them."""
    disks = [{"disk-device": "sda", **DISK}, {"disk-device": "sdb", **DISK}]
    first = sample(random.Random(1), 0) | {"cpu-load": [CPU], "memory": MEMORY, "disk": disks}

    def other(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: other(one) for key, one in value.items()}
        if isinstance(value, list):
            return [other(one) for one in value]
        return round(chance.random() * 50, 2) if isinstance(value, float) else value

    stamps = [sample(random.Random(1), start + row)["timestamp"] for row in range(rows)]
    return [other(first) | {"timestamp": stamp} for stamp in stamps]


def write(path: Path, *machines: list[dict[str, Any]], indent: int | None = None) -> Path:
    restarts = [{"boot": {"date": "2026-03-02", "time": "09:00:30", "utc": 1}}]
    comments = [{"comment": {"date": "2026-03-02", "time": "09:00:10", "utc": 1, "com": "slow"}}]
    hosts = [
        {"nodename": f"db{place}", "sysname": "Linux", "number-of-cpus": 2, "statistics": samples}
        | {"restarts": restarts, "comments": comments}
        for place, samples in enumerate(machines)
    ]
    path.write_text(json.dumps({"sysstat": {"hosts": hosts}}, indent=indent))
    return path


def assert_as_by_sample(path: Path, *machines: list[dict[str, Any]]) -> None:
    recordings = log.read(path)
    assert len(recordings) == len(machines)
    for recording, samples in zip(recordings, machines, strict=True):
        assert len(recording.samples) == len(samples)
        for found, written in zip(recording.samples, samples, strict=True):
            expected = figures(written)
            for name, value in expected.items():
                if name.startswith("system.network.utilization"):
                    continue  # it is dropped for links without a speed
                assert found.values.get(name) == pytest.approx(value, rel=1e-12), name
            for name in found.values.keys() - expected.keys():
                made = ("system.network.", "system.memory.", "system.disk.", "system.cpu.logical")
                assert name.startswith(made), name  # by `derive`, from others
        assert [mark.text for mark in recording.bookmarks] == ["slow", "The machine started."]


@pytest.mark.parametrize("seed", range(8))
def test_samples_that_differ_give_what_each_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    one = [sample(chance, row) for row in range(80)]
    other = (
        alike(chance, 40) + [sample(chance, row) for row in range(40, 60)] + alike(chance, 3, 60)
    )
    monkeypatch.setattr(pieces, "_CHUNK", chance.choice([700, 5_000, 1 << 20]))
    monkeypatch.setattr(pieces, "_PIECE", chance.choice([2_000, 1 << 18]))
    monkeypatch.setattr(sysstat, "_TOGETHER", chance.choice([1, 7, 1024]))
    path = write(tmp_path / "x.json", one, other, indent=chance.choice([None, 1]))
    assert_as_by_sample(path, one, other)


def test_text_that_only_one_decoder_accepts_is_read(tmp_path: Path) -> None:
    samples = alike(random.Random(3), 50)
    path = write(tmp_path / "x.json", samples)
    lone = r'"of-no-interest": ["\ud800", '
    path.write_text(path.read_text().replace('"of-no-interest": [', lone, 1))
    assert_as_by_sample(path, samples)


@pytest.mark.parametrize("seed", range(8))
def test_a_file_cut_anywhere_gives_the_samples_before_or_an_error(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    samples = alike(chance, 30)
    text = write(tmp_path / "x.json", samples).read_text()
    cut = chance.randrange(text.index("statistics") + 20, text.index('"restarts"') - 10)
    (tmp_path / "x.json").write_text(text[:cut])
    with pytest.raises(InputError, match="not a complete output of sadf"):
        log.read(tmp_path / "x.json")


@pytest.mark.parametrize("damage", ["?", "{", '"', "}", ":", "}, {"])
def test_damage_in_the_middle_is_an_error(tmp_path: Path, damage: str) -> None:
    samples = alike(random.Random(0), 30)
    text = write(tmp_path / "x.json", samples).read_text()
    at = text.index('"paging"', len(text) // 2)
    (tmp_path / "x.json").write_text(text[:at] + damage + text[at:])
    with pytest.raises(InputError, match="not a complete output of sadf"):
        log.read(tmp_path / "x.json")
