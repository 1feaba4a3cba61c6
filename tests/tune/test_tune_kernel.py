"""Kernel settings are changed and put back, in a network namespace of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

CHANGER = Path(__file__).parent / "tune_kernel_changer.py"
SHOW = "cat /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/tcp_rmem"
LONGEST_S = 30.0

# Who is not root makes a network namespace within a namespace of users.
UNSHARE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
NSENTER = ["nsenter"] if os.geteuid() == 0 else ["nsenter", "-U", "--preserve-credentials"]


@pytest.fixture
def namespace() -> Iterator[int]:
    """A process that keeps a network namespace."""
    holder = subprocess.Popen([*UNSHARE, "sleep", "120"])
    try:
        deadline_s = time.monotonic() + LONGEST_S
        own = Path("/proc/self/ns/net").readlink()
        while Path(f"/proc/{holder.pid}/ns/net").readlink() == own:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
        yield holder.pid
    finally:
        holder.kill()
        holder.wait()


def within(namespace: int, *command: str) -> list[str]:
    return [*NSENTER, "-n", "-t", str(namespace), *command]


def test_settings_are_put_back_at_the_end(namespace: int, tmp_path: Path) -> None:
    command = within(namespace, sys.executable, str(CHANGER), str(tmp_path / "journal"), "close")
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST_S)
    before, first, second, after = json.loads(ended.stdout)
    assert first["core/somaxconn"] == "1234\n"
    assert first["ipv4/tcp_rmem"].split()[2] == "9000000"
    assert first["ipv4/tcp_slow_start_after_idle"] == before["ipv4/tcp_slow_start_after_idle"]
    assert second == {**before, "ipv4/tcp_slow_start_after_idle": "0\n"}
    assert after == before


def test_settings_are_put_back_after_a_kill(namespace: int, tmp_path: Path) -> None:
    shown = within(namespace, "sh", "-c", SHOW)
    before = subprocess.check_output(shown, text=True)
    journal = tmp_path / "journal"
    changer = subprocess.Popen(
        within(namespace, sys.executable, str(CHANGER), str(journal), "killed"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert changer.stdout is not None
    assert changer.stdout.readline()
    changer.kill()
    changer.communicate()
    deadline_s = time.monotonic() + LONGEST_S
    while not (journal / "done").exists():
        assert time.monotonic() < deadline_s
        time.sleep(0.1)
    assert subprocess.check_output(shown, text=True) == before


def test_settings_of_a_later_boot_are_kept(namespace: int, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    command = within(namespace, sys.executable, str(CHANGER), str(journal), "close")
    subprocess.run(command, capture_output=True, check=True, timeout=LONGEST_S)
    script = (journal / "restore.sh").read_text()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    (journal / "other.sh").write_text(script.replace(boot, "another boot"))
    path = "/proc/sys/net/core/somaxconn"
    subprocess.run(within(namespace, "sh", "-c", f"echo 777 > {path}"), check=True)
    shown = within(namespace, "cat", path)
    for name, is_kept in (("other.sh", True), ("restore.sh", False)):
        subprocess.run(within(namespace, "sh", str(journal / name)), check=True)
        assert (subprocess.check_output(shown, text=True) == "777\n") == is_kept
