"""CPU of programs behind a server, against processes that burn it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from burning_server import Burner, burning
from headcount.counters.proc.upstream_programs import UpstreamPrograms, _is_here

USED, DELAY = "upstream.cpu.utilization", "upstream.cpu.run_delay"


@pytest.fixture
def burner() -> Iterator[Burner]:
    with burning() as one:
        yield one


def programs() -> UpstreamPrograms:
    return UpstreamPrograms(Path("/proc"), Path("/sys"))


def test_the_cpu_is_that_of_the_process_that_listens_there(burner: Burner) -> None:
    one = programs()
    began_s, used_s = time.monotonic(), burner.used_s()
    assert one.sample(began_s, [burner.peer], ()) == {}
    time.sleep(0.5)
    now_s = time.monotonic()
    values = one.sample(now_s, [burner.peer], ())
    assert values[USED] * (now_s - began_s) == pytest.approx(burner.used_s() - used_s, abs=0.05)


def test_its_run_delay_is_the_kernels_own_count(burner: Burner) -> None:
    def counted() -> tuple[int, int]:
        ran, waited, _ = Path(f"/proc/{burner.process.pid}/schedstat").read_text("ascii").split()
        return int(ran), int(waited)

    one = programs()
    one.sample(0.0, [burner.peer], ())
    before = counted()
    time.sleep(0.5)
    share = one.sample(1.0, [burner.peer], ())[DELAY]
    ran, waited = (now - then for now, then in zip(counted(), before, strict=True))
    assert share == pytest.approx(waited / (ran + waited), abs=0.1)


def test_known_programs_are_followed_while_there_are_no_connections(burner: Burner) -> None:
    one = programs()
    one.sample(0.0, [burner.peer], ())
    assert USED in one.sample(1.0, [], ())


def test_the_server_itself_and_other_machines_are_not_behind_it(burner: Burner) -> None:
    one = programs()
    for at_s in (0.0, 1.0):
        assert one.sample(at_s, [burner.peer], {burner.process.pid}) == {}
        assert one.sample(at_s, [f"192.0.2.1:{burner.peer.rpartition(':')[2]}"], ()) == {}


def test_only_addresses_of_this_machine_are_here() -> None:
    assert _is_here("127.0.0.1:5432")
    assert _is_here("[::1]:5432")
    assert not _is_here("192.0.2.1:5432")
    assert not _is_here("[2001:db8::1]:5432")
