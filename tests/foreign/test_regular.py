"""Files of strangers: only regular ones are opened, and nothing keeps the reader waiting."""

import os
import socket
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.foreign.file import content, has_regular, opened


def decoy(folder: Path, kind: str) -> Path:
    path = folder / "levels.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(str(path))
    else:
        path.symlink_to({"link": folder / "mine", "device": "/dev/zero", "nowhere": "none"}[kind])
    return path


KINDS = {
    "pipe": "a pipe",
    "folder": "a folder",
    "socket": "a socket",
    "link": "a symbolic link",
    "device": "a symbolic link",
    "nowhere": "a symbolic link",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_a_regular_file_is_named_at_once(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine").write_text("secret")
    path = decoy(tmp_path, kind)
    words = f"levels.json cannot be read: it is {KINDS[kind]}, not a file; put the file itself "
    with pytest.raises(InputError, match=words):
        has_regular(path)
    with pytest.raises(InputError, match=words):
        content(path, 99, follow=False)


def test_a_name_that_no_file_can_have_is_an_error() -> None:
    with pytest.raises(InputError, match="users cannot be read: no file can have this name"):
        content(Path("users\0.csv"), 99, what="users")


def test_a_device_is_never_opened() -> None:
    for follow in (True, False):
        with pytest.raises(
            InputError, match="/dev/zero cannot be read: it is a device, not a file"
        ):
            content(Path("/dev/zero"), 99, follow=follow)


def test_a_file_that_is_swapped_in_between_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = decoy(tmp_path, "pipe")
    regular = Path(__file__).stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: regular)
    with pytest.raises(OSError, match="it is a pipe"):
        opened(path, follow=False)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="symbolic links"):
        opened(path, follow=False)


def test_regular_files_are_read_through_links_that_lead_to_their_folder(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "levels.json").write_bytes(b"{}")
    (tmp_path / "runs").symlink_to("far")
    assert has_regular(tmp_path / "runs" / "levels.json")
    assert content(tmp_path / "runs" / "levels.json", 2, follow=False) == b"{}"
    assert not has_regular(tmp_path / "runs" / "none")
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "runs" / "none", follow=False)
