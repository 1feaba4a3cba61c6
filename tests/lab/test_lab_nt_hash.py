"""The NT hash, against what was published and against Samba's own."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from headcount.lab.nt_hash import md4, nt_hash


@pytest.mark.parametrize(
    ("message", "digest"),
    [
        ("", "31d6cfe0d16ae931b73c59d7e0c089c0"),
        ("a", "bde52cb31de33e46245e05fbdbd6fb24"),
        ("abc", "a448017aaf21d8525fc10ae87aa6729d"),
        ("message digest", "d9130a8164549fe818874806e1c7014b"),
        ("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "043f8582f241db351ce627e153e7f0e4",
        ),
        ("1234567890" * 8, "e33b4ddc9c38f2199c3e7b164fcc0536"),
    ],
)
def test_the_vectors_of_rfc_1320(message: str, digest: str) -> None:
    assert md4(message.encode("ascii")).hex() == digest


def test_a_hash_published_in_ms_nlmp() -> None:
    # MS-NLMP 4.2.2.1.2, of "Password".
    assert nt_hash("Password") == "A4F49C406510BDCAB6824EE7C30FD852"


@pytest.mark.parametrize("length", [1, 27, 28, 31, 32, 33, 59, 60, 64, 100])
def test_it_is_what_samba_computes(tmp_path: Path, length: int) -> None:
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
