"""`lab:files`: a folder of its own, on the disk that was chosen, and nothing of it afterwards."""

import os
import time
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.lab import home
from headcount.lab.files import AROUND
from headcount.protocols.registry import start_lab


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return home.base()


def test_the_folder_is_in_the_cache_by_default(base: Path) -> None:
    server = start_lab("files", {})
    folder = Path(server.address)
    assert folder.is_dir()
    assert folder.parent == base
    assert server.pids == []
    (folder / "data").write_bytes(b"1")
    server.stop()
    assert list(base.iterdir()) == []
    server.stop()


def test_the_folder_is_on_the_chosen_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "files-of-mine").mkdir()
    os.utime(disk / "files-of-mine", (0, 0))
    server = start_lab("files", {"path": str(disk)})
    assert Path(server.address).parent == disk / AROUND
    assert server.settings == {"path": str(disk)}
    server.stop()
    assert [path.name for path in disk.iterdir()] == ["files-of-mine"]


def test_only_remains_of_killed_runs_are_removed(tmp_path: Path) -> None:
    left = tmp_path / AROUND / "files-left"
    left.mkdir(parents=True)
    other = tmp_path / AROUND / "letters"
    other.mkdir()
    long_ago_s = time.time() - 2 * home.YOUNG_S
    for path in (left, other):
        os.utime(path, (long_ago_s, long_ago_s))
    server = start_lab("files", {"path": str(tmp_path)})
    server.stop()
    assert [path.name for path in (tmp_path / AROUND).iterdir()] == ["letters"]


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"path": "relative"}, "absolute path"),
        ({"path": "/nobody/has/this"}, "must be the absolute path of an existing folder"),
        ({"path": "/proc"}, 'path is "/proc", where no folder can be created'),
        ({"paths": "/mnt"}, "lab:files has no setting paths; it has: path"),
    ],
)
def test_mistakes_are_reported(settings: dict[str, str], part: str) -> None:
    with pytest.raises(InputError) as caught:
        start_lab("files", settings)
    assert part in str(caught.value)
