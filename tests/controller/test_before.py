"""What a server does before the first user, against a process that computes."""

import time
from collections.abc import Iterator

import pytest

from burning_server import Burner, burning
from headcount.controller.before import load_before
from headcount.controller.local_server import LocalServer


@pytest.fixture
def burner() -> Iterator[Burner]:
    with burning() as one:
        yield one


def test_the_cpu_is_what_the_kernel_counts(burner: Burner) -> None:
    began_s, used_s = time.monotonic(), burner.used_s()
    found = load_before(LocalServer([burner.peer]))
    each_s = (burner.used_s() - used_s) / (time.monotonic() - began_s)
    assert found["process.cpu.utilization"] == pytest.approx(each_s, abs=0.25)
    assert found["process.cpu.utilization"] > 0


def test_a_server_that_nobody_may_look_into_has_no_figures() -> None:
    assert "process.cpu.utilization" not in load_before(LocalServer(["127.0.0.1:9"]))
