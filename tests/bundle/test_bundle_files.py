"""Files that a crash may interrupt anywhere: nothing whole is lost, nothing torn is believed."""

import json
import os
import random
from pathlib import Path

import pytest

from headcount.bundle.files import Lines, dump, lock_folder, read_lines, replace
from headcount.errors import InputError, SystemLimitError

WHOLE = [{"n": n, "text": "ü" * n} for n in range(40)]


def write_lines(path: Path) -> bytes:
    lines = Lines(path)
    for value in WHOLE:
        lines.append(dump(value))
    lines.close()
    return path.read_bytes()


def test_each_line_is_in_the_file_when_it_is_appended(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "lines")
    for count, value in enumerate(WHOLE, start=1):
        lines.append(dump(value))
        assert list(read_lines(tmp_path / "lines")) == WHOLE[:count]
    lines.close()


def test_a_file_torn_anywhere_keeps_its_whole_lines_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    content = write_lines(path)
    for cut in random.Random(3).sample(range(len(content)), 100):
        path.write_bytes(content[:cut])
        whole = content[:cut].count(b"\n")
        torn = content[: cut + 1].endswith(b"\n")  # only the newline is missing
        assert list(read_lines(path)) == WHOLE[: whole + torn]
        lines = Lines(path)
        lines.append(dump("next"))
        lines.close()
        assert list(read_lines(path)) == [*WHOLE[:whole], "next"]
        assert path.read_bytes().count(b"\n") == whole + 1


def test_a_torn_line_longer_than_a_block_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'"whole"\n' + b"x" * 200_000)
    Lines(path).close()
    assert path.read_bytes() == b'"whole"\n'
    path.write_bytes(b"x" * 200_000)
    Lines(path).close()
    assert path.read_bytes() == b""


def test_unicode_line_separators_do_not_split_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    value = "one\u2028two\x85three\x0cfour\rfive"
    lines = Lines(path)
    lines.append(dump(value))
    lines.close()
    assert list(read_lines(path)) == [value]


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dump({"mean": float("nan")})


def test_a_full_disk_is_reported_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = Lines(tmp_path / "lines")
    with Path("/dev/full").open("wb", buffering=0) as full, monkeypatch.context() as patch:
        patch.setattr(lines, "_file", full)
        with pytest.raises(SystemLimitError, match=r"write .*/lines: the disk is full .*--runs"):
            lines.append("{}")
    lines.close()


def test_replacing_keeps_the_old_file_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "levels.json"
    replace(path, "old")

    def fails(_handle: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(SystemLimitError, match="the disk is full"):
        replace(path, "new")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace(path, "new")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["levels.json"]


def interrupted(_handle: int) -> None:
    raise KeyboardInterrupt


def test_a_folder_is_locked_once(tmp_path: Path) -> None:
    first = lock_folder(tmp_path)
    with pytest.raises(InputError, match=str(tmp_path)):
        lock_folder(tmp_path)
    os.close(first)
    os.close(lock_folder(tmp_path))


def test_lines_are_json(tmp_path: Path) -> None:
    assert [json.loads(line) for line in write_lines(tmp_path / "a").splitlines()] == WHOLE
