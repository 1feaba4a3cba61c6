"""The NT hash, against what was published and against Samba's own."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from headcount._engine import nt_hash


def test_a_hash_published_in_ms_nlmp() -> None:
    # MS-NLMP 4.2.2.1.2, of "Password".
    assert nt_hash("Password") == "A4F49C406510BDCAB6824EE7C30FD852"


@pytest.mark.parametrize("length", [1, 27, 28, 31, 32, 33, 59, 60, 64, 100])
def test_the_hash_matches_sambas(tmp_path: Path, length: int) -> None:
    # A block has 32 of UTF-16's characters; padding needs room for 5 more.
    password = "".join(chr(33 + (7 * n) % 90) for n in range(length - 1)) + "é"
    configuration = tmp_path / "smb.conf"
    configuration.write_text(
        f"[global]\nprivate dir = {tmp_path}\nlock directory = {tmp_path}\n"
        f"state directory = {tmp_path}\ncache directory = {tmp_path}\n"
        f"passdb backend = smbpasswd:{tmp_path}/smbpasswd\n",
        "utf-8",
    )
    user = pwd.getpwuid(os.geteuid()).pw_name
    add = ["pdbedit", "-s", str(configuration), "-a", "-t", "-u", user]
    subprocess.run(
        add, input=f"{password}\n{password}\n".encode(), check=True, capture_output=True, timeout=30
    )
    line = (tmp_path / "smbpasswd").read_text("utf-8").splitlines()[-1]
    assert line.split(":")[0] == user
    assert line.split(":")[3] == nt_hash(password)
