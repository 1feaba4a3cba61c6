"""The latest sample of a far source: never waits, gives each sample once, reports a loss once."""

import threading
import time
from collections.abc import Callable

from headcount.counters.latest import Latest
from headcount.counters.origin import Origin
from headcount.counters.source import Sample
from headcount.errors import TargetError


class Far:
    """A source whose answers the test controls."""

    def __init__(self) -> None:
        self.name = "far"
        self.permits = threading.Semaphore(0)
        self.taken = 0
        self.broken = False
        self.closed = False
        self.origin = Origin("ssh://far", "test", "far", "linux", None)

    def sample(self) -> Sample:
        self.permits.acquire()
        self.taken += 1
        if self.broken or self.closed:
            raise TargetError(f"broken {self.taken}")
        return Sample(float(self.taken), {"taken": float(self.taken)})

    def close(self) -> None:
        self.closed = True
        self.permits.release(1000)


def wait_for(true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 20
    while not true() and time.monotonic() < end_s:
        time.sleep(0.005)
    assert true()


def test_a_silent_machine_does_not_block() -> None:
    far = Far()
    latest = Latest(far)
    for _ in range(1000):  # if this waited, the test would time out
        assert latest.sample().values == {}
    assert far.taken == 0
    latest.close()


def test_each_sample_is_handed_over_once() -> None:
    far = Far()
    latest = Latest(far)
    handed: list[float] = []
    for turn in range(1, 6):
        far.permits.release()
        wait_for(lambda turn=turn: latest.samples == turn)  # type: ignore[misc]
        handed.append(latest.sample().at_s)
        latest.sample()  # a question that comes early makes the thread sample at once
    assert handed == [1.0, 2.0, 3.0, 4.0, 5.0]
    latest.close()
    assert far.closed


def test_a_loss_and_a_return_are_reported_once() -> None:
    far = Far()
    latest = Latest(far)

    def turn(*, broken: bool) -> None:
        before = far.taken
        far.broken = broken
        far.permits.release()
        wait_for(lambda: far.taken > before)
        latest.sample()
        latest.sample()

    turn(broken=False)
    for _ in range(3):
        turn(broken=True)
    turn(broken=False)
    wait_for(lambda: latest.samples == 2)
    happened = latest.happenings()
    assert [(one.state, one.text.split()[0]) for one in happened] == [
        ("lost", "broken"),
        ("back", "after"),
    ]
    assert happened[0].text == "broken 2"
    assert latest.missed == 3
    assert latest.happenings() == []
    latest.close()


def test_the_source_is_sampled_as_often_as_it_is_read() -> None:
    far = Far()
    far.permits.release(1000)
    latest = Latest(far)
    handed = []
    for _ in range(20):
        time.sleep(0.05)
        handed.append(latest.sample())
    latest.close()
    samples = [one for one in handed if one.values]
    # None is left out and none is wasted, though when each is taken depends on the machine.
    assert [one.at_s for one in samples] == [float(n) for n in range(1, len(samples) + 1)]
    assert latest.samples - len(samples) <= 1
