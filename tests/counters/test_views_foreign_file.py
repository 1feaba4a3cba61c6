"""Files that others name are read without blocking, up to a bound, and not through unsafe links."""

import os
from pathlib import Path

import pytest

from headcount.counters.views.foreign_file import MOST_BYTES, foreign_bytes, foreign_text


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "haproxy.cfg"
    file.write_bytes(b"\xffmaxconn 4\n")
    assert foreign_text(file) == "\ufffdmaxconn 4\n"
    with file.open("wb") as sparse:
        sparse.truncate(10 * MOST_BYTES)
    assert len(foreign_bytes(file)) == MOST_BYTES


def test_nothing_but_a_regular_file_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero"), tmp_path / "absent"):
        with pytest.raises(OSError, match=r"a pipe|a folder|a device|absent"):
            foreign_bytes(path)


def test_links_are_followed_only_where_strangers_cannot_put_them(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    link = tmp_path / "link"
    link.symlink_to("secret")
    assert foreign_text(link) == "secret"
    with pytest.raises(OSError, match="symbolic"):
        foreign_bytes(link, is_shared=True)
