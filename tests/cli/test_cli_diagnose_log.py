"""`headcount diagnose` of logs that could mislead it, as a user types it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from processes import Ended, Headcount

START = datetime(2026, 11, 23, 20, 49, tzinfo=UTC)
NOISE = (0.44, 0.57, 0.49, 0.53, 0.41, 0.60)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory):
    made = Headcount(tmp_path_factory.mktemp("home"))
    yield made
    made.close()


def sar(path: Path, samples: Sequence[Mapping[str, Any]], every_s: float = 1.0) -> Path:
    """Write what `sadf -j` makes of a file of sar's."""
    written = []
    for place, sample in enumerate(samples):
        at = START + timedelta(seconds=place * every_s)
        stamp = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M:%S}", "utc": 1, "interval": 1}
        written.append({"timestamp": stamp, **sample})
    host = {"nodename": "vm", "sysname": "Linux", "number-of-cpus": 2, "statistics": written}
    path.write_text(json.dumps({"sysstat": {"hosts": [host]}}), "utf-8")
    return path


def plain(ran: Ended) -> str:
    """What it printed, without the line ends that a terminal needs."""
    assert ran.code == 0, ran.err
    return " ".join(ran.out.split())


def throttled(stall: float) -> dict[str, Any]:
    """A second with a throttled disk, busy CPUs, and all traffic on the loopback."""
    link = {"iface": "eth0", "rxpck": 0.0, "txpck": 0.0, "rxkB": 0.0, "txkB": 0.0}
    disk = {"disk-device": "vda", "tps": 16.0, "rkB": 0.0, "wkB": 1024.0}
    disk |= {"aqu-sz": 0.02, "await": 1.2, "util-percent": 2.9}
    memory = {"memfree": 20_000_000, "avail": 21_000_000, "memused": 1_000_000}
    memory |= {"memused-percent": 4.2, "buffers": 100, "cached": 2_000_000, "slab": 100}
    return {
        "cpu-load": [{"cpu": "all", "user": 99.0, "system": 1.0, "iowait": 0.0, "idle": 0.0}],
        "disk": [disk],
        "memory": memory,
        "network": {"net-dev": [link], "net-etcp": {"retrans": 0.8}},
        "psi": {"psi-io": {"some_avg": 100 * stall, "full_avg": 0.0}},
    }


def test_a_throttled_disk_is_named_first_and_retransmits_over_no_packets_are_not(
    home: Headcount, tmp_path: Path
) -> None:
    log = sar(tmp_path / "slow.json", [throttled(stall) for stall in NOISE * 5])
    text = plain(home.run("diagnose", str(log)))
    assert "The disks limit this machine." in text
    assert "Tasks wait for I/O much of the time: I/O pressure, some 50.7% on average" in text
    assert "retransmit" not in text
    assert "cable" not in text
    found = json.loads(home.run("diagnose", str(log), "--json").out)["diagnoses"][0]
    assert "H-10" not in {one["rule"] for one in found["findings"]}
    assert found["verdict"]["runner_up"] == "cpu"


def test_two_samples_months_apart_allow_no_conclusion(home: Headcount, tmp_path: Path) -> None:
    """They used to be called "likely idle"."""
    idle = throttled(0.0) | {"cpu-load": [{"cpu": "all", "user": 1.0, "idle": 99.0}]}
    log = sar(tmp_path / "two.json", [idle, idle], every_s=4660 * 3600)
    text = plain(home.run("diagnose", str(log)))
    assert "Nothing can be concluded from 2 samples, 4,660 h apart" in text
    assert "Confidence: none." in text
    assert "idle" not in text
    found = json.loads(home.run("diagnose", str(log), "--json").out)["diagnoses"][0]["verdict"]
    assert (found["kind"], found["samples"], found["apart_s"]) == ("too_few", 2, 4660 * 3600)


def test_a_log_of_one_counter_says_so(home: Headcount, tmp_path: Path) -> None:
    cpu = {"cpu-load": [{"cpu": "all", "idle": 95.0}]}
    text = plain(home.run("diagnose", str(sar(tmp_path / "one.json", [cpu] * 30))))
    assert "The CPU is not the limit. The log does not show whether memory" in text
    assert "The log has one counter, CPU busy. It can prove that the CPU is the limit" in text


def test_a_rule_explains_its_least_count(home: Headcount) -> None:
    text = plain(home.run("diagnose", "--explain", "H-10"))
    assert "Least count: Packets sent at least 100/s, on average" in text
    assert "Disk operations at least 0.5/s" in plain(home.run("diagnose", "--explain", "Disk wait"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("M-02", ["More than 10 pages per second", "headcount knobs apache MaxConnections"]),
        ("a-05", ["advice that rules give", "Today: Put PostgreSQL's", "I-01 Disk time at 67%"]),
        ("A-13", ["a setting of today's", 'headcount knobs samba "strict sync"', "appendix A"]),
        ("T-28", ["of its time", "Today: Linux sizes this table", "Registry Changes"]),
        ("R-06", ["a formula", "Command: headcount storage raid", "docs/storage-formulas.md"]),
        ("M-10", ["a part of Headcount", "rules/decide.py"]),
        ("N-10", ["Find out which program does the I/O", "I-01 Disk time at 67%"]),
        ("Disk wait", ["I-02 above 300 ms"]),
    ],
)
def test_each_kind_of_id_is_explained(home: Headcount, name: str, says: list[str]) -> None:
    ended = home.run("diagnose", "--explain", name)
    assert ended.code == 0
    text = " ".join(plain(ended).split())
    assert [one for one in says if one not in text] == []


def test_an_unknown_id_names_the_nearest(home: Headcount) -> None:
    ended = home.run("diagnose", "--explain", "A-99")
    assert ended.code == 2
    assert "no rule, advice or counter is called `A-99`; the nearest are A-" in ended.err
    assert "the nearest" not in home.run("diagnose", "--explain", "moonlight").err
