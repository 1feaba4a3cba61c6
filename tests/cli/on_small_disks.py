"""Command lines in a mount namespace of their own, where disks are full or read-only.

Usage: unshare --mount --map-root-user python on_small_disks.py FOLDER < LINES. In FOLDER it mounts
`full`, `readonly` and `small` (96 KiB), and makes `bundle` read-only. LINES are JSON: a list of
command lines, each a list; one that begins with `sh` is for the shell. It prints what each ended
with, and what it wrote.
"""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

from headcount.cli import run_line


def mount(*arguments: object) -> None:
    """Mount something, in this namespace alone."""
    subprocess.run(["mount", *map(str, arguments)], check=True)


def prepare(folder: Path) -> None:
    """Make the disks."""
    for name, options in (("full", "size=64k"), ("readonly", "ro"), ("small", "size=96k")):
        (folder / name).mkdir()
        mount("-t", "tmpfs", "-o", options, "tmpfs", folder / name)
    with contextlib.suppress(OSError):
        (folder / "full" / "everything").write_bytes(bytes(1 << 20))
    mount("--bind", folder / "bundle", folder / "bundle")
    mount("-o", "remount,bind,ro", folder / "bundle")


def play(line: list[str]) -> dict[str, object]:
    """What a command line ends with and prints."""
    if line[0] == "sh":
        ended = subprocess.run(["sh", "-c", line[1]], capture_output=True, text=True, check=False)
        return {"code": ended.returncode, "out": ended.stdout, "err": ended.stderr}
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = int(run_line(line))
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


if __name__ == "__main__":
    place = Path(sys.argv[1])
    prepare(place)
    print(json.dumps([play(line) for line in json.load(sys.stdin)]))
