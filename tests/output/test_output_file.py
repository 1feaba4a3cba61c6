"""Files that the user names: what is checked before, and what is left after a failure."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from headcount.errors import InputError, SystemLimitError
from headcount.output.file import ensure_folder, ensure_writable, write_output


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_check_leaves_nothing_and_writing_one_file(tmp_path: Path) -> None:
    ensure_writable(tmp_path / "r.html")
    ensure_folder(tmp_path / "not" / "there", "--runs")
    assert names(tmp_path) == []
    write_output(tmp_path / "r.html", "ü")
    assert (tmp_path / "r.html").read_bytes() == "ü".encode()
    assert names(tmp_path) == ["r.html"]


@pytest.mark.parametrize("check", [ensure_writable, lambda path: write_output(path, "x")])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("folder", "this is a folder"),
        ("none/r.html", "there is no folder"),
        ("file/r.html", "file is a file, not a folder"),
        ("n" * 256, "a name in it has 256 bytes"),
        ("circle", "circle"),
    ],
)
def test_a_wrong_path_is_found_by_the_check_and_by_writing(
    tmp_path: Path, check: object, name: str, text: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "circle").symlink_to("circle")
    before = names(tmp_path)
    assert callable(check)
    with pytest.raises(InputError) as raised:
        check(tmp_path / name)
    assert str(raised.value).startswith(f"cannot write {tmp_path / name}: ")
    assert text in str(raised.value)
    assert names(tmp_path) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_files_in_shared_memory_are_replaced() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        with pytest.raises(InputError, match="this is a folder"):
            ensure_writable(Path(folder))
        file = Path(folder) / "r.html"
        write_output(file, "first")
        with file.open() as old:
            write_output(file, "second")
            assert old.read() == "first"
        assert file.read_text() == "second"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link.html").symlink_to("far/r.html")
    write_output(tmp_path / "link.html", "first")
    write_output(tmp_path / "link.html", "second")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "far" / "r.html").read_text() == "second"
    assert names(tmp_path / "far") == ["r.html"]


def test_devices_and_pipes_are_written_into_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ensure_writable(pipe)
        write_output(pipe, "through")
        assert os.read(reader, 100) == b"through"
        assert pipe.is_fifo()
    finally:
        os.close(reader)
    write_output(Path("/dev/null"), "x")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(SystemLimitError, match="cannot write /dev/full: the disk is full"):
        write_output(Path("/dev/full"), "x")
    assert Path("/dev/full").is_char_device()
