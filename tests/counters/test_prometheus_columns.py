"""Logs of Prometheus read as columns give what each pair of pages says by itself."""

import json
import random
import re
from pathlib import Path
from typing import Any

import prometheus_by_page as by_page
import pytest

from headcount.counters import log
from headcount.counters.log import pieces
from headcount.counters.log.prometheus import pages as prometheus_pages
from headcount.counters.log.prometheus import series as prometheus_series
from headcount.counters.prometheus import exposition
from headcount.counters.prometheus.mapping import exporter_of
from headcount.counters.recording import Recording
from headcount.errors import InputError

PAGES = Path(__file__).with_name("pages")
NODE = """# HELP node_cpu_seconds_total x
node_cpu_seconds_total{cpu="0",mode="idle"} 100
node_cpu_seconds_total{cpu="0",mode="user"} 50
node_cpu_seconds_total{cpu="0",mode="iowait"} 5
node_cpu_seconds_total{cpu="1",mode="idle"} 100
node_cpu_seconds_total{cpu="1",mode="user"} 50
node_cpu_seconds_total{cpu="1",mode="iowait"} 7
node_context_switches_total 1e6
node_memory_MemTotal_bytes 8e9
node_memory_MemAvailable_bytes 4e9
node_memory_MemFree_bytes 1e9
node_memory_Cached_bytes 1e9
node_memory_SwapTotal_bytes 1e9
node_memory_SwapFree_bytes 5e8
node_disk_io_time_seconds_total{device="sda"} 10
node_disk_io_time_seconds_total{device="sdb"} 20
node_disk_io_time_seconds_total{device="dm-0"} 30
node_disk_reads_completed_total{device="sda"} 1000
node_disk_reads_completed_total{device="sdb"} 0
node_disk_read_time_seconds_total{device="sda"} 7
node_disk_read_time_seconds_total{device="sdb"} 0
node_disk_writes_completed_total{device="sda"} 500
node_disk_writes_completed_total{device="sdb"} 3
node_disk_write_time_seconds_total{device="sda"} 9
node_disk_write_time_seconds_total{device="sdb"} 1
node_network_receive_bytes_total{device="eth0"} 1e8
node_network_transmit_bytes_total{device="eth0"} 2e8
node_network_receive_bytes_total{device="lo"} 5e8
node_network_transmit_bytes_total{device="lo"} 5e8
node_network_speed_bytes{device="eth0"} 125000000
node_filesystem_size_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 1e11
node_filesystem_avail_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/"} 3e10
node_time_seconds 1795310000.5
node_uname_info{nodename="db1"} 1
"""


def grown(chance: random.Random, text: str) -> str:
    """The page a while later: most numbers larger, a few the same, reset or absent."""
    lines = []
    for line in text.splitlines():
        key, _, number = line.rpartition(" ")
        if line.startswith("#") or "hostname{" in key or "uname_info{" in key:
            lines.append(line)
            continue
        value = float(number)
        more = chance.choice([0.0, 1.0, chance.random() * 1000, value * chance.random()])
        value = value + more if chance.random() < 0.97 else chance.choice([0.0, value / 2])
        lines.append(f"{key} {value!r}")
    return "\n".join(lines) + "\n"


def pages(chance: random.Random, first: str, number: int) -> dict[float, str]:
    """Pages of which runs have the same lines; some repeat the one before."""
    found: dict[float, str] = {}
    at_s, text = 1_795_310_000.0, first
    lost: set[str] = set()
    for _ in range(number):
        at_s += chance.choice([1.0, 5.0, 0.25])
        text = text if chance.random() < 0.1 else grown(chance, text)
        if chance.random() < 0.2:
            keys = [line.rpartition(" ")[0] for line in text.splitlines() if line[0] != "#"]
            keys = [key for key in keys if "hostname{" not in key and "uname_info{" not in key]
            lost = set(chance.sample(keys, chance.choice([0, 1, 3])))
        kept = [line for line in text.splitlines() if line.rpartition(" ")[0] not in lost]
        if chance.random() < 0.05:
            kept = [re.sub(r" \S+$", " NaN", line) if "free" in line else line for line in kept]
        found[at_s] = "\n".join(kept) + "\n"
    return found


def assert_as_by_page(recording: Recording, texts: dict[float, str]) -> None:
    exporter = exporter_of(exposition.names(next(iter(texts.values()))))
    assert exporter is not None
    was: tuple[float, exposition.Page] | None = None
    expected = {}
    for at_s, text in sorted(texts.items()):
        page = exposition.parse(text)
        if was is not None and was[1] == page:
            continue
        elapsed_s = 0.0 if was is None else at_s - was[0]
        if was is not None:
            clocks = by_page.clock(exporter, was[1]), by_page.clock(exporter, page)
            if clocks[0] is not None and clocks[1] is not None and clocks[1] > clocks[0]:
                elapsed_s = clocks[1] - clocks[0]
        found = by_page.values(exporter, None if was is None else was[1], page, elapsed_s)
        was = at_s, page
        if found:
            expected[at_s] = found
    assert [sample.at_s for sample in recording.samples] == list(expected)
    for sample, values in zip(recording.samples, expected.values(), strict=True):
        assert sample.values.keys() == values.keys()
        assert dict(sample.values) == pytest.approx(values, rel=1e-12)


def matrix(texts: dict[float, str]) -> dict[str, Any]:
    """What a Prometheus that had read these pages would answer."""
    series: dict[tuple[str, exposition.Labels], list[list[Any]]] = {}
    for at_s, text in texts.items():
        for name, found in exposition.parse(text).items():
            for labels, value in found.items():
                series.setdefault((name, labels), []).append([at_s, repr(value)])
    result = [
        {"metric": {"__name__": name, "instance": "a:1", **dict(labels)}, "values": points}
        for (name, labels), points in series.items()
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


FIRST = [NODE, (PAGES / "windows_exporter_0.txt").read_text("utf-8")]


@pytest.mark.parametrize("first", FIRST, ids=["node", "windows"])
@pytest.mark.parametrize("seed", range(5))
def test_pages_and_answers_give_what_each_pair_of_pages_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, seed: int
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(prometheus_pages, "_TOGETHER", chance.choice([1, 3, 1024]))
    monkeypatch.setattr(prometheus_series, "_PIECE", chance.choice([1, 7, 4096]))
    monkeypatch.setattr(pieces, "_CHUNK", chance.choice([500, 1 << 18]))
    texts = pages(chance, first, 60)
    path = tmp_path / "saved"
    path.write_text("".join(f"# headcount page {at_s}\n{text}" for at_s, text in texts.items()))
    (recording,) = log.read(path)
    assert_as_by_page(recording, texts)
    path.write_text(json.dumps(matrix(texts), indent=chance.choice([None, 1])))
    (recording,) = log.read(path)
    assert_as_by_page(recording, texts)


def test_pages_with_timestamps_and_torn_ones_are_read_one_by_one(tmp_path: Path) -> None:
    texts = pages(random.Random(9), NODE, 12)
    written = []
    for number, (at_s, text) in enumerate(texts.items()):
        timed = re.sub(r"$(?<!^)", " 1795310000000", text.rstrip("\n"), flags=re.MULTILINE)
        written.append(f"# headcount page {at_s}\n{timed if number % 3 == 1 else text}\n")
    torn = '# headcount page 1795320000\nnode_load1 1\nnode_cpu_seconds_total{cpu="0\n'
    path = tmp_path / "saved"
    path.write_text("".join([*written, torn, "# headcount page soon\nnode_load1 3\n"]))
    (recording,) = log.read(path)
    assert_as_by_page(recording, texts)
    assert recording.notes[0] == "skipped unreadable pages: 2"


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_cut_anywhere_is_an_error(tmp_path: Path, seed: int) -> None:
    text = json.dumps(matrix(pages(random.Random(1), NODE, 5)))
    cut = random.Random(seed).randrange(80, len(text) - 1)
    path = tmp_path / "saved"
    path.write_text(text[:cut])
    with pytest.raises(InputError, match="not a complete response"):
        log.read(path)
