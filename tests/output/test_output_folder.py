"""Writing into a folder with traps: whatever they lead to stays as it was."""

import os
import stat
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.output.folder import Folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "mine").write_text("mine")
    return tmp_path / "b"


def plant(path: Path, kind: str) -> None:
    if kind == "a symbolic link":
        path.symlink_to(path.parent.parent / "mine")
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        path.mkdir()


KINDS = ("a symbolic link", "a pipe", "a folder")


@pytest.mark.parametrize("kind", KINDS)
def test_a_trap_is_named_with_the_command_that_removes_it(bundle: Path, kind: str) -> None:
    path = bundle / "x"
    plant(path, kind)
    (bundle / "made").write_text("new")
    remedy = f"mv {path} {path}.old" if kind == "a folder" else f"rm {path}"
    with Folder(bundle) as folder:
        for write in (
            lambda: folder.replace("x", b"evil"),
            lambda: folder.growing("x"),
            lambda: folder.take(bundle / "made", "x"),
            lambda: folder.remove("x"),
        ):
            with pytest.raises(InputError) as raised:
                write()
            text = f"cannot write {path}: this is {kind}, not a file; remove it: {remedy}"
            assert str(raised.value) == text
    assert names(bundle) == ["made", "x"]
    assert (bundle.parent / "mine").read_text() == "mine"


def test_the_command_that_removes_a_trap_is_quoted(bundle: Path) -> None:
    strange = bundle.parent / "b; echo"
    bundle.rename(strange)
    plant(strange / "x", "a pipe")
    with Folder(strange) as folder, pytest.raises(InputError, match=f"rm '{strange}/x'$"):
        folder.replace("x", b"new")


def test_a_hard_link_is_replaced_and_never_written_through(bundle: Path) -> None:
    path = bundle / "x"
    path.hardlink_to(bundle.parent / "mine")
    with Folder(bundle) as folder:
        with pytest.raises(
            InputError, match=r"another name, too \(a hard link\).*cp .*/x .*/x.own"
        ):
            folder.growing("x")
        folder.replace("x", b"new")
        folder.growing("x").close()
    assert path.read_bytes() == b"new"
    assert (bundle.parent / "mine").read_text() == "mine"


@pytest.mark.parametrize("kind", ["a symbolic link", "a pipe", "a hard link"])
def test_a_trap_set_after_the_check_is_not_written_through(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(Folder, "ensure_free", lambda *_: None)
    monkeypatch.setattr(Folder, "ensure_own", lambda *_: None)
    path = bundle / "x"
    if kind == "a hard link":
        path.hardlink_to(bundle.parent / "mine")
    else:
        plant(path, kind)
    with Folder(bundle) as folder:
        with pytest.raises((InputError, OSError)):
            folder.growing("x")
        folder.replace("x", b"new")
    assert path.read_bytes() == b"new"
    assert not path.is_symlink()
    assert (bundle.parent / "mine").read_text() == "mine"


def test_growing_appends_to_the_file(bundle: Path) -> None:
    with Folder(bundle) as folder:
        for line in (b"one\n", b"two\n"):
            with folder.growing("x") as file:
                file.write(line)
    assert (bundle / "x").read_bytes() == b"one\ntwo\n"
    (bundle / "y").touch()
    assert stat.S_IMODE((bundle / "x").stat().st_mode) == stat.S_IMODE(
        (bundle / "y").stat().st_mode
    )


def test_a_failure_leaves_nothing(bundle: Path) -> None:
    (bundle / "x").write_text("old")

    def fail(folder: Folder) -> None:
        with folder.replacing("x") as file, folder.private() as own:
            file.write(b"half")
            (own / "part").write_text("part")
            assert stat.S_IMODE(own.stat().st_mode) == 0o700
            raise KeyboardInterrupt

    with Folder(bundle) as folder, pytest.raises(KeyboardInterrupt):
        fail(folder)
    assert names(bundle) == ["x"]
    assert (bundle / "x").read_text() == "old"


def test_writes_stay_in_the_folder_that_was_opened(bundle: Path) -> None:
    other = bundle.parent / "other"
    other.mkdir()
    with Folder(bundle) as folder:
        bundle.rename(bundle.parent / "moved")
        bundle.symlink_to(other)
        folder.replace("x", b"new")
    assert names(other) == []
    assert names(bundle.parent / "moved") == ["x"]


def test_links_to_the_folder_are_followed(bundle: Path) -> None:
    (bundle.parent / "runs").symlink_to(bundle)
    with Folder(bundle.parent / "runs") as folder:
        folder.replace("x", b"new")
        with folder.private() as own:
            (own / "y").write_text("y")
            folder.take(own / "y", "y")
        folder.ensure_room(bytes(10))
        folder.remove("x")
        folder.remove("none")
    assert names(bundle) == ["y"]
