"""Open descriptors as a share of the limit, against processes with limits of their own."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.counters.proc import process
from headcount.counters.proc.descriptors import NAME, RENEW_S, DescriptorLimits
from headcount.counters.proc.source import HostSource

HOLD = (
    "import os, sys; fds = [os.dup(0) for _ in range(int(sys.argv[1]))]; print(); sys.stdin.read()"
)


@pytest.mark.parametrize(("held", "limit"), [(10, 64), (47, 50)])
def test_the_fullest_process_counts(held: int, limit: int) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(held)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=limited,  # noqa: PLW1509 - nothing else runs in this process's threads
    ) as child:
        assert child.stdout
        child.stdout.readline()
        members = [process.read("/proc", pid) for pid in (child.pid, os.getpid())]
        known = [one for one in members if one is not None]
        open_now = len(list(Path(f"/proc/{child.pid}/fd").iterdir()))
        assert open_now == held + 3
        limits = DescriptorLimits("/proc")
        assert limits.utilization(0.0, known) == pytest.approx(open_now / limit)
        assert limits.utilization(0.0, known[1:]) == pytest.approx(
            len(list(Path("/proc/self/fd").iterdir()))
            / resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            abs=0.02,
        )
        child.kill()


def test_a_limit_that_is_raised_is_read_again() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        one = process.read("/proc", child.pid)
        assert one is not None
        assert one.descriptors
        limits = DescriptorLimits("/proc")
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (8, 8))
        assert limits.utilization(0.0, [one]) == pytest.approx(one.descriptors / 8)
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (4, 8))
        assert limits.utilization(RENEW_S - 1, [one]) == pytest.approx(one.descriptors / 8)
        assert limits.utilization(RENEW_S, [one]) == pytest.approx(min(one.descriptors / 4, 1))
        child.kill()


def test_a_host_source_gives_the_figure() -> None:
    source = HostSource("server", pids=[os.getpid()], fine=False)
    try:
        assert 0 < source.sample().values[NAME] < 1
    finally:
        source.close()
