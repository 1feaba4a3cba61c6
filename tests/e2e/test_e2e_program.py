"""Programs on a real Samba: what is counted is what the load file says, to the operation."""

import hashlib
import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from file_server import FileServer
from headcount.bundle import reader
from load_files import CLIENT, lines, played
from processes import Ended, Headcount, phase, wait_for

pytestmark = pytest.mark.e2e

SHORT = ("--ramp", "0s", "--settle", "0s", "--duration", "2s", "--seed", "3")
AT = "\\clients\\client1"
BY_HAND = rf"""# a load file of the tests
Deltree "{AT}" NT_STATUS_OK
Mkdir "\clients" NT_STATUS_OK
NTCreateX "{AT}" 0x1 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "{AT}\A.DAT" 0x40 0x1 7 NT_STATUS_OBJECT_NAME_NOT_FOUND
NTCreateX "{AT}\A.DAT" 0x40 0x2 7 NT_STATUS_OK
WriteX 7 0 65536 65536 NT_STATUS_OK
WriteX 7 69631 1 1 NT_STATUS_OK
ReadX 7 0 61440 61440 NT_STATUS_OK
ReadX 7 100 5000 5000 NT_STATUS_OK
LockX 7 2147483538 1 NT_STATUS_OK
UnlockX 7 2147483538 1 NT_STATUS_OK
Flush 7 NT_STATUS_OK
QUERY_FILE_INFORMATION 7 258 NT_STATUS_OK
SET_FILE_INFORMATION 7 1004 NT_STATUS_OK
Close 7 NT_STATUS_OK
QUERY_PATH_INFORMATION "{AT}\A.DAT" 1004 NT_STATUS_OK
QUERY_PATH_INFORMATION "{AT}\no\B.DAT" 1004 NT_STATUS_OBJECT_PATH_NOT_FOUND
QUERY_FS_INFORMATION 259 NT_STATUS_OK
FIND_FIRST "{AT}\*" 260 1366 3 NT_STATUS_OK
FIND_FIRST "{AT}\<.JNK" 260 1366 0 NT_STATUS_NO_SUCH_FILE
Rename "{AT}\A.DAT" "{AT}\B.DAT" NT_STATUS_OK
Unlink "{AT}\B.DAT" 0x6 NT_STATUS_OK
"""


@pytest.fixture(scope="module")
def headcount(
    tmp_path_factory: pytest.TempPathFactory, file_server: FileServer
) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("programs"))
    command.environment["HEADCOUNT_PASSWORD"] = file_server.password
    yield command
    command.close()


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("load") / "by-hand.txt"
    path.write_text(BY_HAND, "utf-8")
    return path


def replay(headcount: Headcount, target: str, file: Path, *options: str) -> Ended:
    return headcount.run("run", "replay", "--target", target, "--loadfile", str(file), *options)


def totals(bundle: Path) -> tuple[Counter[str], int, int, int]:
    """What a whole run counted, all phases: operations by name, bytes read, written, failures."""
    counts: Counter[str] = Counter()
    moved = {"read_bytes": 0, "written_bytes": 0}
    failed = 0
    for second in reader.load(bundle).seconds:
        for name, figures in second["scenarios"].items():
            counts[name] += figures["completed"]
            failed += figures["failed"]
            for key in moved:
                moved[key] += figures[key]
    counts = Counter({name: count for name, count in counts.items() if count})
    return counts, moved["read_bytes"], moved["written_bytes"], failed


@pytest.mark.parametrize("source", ["by hand", "Debian's"])
def test_what_one_user_did_is_what_the_load_file_says(
    headcount: Headcount, file_server: FileServer, by_hand: Path, source: str
) -> None:
    file = by_hand if source == "by hand" else CLIENT
    ended = replay(headcount, file_server.target, file, "--users", "1", *SHORT, "--json")
    assert ended.code in (0, 4), ended  # a busy machine may spoil the level, not the counts
    bundle = headcount.bundles()[-1]
    counts, read, written, failed = totals(bundle)
    turns = sum(counts.values())
    assert failed == 0
    assert turns > 200
    assert (counts, read, written) == played(lines(file), turns)
    plan = (bundle / "plan.toml").read_text("utf-8")
    assert hashlib.sha256(file.read_bytes()).hexdigest() in plan
    assert "client1" not in plan
    report = re.sub(r"\s+", " ", (bundle / "report.html").read_text("utf-8"))
    assert f"plays the load file {file} (sha256" in report
    assert "QUERY_PATH_INFORMATION" in report


def test_the_terminal_shows_what_dbench_shows(
    headcount: Headcount, file_server: FileServer, by_hand: Path
) -> None:
    ended = replay(headcount, file_server.target, by_hand, "--users", "2", *SHORT)
    assert ended.code in (0, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    for scenario in level["scenarios"]:
        row = next(line for line in ended.out.splitlines() if line.startswith(scenario["name"]))
        assert f"{scenario['completed'] + scenario['failed']:,}" in row.replace("\u202f", ",")
    assert re.search(r"Throughput [\d.,]+ MB/s \(", ended.out), ended.out


def test_a_file_of_another_user_is_never_touched(
    headcount: Headcount, file_server: FileServer, by_hand: Path
) -> None:
    ended = replay(headcount, file_server.target, by_hand, "--users", "3", *SHORT, "--json")
    assert ended.code in (0, 4), ended
    names = {name.split("/")[1] for name in file_server.files() if name.count("/") > 1}
    assert {f"user{user:05}" for user in range(3)} <= names
    assert all(name.startswith("headcount/") for name in file_server.files())
    cleaned = headcount.run("cleanup", "--target", file_server.target, "--json")
    assert cleaned.code == 0, cleaned
    assert file_server.files() == {}


def test_an_unexpected_answer_is_a_failure_with_its_line(
    headcount: Headcount, file_server: FileServer, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(f'Mkdir "{AT}\\a" NT_STATUS_OK\nRmdir "{AT}\\none" NT_STATUS_OK\n', "utf-8")
    ended = replay(headcount, file_server.target, file, "--users", "1", *SHORT, "--json")
    assert ended.code in (1, 4), ended
    (level,) = json.loads((headcount.bundles()[-1] / "levels.json").read_bytes())["levels"]
    (fault,) = level["faults"]
    assert (fault["step"], fault["kind"]) == ("Rmdir", "refused")
    (example,) = fault["examples"]
    assert example.startswith("line 2: Rmdir: ")
    assert "STATUS_OBJECT_NAME_NOT_FOUND" in example


@pytest.fixture(scope="module")
def disk_mix(headcount: Headcount, file_server: FileServer) -> tuple[Ended, Path, dict[str, Any]]:
    ended = headcount.run(
        *("run", "disk-mix", "--target", file_server.target, "--levels", "2,4"),
        *("--workspace", "2MiB", "--ramp", "500ms", "--settle", "0s", "--duration", "4s"),
        *("--seed", "3", "--json"),
    )
    assert ended.code in (0, 4), ended
    bundle = headcount.bundles()[-1]
    return ended, bundle, json.loads((bundle / "levels.json").read_bytes())["levels"][-1]


def test_the_disk_mix_is_played_without_a_failure(
    disk_mix: tuple[Ended, Path, dict[str, Any]],
) -> None:
    _, bundle, level = disk_mix
    assert level["faults"] == []
    counts, _, _, failed = totals(bundle)
    assert failed == 0
    assert len(counts) == 14
    turns = sum(counts.values())
    # Users are in different places of the program, so shares are near its own.
    assert counts["ReadX"] / turns == pytest.approx(0.271, abs=0.04)
    assert counts["NTCreateX"] / turns == pytest.approx(0.173, abs=0.04)


def test_the_score_is_the_most_kb_per_s(disk_mix: tuple[Ended, Path, dict[str, Any]]) -> None:
    ended, bundle, _ = disk_mix
    levels = json.loads((bundle / "levels.json").read_bytes())["levels"]
    if any(level["outcome"] == "invalid" for level in levels):
        assert ended.json["score"] is None
        return
    moved = {
        level["users"]: level["total"]["read_bytes_per_s"] + level["total"]["written_bytes_per_s"]
        for level in levels
    }
    users = max(moved, key=lambda each: moved[each])
    assert ended.json["score"]["value"] == pytest.approx(moved[users] / 1024)
    assert ended.json["score"]["unit"] == "KB/s"
    assert f"that of {users} users" in ended.json["score"]["formula"]
    assert f"KB/s ({moved[users] * 8e-6:.0f}"[:6] in ended.json["sentence"].replace(",", "")


def test_ctrl_c_keeps_what_was_measured_and_cleanup_takes_everything(
    headcount: Headcount, file_server: FileServer
) -> None:
    run = headcount.start(
        *("run", "disk-mix", "--target", file_server.target, "--levels", "2"),
        *("--workspace", "2MiB", "--ramp", "0s", "--settle", "0s", "--duration", "60s"),
    )
    wait_for(lambda: run.process.poll() is not None or phase_of(headcount) == "steady")
    run.send(signal.SIGINT)
    assert run.ended().code == 130
    cleaned = headcount.run("cleanup", "--target", file_server.target, "--json")
    assert cleaned.code == 0, cleaned
    assert file_server.files() == {}


def phase_of(headcount: Headcount) -> str:
    return phase(headcount.bundles()[-1]) if headcount.bundles() else ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "replay", "--target", "lab:samba"), "--loadfile FILE"),
        (("run", "replay", "--loadfile", "/no/file"), "there is no load file /no/file"),
        (("run", "home-folders", "--target", "lab:samba", "--ignore-times"), "belongs to"),
    ],
)
def test_mistakes_are_one_sentence(
    headcount: Headcount, arguments: tuple[str, ...], message: str
) -> None:
    ended = headcount.run(*arguments)
    assert ended.code == 2, ended
    assert message in " ".join(ended.message.split())
