"""The message for each reason why a file cannot be written."""

import errno
import os
from pathlib import Path

import pytest

from headcount.errors import ExitCode
from headcount.output import error as explaining
from headcount.output.error import write_error


def message(path: Path, code: int, option: str = "--html") -> tuple[int, str]:
    found = write_error(path, OSError(code, os.strerror(code)), option)
    return found.exit_code, str(found)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (errno.ENOSPC, "the disk is full ("),
        (errno.EDQUOT, "your disk quota on "),
        (errno.EROFS, "is on a read-only file system; choose another path with --html"),
        (errno.EACCES, "you have no permission to write to "),
        (errno.EPERM, "you have no permission to write to "),
        (errno.EMFILE, "ulimit -n 65536"),
        (errno.ENFILE, "ulimit -n 65536"),
        (errno.EFBIG, "ulimit -f unlimited"),
        (errno.EIO, "reports an I/O error (dmesg shows it)"),
        (errno.ENXIO, "No such device or address; choose another path with --html"),
    ],
)
def test_reasons_of_the_system_are_named(tmp_path: Path, code: int, text: str) -> None:
    found, sentence = message(tmp_path / "x.html", code)
    assert found == ExitCode.UNSUITABLE
    assert sentence.startswith(f"cannot write {tmp_path / 'x.html'}: ")
    assert text in sentence


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("none/x.html", errno.ENOENT, "there is no folder {0}/none; create it: mkdir -p {0}/none"),
        ("file/x.html", errno.ENOTDIR, "{0}/file is a file, not a folder; choose another path"),
        ("", errno.EISDIR, "this is a folder; choose another path with --html"),
        ("x" * 300, errno.ENAMETOOLONG, "a name in it has 300 bytes, and at most 255 are allowed"),
        ("x", errno.ENAMETOOLONG, "the path is too long"),
        ("x", errno.ELOOP, "its symbolic links go round in a circle"),
    ],
    ids=["no folder", "below a file", "a folder", "long name", "long path", "circle"],
)
def test_a_path_that_is_wrong(tmp_path: Path, name: str, code: int, text: str) -> None:
    (tmp_path / "file").write_text("x")
    found, sentence = message(tmp_path / name, code)
    assert found == ExitCode.BAD_INPUT
    assert text.format(tmp_path) in sentence


def test_a_full_disk_is_named_with_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def figures(_: Path) -> os.statvfs_result:
        return os.statvfs_result((4096, 4096, 100, 5, 3, 50, inodes, inodes, 0, 255))

    monkeypatch.setattr(os, "statvfs", figures)
    monkeypatch.setattr(explaining, "mount_point", lambda _: Path("/data"))
    inodes = 7
    assert "the disk is full (12.0 KiB free on /data); free" in message(tmp_path, errno.ENOSPC)[1]
    inodes = 0
    assert "/data has no inodes left; delete files there" in message(tmp_path, errno.ENOSPC)[1]


def test_the_way_out_is_the_option_or_another_argument(tmp_path: Path) -> None:
    assert message(tmp_path, errno.EROFS, "")[1].endswith("; choose another path")
    assert message(tmp_path, errno.EROFS, "--log")[1].endswith("; choose another path with --log")


def test_a_current_folder_that_was_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found, sentence = message(Path("x.html"), errno.ENOENT)
    assert found == ExitCode.BAD_INPUT
    assert "the current folder has been deleted" in sentence


def test_the_mount_point_of_a_path_that_is_not_there_yet() -> None:
    assert explaining.mount_point(Path("/proc/none/none")) == Path("/proc")
    assert explaining.existing(Path("/proc/none/none")) == Path("/proc")
