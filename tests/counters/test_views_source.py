"""Views that answer, fall silent and come back, as a source gives them."""

from headcount.counters.source import Sample
from headcount.counters.views import View, ViewSource
from headcount.counters.views.reading import Reading
from headcount.counters.views.source import MISSES, PAUSE_S


class Server:
    """A view of a server whose state a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.asked = 0
        self.total = 0.0
        self.is_silent = False

    def read(self) -> Reading:
        self.asked += 1
        if self.is_silent:
            raise TimeoutError("it did not answer within 200 ms")
        return Reading({"pool.used": 3.0, "pool.limit": 5.0}, {"pool.requests": self.total})


class Beside:
    name = "server"
    is_closed = False

    def sample(self) -> Sample:
        return Sample(0.0, {"own": 1.0})

    def close(self) -> None:
        self.is_closed = True


def test_totals_become_rates_and_gauges_stay() -> None:
    server, beside = Server(), Beside()
    view = View("a pool", "/run/pool", server.read)
    source = ViewSource([view], beside, clock=lambda: server.now_s)
    assert source.sample().values == {"pool.used": 3.0, "pool.limit": 5.0, "own": 1.0}
    server.now_s, server.total = 2.0, 10.0
    assert source.sample().values["pool.requests"] == 5.0
    source.close()
    assert beside.is_closed


def test_a_silent_view_is_left_alone_for_a_while_and_reported_once() -> None:
    server = Server()
    source = ViewSource([View("a pool", "/run/pool", server.read)], clock=lambda: server.now_s)
    source.sample()
    server.is_silent = True
    for _ in range(MISSES):
        server.now_s += 1.0
        # Its limit stays known while it does not answer.
        assert source.sample().values == {"pool.limit": 5.0}
    (doubt,) = source.doubts()
    assert doubt.startswith("a pool at /run/pool is asked only every 10 s")
    assert "200 ms" in doubt
    assert source.doubts() == []
    asked = server.asked
    server.now_s += PAUSE_S / 2
    source.sample()
    assert server.asked == asked
    server.now_s += PAUSE_S
    server.is_silent = False
    server.total = 90.0
    # What it counted meanwhile is spread over the 18 s.
    assert source.sample().values["pool.requests"] == 90.0 / 18.0
    assert source.doubts() == []
