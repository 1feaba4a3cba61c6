"""The system calls that the engine counts are those that strace sees."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

SCRIPT = Path(__file__).parent / "files_played.py"
NAMES = {
    "openat2": "openat2",
    "close": "close",
    "pread64": "pread",
    "pwrite64": "pwrite",
    "fsync": "fsync",
    "getdents64": "getdents",
    "statx": "statx",
    "fstatfs": "fstatfs",
    "fgetxattr": "fgetxattr",
    "flistxattr": "flistxattr",
    "renameat2": "renameat2",
    "unlinkat": "unlinkat",
    "mkdirat": "mkdirat",
    "ftruncate": "ftruncate",
    "utimensat": "utimensat",
    "fcntl": "fcntl",
    "lseek": "lseek",
}
"""Calls as strace has them, and as results have them."""


def play(folder: Path, job: str, *before: str) -> str:
    command = [*before, sys.executable, str(SCRIPT), str(folder), job]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def seen(log: Path, folder: Path) -> Counter[str]:
    """The calls about the data set: with a path or an open file below its folder."""
    counts = Counter[str]()
    below = re.compile(rf'<{re.escape(str(folder))}/headcount|"headcount[/"]')
    for line in log.read_text("utf-8").splitlines():
        if found := re.match(r"\d+ +(\w+)\((.*)", line):
            name, rest = found.groups()
            # The first argument says which file; names are the second, where there is a name.
            counts[NAMES[name]] += bool(below.search(rest))
    return +counts


def test_the_engine_counts_the_calls_that_strace_sees(tmp_path: Path) -> None:
    folder, log = tmp_path / "files", tmp_path / "calls"
    folder.mkdir()
    play(folder, "prepare")
    traced = ["strace", "-f", "-y", "-o", str(log), "-e", f"trace={','.join(NAMES)}"]
    counted = Counter(json.loads(play(folder, "run", *traced)))
    assert counted == seen(log, folder)
    # Most system calls were made; otherwise the test would show little.
    assert len(counted) >= 12, counted
    assert counted["openat2"] > 100
