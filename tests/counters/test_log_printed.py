"""The text of sar and mpstat: the same figures as sadf's JSON of the same file."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from headcount.counters import log
from headcount.counters.naming import DEVICE, instance_name
from headcount.counters.recording import Recording
from headcount.errors import InputError

SADC = "/usr/lib/sysstat/sadc"
HEADER = "Linux 6.1.0-42-amd64 (web1) \t{} \t_x86_64_\t(4 CPU)\n\n"
CPU = "{}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"


def printed(*command: object, locale: str = "C", zone: str = "UTC") -> str:
    environment = os.environ | {"LC_ALL": locale, "TZ": zone}
    return subprocess.run(
        [*map(str, command)], env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("printed") / "sa"
    subprocess.run([SADC, "-S", "XALL", "1", "4", path], check=True, timeout=60)
    subprocess.run([SADC, "-C", "the new disk is in", path], check=True, timeout=60)
    return path


def read(folder: Path, text: str) -> Recording:
    path = folder / "slow.txt"
    path.write_text(text, "utf-8")
    (one,) = log.read(path)
    return one


def values(one: Recording, name: str) -> list[float]:
    return [sample.values[name] for sample in one.samples]


def clocks(one: Recording) -> list[str]:
    return [f"{datetime.fromtimestamp(sample.at_s, UTC):%d %H:%M:%S}" for sample in one.samples]


@pytest.mark.parametrize("style", ["C", "iso"])
def test_sars_text_has_the_figures_of_its_json(binary: Path, tmp_path: Path, style: str) -> None:
    environment = ["env", "S_TIME_FORMAT=ISO"] if style == "iso" else []
    text = read(tmp_path, printed(*environment, "sar", "-A", "-C", "-f", binary))
    (tmp_path / "same.json").write_text(printed("sadf", "-j", "-C", binary, "--", "-A"), "utf-8")
    (json,) = log.read(tmp_path / "same.json")
    assert text.format == "sysstat text"
    assert (text.host, text.system) == (json.host, json.system)
    assert [one.at_s for one in text.samples] == [one.at_s for one in json.samples]
    assert len(text.samples) >= 3
    assert len(json.samples[0].values) > 60
    for one, other in zip(text.samples, json.samples, strict=True):
        assert dict(one.values) == pytest.approx(dict(other.values), nan_ok=True)
    assert [one.text for one in text.bookmarks] == ["the new disk is in"]


def test_sections_of_one_sample_after_another(tmp_path: Path) -> None:
    one = read(tmp_path, printed("sar", "-u", "-r", "-d", "-n", "DEV", 1, 2))
    assert len(one.samples) == 2
    for sample in one.samples:
        assert 0 <= sample.values["system.cpu.utilization"] <= 1
        assert sample.values["system.memory.usage{system.memory.state=free}"] > 0
        assert "system.disk.operations" in sample.values


def test_mpstat(tmp_path: Path) -> None:
    one = read(tmp_path, printed("mpstat", "-P", "ALL", 1, 2))
    assert len(one.samples) == 2
    busiest = values(one, "system.cpu.utilization.busiest")
    assert np.all(np.array(busiest) >= np.array(values(one, "system.cpu.utilization")) - 0.01)
    assert one.samples[0].values["system.cpu.logical.count"] == os.cpu_count()


def test_clocks_of_twelve_hours_midnight_and_a_restart(tmp_path: Path) -> None:
    text = (
        HEADER.format("11/28/2026")
        + CPU.format("11:40:01 PM")
        + "11:50:01 PM        all      1.00      0.00      1.00      0.00      0.00     98.00\n"
        + "12:00:01 AM        all      2.00      0.00      1.00      0.00      0.00     97.00\n"
        + "Average:        all      1.50      0.00      1.00      0.00      0.00     97.50\n\n"
        + "12:05:00 AM       LINUX RESTART\t(4 CPU)\n\n"
        + CPU.format("12:05:30 AM")
        + "12:10:01 AM        all      3.00      0.00      1.00      0.00      0.00     96.00\n\n"
        + "11:40:01 PM   runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n"
        + "11:50:01 PM         1       400      0.10      0.20      0.30         0\n"
        + "12:00:01 AM         2       400      0.10      0.20      0.30         0\n"
        + "12:10:01 AM         3       400      0.10      0.20      0.30         0\n"
    )
    one = read(tmp_path, text)
    assert clocks(one) == ["28 23:50:01", "29 00:00:01", "29 00:10:01"]
    assert values(one, "system.cpu.utilization") == pytest.approx([0.02, 0.03, 0.04])
    assert values(one, "system.cpu.runnable") == [1, 2, 3]
    assert values(one, "system.cpu.logical.count") == [4] * 3
    assert [(mark.text, mark.at_s) for mark in one.bookmarks] == [
        ("The machine started.", one.samples[1].at_s + 299)
    ]
    assert "local times of an unknown zone" in one.notes[0]


@pytest.mark.parametrize(
    ("date", "expected"),
    [("2026-11-28", "28"), ("28.11.2026", "28"), ("28/11/26", "28"), ("11/28/26", "28")],
)
def test_dates_and_numbers_of_other_languages(tmp_path: Path, date: str, expected: str) -> None:
    text = (
        HEADER.format(date)
        + CPU.format("00:00:01")
        + "00:10:01        all     10,50      0,00      1,00      0,00      0,00     88,50\n"
        + "Durchschn.:     all     10,50      0,00      1,00      0,00      0,00     88,50\n"
    )
    one = read(tmp_path, text)
    assert clocks(one) == [f"{expected} 00:10:01"]
    assert values(one, "system.cpu.utilization") == pytest.approx([0.115])


def test_days_one_after_another_and_machines(tmp_path: Path) -> None:
    row = "00:10:01        all     10.00      0.00      0.00      0.00      0.00     90.00\n"
    days = [HEADER.format(f"11/{day}/26") + CPU.format("00:00:01") + row for day in (27, 28)]
    path = tmp_path / "all.txt"
    path.write_text("".join(days) + days[0].replace("web1", "web2"), "utf-8")
    one, other = log.read(path)
    assert (one.host, other.host) == ("web1", "web2")
    assert clocks(one) == ["27 00:10:01", "28 00:10:01"]
    assert clocks(other) == ["27 00:10:01"]


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    row = "00:{}0:01        all     10.00      0.00      0.00      0.00      0.00     90.00\n"
    text = HEADER.format("11/28/26") + CPU.format("00:00:01") + row.format(1) + row.format(2)
    assert clocks(read(tmp_path, text[:-20])) == ["28 00:10:01"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("00:10:01        all     10.00      0.00\n", "line 4: a row has 3 values for 7 columns"),
        ("00:10:01 all 9.1% 0 0 0 0 0\n", r'line 4: "9\.1%" is not a number; print it without -h'),
        ("99:10:01 all 1 0 0 0 0 0\n", "line 4: 99:10:01 is no time of a day"),
    ],
)
def test_a_line_that_does_not_fit_is_an_error_with_its_number(
    tmp_path: Path, row: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, HEADER.format("11/28/26") + CPU.format("00:00:01") + row)


def test_a_section_without_known_columns_is_left_out(tmp_path: Path) -> None:
    text = HEADER.format("11/28/26") + "00:00:01 DEV new/s\n00:10:01 sda 1.0\n" + "{}"
    with pytest.raises(InputError, match="no samples of sar"):
        read(tmp_path, text.format(""))
    cpu = CPU.format("00:00:01") + "00:10:01        all 1 0 1 0 0 98\n"
    assert read(tmp_path, text.format(cpu)).unknown == ("DEV new/s",)


def test_a_small_file_with_a_disk_in_each_line_is_refused(tmp_path: Path) -> None:
    rows = (
        f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} d{second} 1.0\n"
        for second in range(20_000)
    )
    text = HEADER.format("11/28/26") + "00:00:00 DEV tps\n" + "".join(rows)
    with pytest.raises(InputError, match="almost all are empty"):
        read(tmp_path, text)


def test_pidstat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no samples of sar.*sadc -S XALL 5 720"):
        read(tmp_path, printed("pidstat", "1", "1"))


@pytest.mark.parametrize("options", [["-xt"], ["-t"], ["-xtm", "-d"], ["-xty"]])
def test_iostat(tmp_path: Path, options: list[str]) -> None:
    text = printed("iostat", *options, 1, 3)
    one = read(tmp_path, text)
    assert len(one.samples) == 2
    names: list[str] = []
    found: dict[str, list[dict[str, float]]] = {}
    for words in (line.split() for line in text.splitlines()):
        if words[:1] == ["Device"]:
            names = words[1:]
        elif words and len(words) == len(names) + 1 and words[0] != "avg-cpu:":
            numbers = map(float, words[1:])
            found.setdefault(words[0], []).append(dict(zip(names, numbers, strict=True)))
    assert found
    for disk, (_, *rows) in found.items():
        for sample, row in zip(one.samples, rows, strict=True):
            done = row["tps"] if "tps" in row else row["r/s"] + row["w/s"]
            name = instance_name("system.disk.operations", DEVICE, disk)
            assert sample.values[name] == pytest.approx(done)
    assert ("system.cpu.utilization" in one.samples[0].values) == ("-d" not in options)


def test_every_column_of_iostat(tmp_path: Path) -> None:
    report = """\
2026-11-28T14:05:0{}+0100
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          10.00    5.00    3.00    2.00    0.00   80.00

Device  r/s  rkB/s  r_await  w/s  wkB/s  w_await  aqu-sz  %util
sda    30.0  100.0     2.00 10.0   50.0     6.00    0.50  40.00

"""
    one = read(tmp_path, HEADER.format("2026-11-28") + "".join(map(report.format, (0, 5))))
    assert clocks(one) == ["28 13:05:05"]
    assert not [note for note in one.notes if "zone" in note]
    found = one.samples[0].values
    assert found["system.cpu.utilization"] == pytest.approx(0.18)
    assert found["system.disk.operations"] == 40
    assert found["system.disk.operation_time"] == pytest.approx(3.0)
    assert found["system.disk.io{disk.io.direction=read}"] == 102_400
    assert found["system.disk.io{disk.io.direction=write}"] == 51_200
    assert found["system.disk.queue_length"] == 0.5
    assert found["system.disk.utilization"] == pytest.approx(0.4)


def test_iostat_without_times_says_how_to_record_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 4: the reports have no times; .* iostat -xt 5"):
        read(tmp_path, printed("iostat", "-x"))
