"""Files that a tuning replaces keep who may read and change them; commands end or say why not."""

import os
import signal
import struct
from pathlib import Path

import pytest

from headcount.errors import SystemLimitError
from headcount.tune.host import ACL, ThisHost

USER, NOBODY = 4242, 0xFFFFFFFF
ENTRIES = ((1, 6, NOBODY), (2, 6, USER), (4, 4, NOBODY), (0x10, 6, NOBODY), (0x20, 0, NOBODY))
"""Owner rw, another user rw, group r, mask rw, others nothing (linux/posix_acl_xattr.h)."""


def test_a_file_keeps_its_access_control_list(tmp_path: Path) -> None:
    file = tmp_path / "smb.conf"
    file.write_bytes(b"before\n")
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in ENTRIES)
    os.setxattr(file, ACL, acl)
    mode = file.stat().st_mode
    ThisHost().write(str(file), b"after\n")
    assert file.read_bytes() == b"after\n"
    assert os.getxattr(file, ACL) == acl
    assert file.stat().st_mode == mode


def test_a_command_that_does_not_end_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    command = ("sh", "-c", f"echo $$ > {file}; exec sleep 60")
    with pytest.raises(SystemLimitError, match=r"sleep 60` did not end within 2 s$"):
        ThisHost().run(command, 2.0)
    assert not Path(f"/proc/{int(file.read_text('ascii'))}").exists()


def test_a_command_whose_server_holds_its_output_says_how_to_start_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    command = ("sh", "-c", f"sleep 60 & echo $! > {file}")
    try:
        with pytest.raises(SystemLimitError, match="has ended, but left a program running"):
            ThisHost().run(command, 2.0)
    finally:
        os.kill(int(file.read_text("ascii")), signal.SIGKILL)
    detached = ThisHost().run(("sh", "-c", f"sleep 60 > /dev/null 2>&1 & echo $! | tee {file}"))
    os.kill(int(file.read_text("ascii")), signal.SIGKILL)
    assert detached.code == 0
    assert detached.output == file.read_text("ascii")
