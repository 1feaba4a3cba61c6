"""Preparing a data set, using it in runs, and deleting it: three verbs on one server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount, processes_with

pytestmark = pytest.mark.e2e

LIGHT = str(Path(__file__).with_name("light.toml"))
FOREIGN = "somebody's notes.txt"


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("data_set"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def data(headcount: Headcount) -> Path:
    return headcount.home / "srv" / "data"


@pytest.fixture(scope="module")
def target(headcount: Headcount, data: Path) -> str:
    return headcount.serve(data)[1]


def state(data: Path) -> dict[str, tuple[int, int]]:
    """The inode of each file, and when it was last written."""
    found = {path.name: path.stat() for path in data.glob("client-*.dat")}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in found.items()}


def test_data_is_prepared_once_used_by_runs_and_deleted(
    headcount: Headcount, data: Path, target: str
) -> None:
    prepare = ("prepare", LIGHT, "--target", target, "--seed", "7")
    first = headcount.run(*prepare, "--users", "3", "--json")
    created = {"created_users": 3, "kept_users": 0, "written_bytes": 3 * 65_536}
    assert first.json == {"users": 3, **created, "seed": 7, "scale": 1.0}
    prepared = state(data)
    assert sorted(prepared) == [f"client-00000{user}.dat" for user in range(3)]
    (data / FOREIGN).write_text("not Headcount's")

    assert headcount.run(*prepare, "--users", "3").code == 0
    assert state(data) == prepared

    run = ("run", LIGHT, "--target", target, "--seed", "7", "--duration", "2s")
    assert headcount.run(*run, "--users", "3").code in (0, 4)
    assert state(data) == prepared

    assert headcount.run(*prepare, "--users", "4").code == 0
    grown = state(data)
    assert {name: grown[name] for name in prepared} == prepared
    assert len(grown) == 4

    cleaned = headcount.run("cleanup", "--target", target, "--workload", LIGHT, "--json")
    assert cleaned.code == 0
    assert "4 files" in cleaned.json["cleaned"]
    assert {path.name for path in data.iterdir()} == {FOREIGN, ".headcount"}
    assert (data / FOREIGN).read_text() == "not Headcount's"


def test_another_seed_makes_another_data_set(headcount: Headcount, data: Path, target: str) -> None:
    prepare = ("prepare", LIGHT, "--target", target, "--users", "2")
    assert headcount.run(*prepare, "--seed", "7").code == 0
    before = (data / "client-000000.dat").read_bytes()
    assert headcount.run(*prepare, "--seed", "8").code == 0
    after = (data / "client-000000.dat").read_bytes()
    assert len(after) == len(before)
    assert after != before


def test_a_folder_of_others_is_refused(headcount: Headcount, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("five years of work")
    ended = headcount.run("serve", "app", "--data", str(tmp_path))
    assert ended.code == 2
    assert str(tmp_path) in ended.message
    options = json.dumps({"data": str(tmp_path)})
    labs = [sys.executable, "-m", "headcount.own_server", "app", options]
    lab = subprocess.run(
        labs, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert lab.returncode == 2
    assert lab.stderr.startswith(f"error: {tmp_path} is not empty")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert processes_with(str(tmp_path)) == []


def test_a_lab_server_has_nothing_to_prepare(headcount: Headcount) -> None:
    for target in ("lab:app", "lab:samba"):
        for verb in (("prepare", LIGHT, "--users", "2", "--seed", "1"), ("cleanup",)):
            ended = headcount.run(*verb, "--target", target)
            assert ended.code == 2
            assert "smb://host/share, file:///folder or app://host:port" in ended.message


def test_a_run_is_repeated_from_its_plan(headcount: Headcount, target: str) -> None:
    options = ("--users", "2", "--duration", "2s", "--think", "uniform:50ms..150ms")
    first = headcount.run("run", LIGHT, "--target", target, *options, "--json")
    plan = Path(first.json["bundle"]) / "plan.toml"
    second = headcount.run("run", str(plan), "--json")
    assert second.code in (0, 4), second
    again = Path(second.json["bundle"]) / "plan.toml"
    assert again != plan
    assert again.read_bytes() == plan.read_bytes()
    for option in (("--users", "3"), ("--target", target), ("--seed", "0"), ("--quick",)):
        refused = headcount.run("run", str(plan), *option)
        assert refused.code == 2, option
        assert f"{option[0]} cannot be combined" in refused.message
