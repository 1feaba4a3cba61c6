"""What a trial needs around the run: a place for the server's data, a cold cache, neighbours."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from headcount.lab.squeeze import hierarchy
from headcount.lab.squeeze.cache import forget
from headcount.lab.squeeze.group import make
from headcount.lab.squeeze.limits import Limits

FORGET_EVERY_S = 0.4
IMAGE_BYTES = 1 << 30
SPIN = "while True: pass"
HOG_WEIGHT = 300


@contextlib.contextmanager
def folder(*, loop: bool) -> Iterator[Path]:
    """A folder for caches, on a loop device if wanted, that other users may traverse."""
    with tempfile.TemporaryDirectory(prefix="hcb-", dir="/var/tmp") as made:
        place = Path(made)
        place.chmod(0o755)
        if not loop:
            yield place
            return
        image, mount = place / "disk", place / "m"
        mount.mkdir()
        with image.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, IMAGE_BYTES)
        device = _run("losetup", "--direct-io=on", "-f", "--show", str(image))
        try:
            _run("mkfs.ext4", "-q", device)
            _run("mount", device, str(mount))
            try:
                mount.chmod(0o755)
                yield mount
            finally:
                _run("umount", str(mount))
        finally:
            _run("losetup", "-d", device)


@contextlib.contextmanager
def cold(place: Path) -> Iterator[None]:
    """Keep the files of the lab's servers out of the page cache."""
    ended = threading.Event()

    def again() -> None:
        while not ended.wait(FORGET_EVERY_S):
            for home in (place / "headcount" / "lab").glob("*"):
                forget(home)

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def hogs(number: int) -> Iterator[None]:
    """Keep the machine's CPUs busy, with more weight than usual."""
    if not number:
        yield
        return
    group = make("neighbour", hierarchy.find(), frozenset({"cpu"}))
    busy = [subprocess.Popen([sys.executable, "-S", "-c", SPIN]) for _ in range(number)]
    try:
        group.limit(Limits(weight=HOG_WEIGHT))
        group.add(one.pid for one in busy)
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()
        group.remove()


def _run(*command: str) -> str:
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin:/sbin"
    ended = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return ended.stdout.strip()
