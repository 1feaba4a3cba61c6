"""Files of strangers: only regular ones are opened, and nothing keeps the reader waiting."""

import os
import socket
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.regular import has_regular, open_regular, read_regular


def planted(folder: Path, kind: str) -> Path:
    path = folder / "levels.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
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
def test_whatever_is_no_file_is_named_at_once(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine").write_text("secret")
    path = planted(tmp_path, kind)
    for read in (has_regular, open_regular, read_regular):
        with pytest.raises(InputError, match=f"levels.json cannot be read: it is {KINDS[kind]}, "):
            read(path)


def test_a_device_is_never_opened() -> None:
    with pytest.raises(InputError, match="/dev/zero cannot be read: it is a device, not a file"):
        open_regular(Path("/dev/zero"))


def test_what_takes_a_files_place_meanwhile_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = planted(tmp_path, "pipe")
    monkeypatch.setattr("headcount.regular.has_regular", lambda _: True)
    with pytest.raises(InputError, match="it is a pipe"):
        open_regular(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="symbolic links"):
        open_regular(path)


def test_regular_files_are_read_through_links_that_lead_to_their_folder(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "levels.json").write_bytes(b"{}")
    (tmp_path / "runs").symlink_to("far")
    assert has_regular(tmp_path / "runs" / "levels.json")
    assert read_regular(tmp_path / "runs" / "levels.json") == b"{}"
    assert not has_regular(tmp_path / "runs" / "none")
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "runs" / "none")
