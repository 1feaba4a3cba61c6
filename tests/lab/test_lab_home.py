"""Homes of lab servers: their own, deleted with them, and swept when both owners were killed."""

import os
import pwd
import time
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.lab import home
from headcount.lab.home import Home


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return home.base()


def make_old(folder: Path) -> None:
    """Make a folder look as if it had been made long ago."""
    long_ago_s = time.time() - 2 * home.YOUNG_S
    os.utime(folder, (long_ago_s, long_ago_s))


def test_a_home_is_empty_and_goes_with_everything_in_it(base: Path) -> None:
    mine = Home("app")
    assert mine.path.parent == base
    assert list(mine.path.iterdir()) == []
    (mine.path / "deep").mkdir()
    (mine.path / "deep" / "data").write_bytes(b"1")
    mine.delete()
    assert list(base.iterdir()) == []
    mine.delete()


def test_a_user_without_a_home_folder_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_uid: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(SystemLimitError, match=r"no home folder .*XDG_CACHE_HOME="):
        Home("app")


def test_two_homes_are_different_folders(base: Path) -> None:
    homes = [Home("app"), Home("app")]
    assert len(list(base.iterdir())) == 2
    homes[0].delete()
    assert homes[1].path.is_dir()
    homes[1].delete()


def test_unused_homes_are_swept(base: Path) -> None:
    in_use = Home("app")
    make_old(in_use.path)
    stale = base / "app-of-a-run-that-was-killed"
    young = base / "app-that-begins-just-now"
    other = base / "web-of-another-server"
    for folder in (stale, young, other):
        folder.mkdir()
        (folder / "client-000000.dat").write_bytes(b"1")
    make_old(stale)
    make_old(other)
    link = base / "app-link"
    elsewhere = base.parent / "elsewhere"
    elsewhere.mkdir()
    make_old(elsewhere)
    link.symlink_to(elsewhere)
    mine = Home("app")
    assert set(base.iterdir()) == {in_use.path, young, other, mine.path, link}
    assert elsewhere.is_dir()
    assert (young / "client-000000.dat").exists()
    in_use.delete()
    mine.delete()


def test_a_cache_that_cannot_be_written_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc")
    with pytest.raises(SystemLimitError, match=r"/proc/headcount/lab.*XDG_CACHE_HOME="):
        Home("app")
