"""Files and folders that cannot be written: found before the work, with the option to change."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode
from processes import Ended

CHILD = Path(__file__).with_name("on_small_disks.py")
LIGHT = str(Path(__file__).parents[1] / "e2e" / "light.toml")

OUTPUTS: dict[str, tuple[str, ...]] = {
    "run --runs": ("run", LIGHT, "--target", "lab:app", "--users", "1", "--runs", "{0}/runs"),
    "report --output": ("report", "b", "--output", "{0}/r.html"),
    "report --pdf": ("report", "b", "--pdf", "{0}/r.pdf"),
    "compare --html": ("compare", "b", "b", "--html", "{0}/r.html"),
    "compare --pdf": ("compare", "b", "b", "--pdf", "{0}/r.pdf"),
    "gate --junit": ("gate", "b", "--baseline", "b", "--junit", "{0}/r.xml"),
    "price --html": ("price", "a=100", "--cost", "1 USD", "--html", "{0}/r.html"),
    "history --html": ("history", "runs", "--html", "{0}/r.html"),
    "export": ("export", "b", "{0}/r.md"),
    "sort --html": ("sort", "runs", "--sweep", "--html", "{0}/r.html"),
    "diagnose --output": ("diagnose", "nothing.csv", "--output", "{0}/r.html"),
    "watch --log": ("watch", "--plain", "--log", "{0}/r.log"),
    "shares --runs": ("shares", "--target", "lab:samba", "--runs", "{0}/runs"),
    "prepare --folder": ("prepare", "web-static", "--folder", "{0}/pages"),
    "serve app --data": ("serve", "app", "--listen", "127.0.0.1:0", "--data", "{0}/data"),
}
"""A command line of each option that names what is written; {0} is where."""

ON_DISKS = {
    "full": "the disk is full (0 B free on {0}/full); free some space there, or choose another",
    "readonly": "{0}/readonly is on a read-only file system; choose another path",
}
BUNDLES = {
    "report": (("report", "bundle"), "choose another path with --output"),
    "audit --sign": (("audit", "bundle", "--sign", "key"), "copy the bundle to a folder"),
    "resume": (("resume", "bundle"), "copy the bundle to a folder"),
    "run": (("run", LIGHT, "--target", "lab:app", "--runs", "bundle"), "this is a bundle"),
}
FILLED = [
    [
        *("run", LIGHT, "--target", "lab:app", "--runs", "small", "--seed", "1"),
        *("--levels", "1,2,3", "--duration", "1s"),
    ],
    ["sh", "ls -A small/*"],
    ["sh", "mount -o remount,size=8m small"],
    ["sh", "headcount=$(ls -d small/*); ln -s $headcount filled"],
    ["show", "filled"],
    ["resume", "filled"],
]
"""A run whose disk fills up, and what becomes of it when there is space again."""


def lines() -> dict[tuple[str, str], list[str]]:
    """Every command line that the child plays."""
    found = {
        (name, disk): [word.format(disk) for word in line]
        for name, line in OUTPUTS.items()
        for disk in ON_DISKS
    }
    found |= {(name, "bundle"): list(line) for name, (line, _) in BUNDLES.items()}
    return found | {(str(number), "filled"): line for number, line in enumerate(FILLED)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, finished_run: Path) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    shutil.copytree(finished_run, folder / "runs" / "one")
    (folder / "b").symlink_to("runs/one")
    shutil.copytree(finished_run, folder / "bundle")
    (folder / "bundle" / "verdict.json").unlink()  # as of a run that was killed
    return folder


@pytest.fixture(scope="module")
def played(place: Path) -> dict[tuple[str, str], Ended]:
    ended = subprocess.run(
        ["unshare", "--mount", "--map-root-user", sys.executable, str(CHILD), str(place)],
        input=json.dumps(list(lines().values())),
        cwd=place,
        env=os.environ | {"XDG_CACHE_HOME": str(place / "cache"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return dict(zip(lines(), (Ended(**one) for one in json.loads(ended.stdout)), strict=True))


@pytest.mark.parametrize("disk", ON_DISKS)
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_disk_that_takes_nothing(
    place: Path, played: dict[tuple[str, str], Ended], name: str, disk: str
) -> None:
    ended = played[name, disk]
    assert ended.code == ExitCode.UNSUITABLE, ended
    assert ended.out == ""
    message = " ".join(ended.message.split())
    assert message.startswith(f"cannot write {disk}/")
    assert ON_DISKS[disk].format(place) in message
    option = name.rpartition(" ")[2]
    assert message.endswith(f"choose another path with {option}" if "--" in option else " path")


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_that_cannot_be_written(played: dict[tuple[str, str], Ended], name: str) -> None:
    ended = played[name, "bundle"]
    assert ended.code == (ExitCode.BAD_INPUT if name == "run" else ExitCode.UNSUITABLE), ended
    assert BUNDLES[name][1] in ended.message
    assert ended.out == ""


def test_a_disk_that_fills_up_during_a_run(played: dict[tuple[str, str], Ended]) -> None:
    run, left, _, _, shown, resumed = (played[str(n), "filled"] for n in range(len(FILLED)))
    assert run.code == ExitCode.UNSUITABLE, run
    message = " ".join(run.message.split())
    assert re.search(r"the disk is full \((0 B|[\d.]+ KiB) free on", message), message
    assert "start again with another --runs. What was measured is kept" in message
    assert not [name for name in left.out.split() if name.endswith(".new")], left.out
    assert shown.code == 0, shown
    assert resumed.code in (0, 1, 4), resumed
    assert "3 levels" in resumed.out


WRONG = {
    "there": "is a folder",
    "none/r": "there is no folder none",
    "file/r": "file is a file, not a folder",
    "n" * 300: "bytes, and at most 255 are allowed",
    "circle": "its symbolic links go round in a circle",
}
FOLDERS = ("prepare --folder", "serve app --data")
"""Verbs that take a folder, and make it where it is missing."""


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (name, path)
        for name in OUTPUTS
        for path in WRONG
        if "--runs" not in name and not (name in FOLDERS and path in ("there", "none/r"))
    ],
    ids=lambda text: text[:20],
)
def test_a_path_that_is_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    finished_run: Path,
    name: str,
    path: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ending = Path(OUTPUTS[name][-1]).suffix
    (tmp_path / "b").symlink_to(finished_run)
    (tmp_path / "runs").mkdir()
    (tmp_path / f"there{ending}").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / f"circle{ending}").symlink_to(f"circle{ending}")
    before = sorted(tmp_path.iterdir())
    assert run_line([*OUTPUTS[name][:-1], path + ending]) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    assert WRONG[path] in " ".join(shown.err.split())
    assert shown.err.count("error:") == 1
    assert shown.out == ""
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "mine"
