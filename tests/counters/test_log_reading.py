"""Which reader gets a log, and the error when none does."""

from pathlib import Path

import pytest

from headcount.counters import log
from headcount.errors import InputError


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.csv: no such file"):
        log.read(tmp_path / "gone.csv")


def test_an_empty_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.touch()
    with pytest.raises(InputError, match="the file is empty"):
        log.read(path)


def test_a_file_of_another_kind_is_refused_with_the_known_formats(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary\n")
    with pytest.raises(InputError) as error:
        log.read(path)
    for reader in log.READERS:
        assert reader.FORMAT in str(error.value)


def test_a_binary_log_of_windows_is_refused_with_the_command_that_converts_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "monday.blg"
    path.write_bytes(b"\x00\x10\x00\x00 not text")
    with pytest.raises(InputError, match=r"relog monday\.blg -f csv -o monday\.csv"):
        log.read(path)


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"\xff\xfe", b"{", b'"', b"\x1f\x8b"])
def test_no_reader_crashes_on_unknown_content(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(content)
    with pytest.raises(InputError):
        log.read(path)
