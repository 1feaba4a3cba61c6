"""`headcount sort` as people and programs use it, beside independent computations."""

import re
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import app
from processes import Headcount

QUICK = ("--size", "4MB", "--repeat", "2", "--sortsize", "1MB")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def answer(headcount: Headcount, *arguments: str | Path) -> Any:
    ended = headcount.run("sort", *map(str, arguments), "--json")
    assert ended.code == 0, ended.err
    assert ended.err == ""
    return ended.json


def test_figures_agree_with_what_the_system_counts(headcount: Headcount, folder: Path) -> None:
    found = answer(headcount, folder, *QUICK, "--work", folder)
    data = found["data"]
    assert (data["records"], data["bytes"]) == (4_000_000 // 144, 4_000_000 // 144 * 144)
    (setting,) = found["settings"]
    assert setting["temporary_bytes"] == data["bytes"]
    for trial in setting["trials"]:
        moved = trial["moved"]
        # The rest is the progress that the process reports: some lines.
        assert 0 <= moved["written_bytes"] - trial["written_bytes"] < 10_000
        assert 0 <= moved["read_bytes"] - trial["read_bytes"] < 10_000
        assert trial["written_bytes"] == data["bytes"] + trial["temporary_bytes"]
        assert trial["read_bytes"] == 2 * data["bytes"]
        assert trial["exit_s"] <= trial["durable_s"]
        phases = trial["read_s"] + trial["sort_s"] + trial["runs_s"] + trial["merge_s"]
        assert phases <= trial["exit_s"]
        assert trial["budget"]["runs"] == -(-data["records"] // trial["budget"]["run_records"])
    assert list(folder.iterdir()) == []


def test_limits_hold_and_data_that_fits_writes_nothing(headcount: Headcount, folder: Path) -> None:
    sizes = "2MB,8MB,32MB,64MB"
    found = answer(
        headcount, folder, "--size", "40MB", "--sweep", "--sortsize", sizes, "--repeat", "1"
    )
    data_bytes = found["data"]["bytes"]
    need_bytes = found["memory"]["need_bytes"]
    for setting in found["settings"]:
        limit = setting["sortsize_bytes"]
        # The kernel counts resident memory in batches of some pages for each thread.
        assert setting["used_bytes"] <= limit * 1.05 + 65_536
        fits = limit >= need_bytes
        assert setting["fits"] == fits
        assert setting["temporary_bytes"] == (0 if fits else data_bytes)
        if fits:
            assert setting["used_bytes"] < need_bytes + 1_000_000
        else:
            assert setting["used_bytes"] > limit * 0.9
    assert [setting["fits"] for setting in found["settings"]] == [False, False, False, True]
    (cliff,) = found["cliffs"]
    assert (cliff["largest_spill_bytes"], cliff["fits_bytes"]) == (32_000_000, 64_000_000)


def test_the_need_is_exact(headcount: Headcount, folder: Path) -> None:
    for threads in ("1", "2"):
        arguments = (folder, "--size", "3MB", "--repeat", "1", "--threads", threads)
        need = answer(headcount, *arguments)["memory"]["need_bytes"]
        for size, temporary in ((need, 0), (need - 1, 3_000_000 // 144 * 144)):
            (setting,) = answer(headcount, *arguments, "--sortsize", str(size))["settings"]
            assert setting["temporary_bytes"] == temporary


def test_the_formula_gives_the_value_of_the_paper(headcount: Headcount, folder: Path) -> None:
    memory = answer(headcount, folder, "--repeat", "1", "--no-verify")["memory"]
    assert round(memory["formula_bytes"] / 1e6) == 171  # S-01
    assert memory["formula_bytes"] == pytest.approx(694_444 * (144 + 80) * 1.1, rel=1e-12)
    assert memory["need_bytes"] < memory["formula_bytes"]


def test_the_files_that_are_kept_are_right(headcount: Headcount, folder: Path) -> None:
    mine = folder / "mine"
    mine.write_text("untouched")
    found = answer(headcount, folder, *QUICK, "--keep", "--seed", "3", "--threads", "2")
    data, output = map(Path, found["kept"])
    assert {mine, data, output} == set(folder.iterdir())
    assert mine.read_text() == "untouched"
    size = found["data"]["bytes"]
    assert (data.stat().st_size, output.stat().st_size) == (size, size)
    records = [data.read_bytes()[at : at + 144] for at in range(0, size, 144)]
    assert sum(map(zlib.crc32, records)) == found["data"]["crc_sum"]
    keys = [(key["offset"], key["offset"] + key["length"]) for key in found["data"]["keys"]]
    records.sort(key=lambda record: [record[start:end] for start, end in keys])
    assert output.read_bytes() == b"".join(records)


def test_records_of_a_benchmark_as_gnu_sort_sorts_them(headcount: Headcount, folder: Path) -> None:
    found = answer(headcount, folder, *QUICK, "--records", "100", "--key", "10", "--keep")
    data, output = map(Path, found["kept"])
    command = ["sort", "--stable", "--key=1.1,1.10", str(data)]
    theirs = subprocess.run(
        command, check=True, capture_output=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    )
    assert output.read_bytes() == theirs.stdout


def test_the_same_seed_makes_the_same_data(headcount: Headcount, folder: Path) -> None:
    sums = [answer(headcount, folder, *QUICK, "--seed", seed)["data"]["crc_sum"] for seed in "112"]
    assert sums[0] == sums[1] != sums[2]


def test_runs_in_another_folder(headcount: Headcount, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    found = answer(headcount, folder, *QUICK, "--compare-placement", "--work", other)
    beside, elsewhere = found["settings"]
    assert {beside["work"][0]["folder"], elsewhere["work"][0]["folder"]} == {
        str(folder),
        str(other),
    }
    placement = found["placement"]
    assert placement["same_disk"] == f"{folder} and {other} are on the same file system"
    assert len(placement["beside_s"]) == len(placement["elsewhere_s"]) == 2
    ended = headcount.run("sort", str(folder), *QUICK, "--compare-placement", "--work", str(other))
    assert "Expect no difference" in ended.out


def test_several_folders_take_turns(headcount: Headcount, folder: Path, tmp_path: Path) -> None:
    others = [tmp_path / name for name in ("one", "two")]
    for other in others:
        other.mkdir()
    arguments = [part for other in others for part in ("--work", str(other))]
    (setting,) = answer(headcount, folder, *QUICK, *arguments)["settings"]
    assert [work["folder"] for work in setting["work"]] == list(map(str, others))
    assert all(list(other.iterdir()) == [] for other in others)


def test_people_read_sentences_and_a_page(headcount: Headcount, folder: Path) -> None:
    page = folder / "page.html"
    command = ("sort", str(folder), "--size", "3MB", "--sweep", "--sortsize", "1MB,2MB,8MB")
    ended = headcount.run(*command, "--repeat", "2", "--html", str(page))
    assert ended.code == 0
    assert "everything fits" in ended.out
    assert "Fastest: " in ended.out
    assert len(re.findall(r"^ +\d+ of 6: ", ended.err, re.MULTILINE)) == 6
    assert "<svg" in page.read_text("utf-8")
    single = headcount.run("sort", str(folder), *QUICK)
    assert "Sort size 1.00 MB: it does not fit" in single.out
    assert "Ours: an observation of 144 bytes" in single.out


def test_examples_of_the_help_have_these_options() -> None:
    shown = CliRunner().invoke(app, ["sort", "--help"], env={"COLUMNS": "200"}).output
    before, _, examples = shown.partition("Examples:")
    commands = re.findall(r"headcount sort /\S+(.*)", examples)
    assert len(commands) == 5
    known = set(re.findall(r"--[a-z-]+", before))
    assert set(re.findall(r"--[a-z-]+", "".join(commands))) <= known


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["/nowhere"], 2, "PATH /nowhere cannot be used (No such file or directory)"),
        (["FILE"], 2, "is not a folder"),
        (["FOLDER", "--work", "/nowhere"], 2, "--work /nowhere cannot be used"),
        (["FOLDER", "--sortsize", "1kB"], 2, "a sort size of 1.00 kB is too small: one merge"),
        (["FOLDER", "--sortsize", "1MB,2MB"], 2, "several sizes need --sweep"),
        (["FOLDER", "--sortsize", "much"], 2, '--sortsize is "much"; write it like'),
        (["FOLDER", "--size", "10"], 2, "data of 10 bytes cannot be sorted"),
        (["FOLDER", "--size", "900000GB"], 5, "free, and data, output and runs need"),
        (["FOLDER", "--size", "900000GB", "--sortsize", "900000GB"], 5, "is available; choose"),
        (["FOLDER", "--records", "100"], 2, "give --records and --key together"),
        (["FOLDER", "--records", "100", "--key", "101"], 2, "--key is 101; the key must be"),
        (["FOLDER", "--compare-placement"], 2, "--compare-placement needs --work"),
        (["FOLDER", "--compare-placement", "--work", "FOLDER"], 2, "--work is PATH itself"),
        (["FOLDER", "--compare-placement", "--sweep"], 2, "give either --sweep or"),
        (
            ["FOLDER", "--compare-placement", "--work", "/dev", "--sortsize", "1GB"],
            2,
            "everything fits, and there are no runs to place",
        ),
        (["FOLDER", "--html", "x.html"], 2, "--html needs --sweep"),
        (["FOLDER", "--memory", "20MB"], 2, "--memory leaves no room"),
    ],
)
def test_mistakes_are_reported(
    headcount: Headcount, folder: Path, arguments: list[str], code: int, message: str
) -> None:
    file = folder.parent / "file"
    file.touch()
    named = {"FOLDER": str(folder), "FILE": str(file)}
    ended = headcount.run("sort", *(named.get(part, part) for part in arguments))
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.message
    assert list(folder.iterdir()) == []
