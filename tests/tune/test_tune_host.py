"""Files of this machine that a tuning replaces keep who may read and change them."""

import os
import struct
from pathlib import Path

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
