"""The live source of an exporter: a real one, one that comes and goes, and other answers."""

import http.server
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from exporter import exporting
from headcount.cli.watched import opened
from headcount.counters.open import open_source
from headcount.counters.prometheus.source import PrometheusSource
from headcount.errors import TargetError
from headcount.lab.port import free
from headcount.live.reading import Reading
from headcount.live.wall import Wall

PAGES = Path(__file__).with_name("pages")
BUSY = "system.cpu.utilization"


class Pretender:
    """A web server whose answers the test sets."""

    def __init__(self) -> None:
        self.status = 200
        self.page: Callable[[], str] = lambda: ""
        self.headers: dict[str, str] = {}
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.asked += 1
                body = outer.page().encode()
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/metrics"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def pretender() -> Iterator[Pretender]:
    one = Pretender()
    yield one
    one.end()


def far(url: str) -> PrometheusSource:
    source = open_source(url, "far")
    assert isinstance(source, PrometheusSource)
    return source


def windows(moment: int) -> str:
    return PAGES.joinpath(f"windows_exporter_{moment}.txt").read_text("utf-8")


def test_a_real_exporter() -> None:
    with exporting() as exporter:
        began_s = time.monotonic()
        source = far(exporter.url)
        first = source.sample()
        time.sleep(0.2)
        before_s = time.monotonic()
        second = source.sample()
        source.close()
    assert BUSY not in first.values
    assert 0 <= second.values[BUSY] <= 1
    assert before_s <= second.at_s <= time.monotonic()
    origin = source.origin
    assert (origin.program, origin.system) == ("node_exporter", "linux")
    assert origin.host == os.uname().nodename
    assert origin.clock is not None
    # The clock is known as exactly as its answer was quick, and each gives it to a second.
    assert abs(origin.clock.seconds) <= origin.clock.error_s <= 1.0 + time.monotonic() - began_s


def test_an_exporter_that_ends_and_comes_back() -> None:
    port = free()
    with exporting(port) as exporter:
        source = far(exporter.url)
        source.sample()
    with pytest.raises(TargetError, match="is the exporter running"):
        source.sample()
    with exporting(port):
        assert source.sample().values["system.memory.limit"] > 0
    source.close()


def test_windows_over_http(pretender: Pretender) -> None:
    pretender.page = lambda: windows(0)
    source = far(pretender.url)
    assert source.origin.host == "FS1"
    source.sample()
    pretender.page = lambda: windows(1)
    values = source.sample().values
    assert values[BUSY] == pytest.approx(13 / 40)
    # Its clock says that ten seconds have passed; ours knows better, so it was set.
    assert source.origin.clock_steps >= 1
    source.close()


def test_a_watch_has_rates_however_long_its_interval_is(
    pretender: Pretender, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, later_s = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: real() + later_s)
    pretender.page = lambda: windows(0)
    (feed,) = opened(None, [pretender.url], Wall()).feeds
    with closing(feed):
        feed.poll()
        later_s = 60.0
        pretender.page = lambda: windows(1)
        (reading,) = feed.poll()
    assert isinstance(reading, Reading)
    assert reading.values[BUSY] == pytest.approx(13 / 40)


def test_a_run_has_no_rates_over_a_gap(
    pretender: Pretender, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, later_s = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: real() + later_s)
    pretender.page = lambda: windows(0)
    with closing(far(pretender.url)) as source:
        source.sample()
        later_s = 60.0
        pretender.page = lambda: windows(1)
        assert BUSY not in source.sample().values


def test_the_header_gives_the_time_if_the_page_does_not(pretender: Pretender) -> None:
    page = "\n".join(line for line in windows(0).splitlines() if "windows_time_" not in line)
    pretender.page = lambda: page
    began_s = time.monotonic()
    source = far(pretender.url)
    source.sample()
    took_s = time.monotonic() - began_s
    clock = source.origin.clock
    source.close()
    assert clock is not None
    assert abs(clock.seconds) <= clock.error_s <= 0.5 + took_s


@pytest.mark.parametrize(
    ("status", "page", "message"),
    [
        (200, "<html>It works!</html>", "no known exporter answers there"),
        (404, "", "answers 404 Not Found; exporters serve their page at /metrics"),
        (401, "", "requires credentials"),
        (302, "", "answers 302 Found"),
        (200, "node_exporter_build_info 1\nnode_load1 one\n", "not Prometheus' text format"),
    ],
)
def test_other_answers_are_refused_with_the_reason(
    pretender: Pretender, status: int, page: str, message: str
) -> None:
    pretender.status, pretender.page = status, lambda: page
    with pytest.raises(TargetError) as caught:
        far(pretender.url)
    assert message in str(caught.value)
    assert pretender.url in str(caught.value)


def test_a_refused_connection_is_reported() -> None:
    with pytest.raises(TargetError, match=r"Connection refused; is the exporter running"):
        far(f"http://127.0.0.1:{free()}")


def test_a_server_without_tls_is_reported(pretender: Pretender) -> None:
    with pytest.raises(TargetError, match="TLS failed"):
        far(pretender.url.replace("http:", "https:"))


def test_closing_does_not_wait_for_an_answer(pretender: Pretender) -> None:
    pretender.page = lambda: windows(0)
    source = far(pretender.url)
    asked, go_on, failed = threading.Event(), threading.Event(), threading.Event()

    def hang() -> str:
        asked.set()
        go_on.wait(20)
        return ""

    def ask() -> None:
        with pytest.raises(TargetError):
            source.sample()
        failed.set()

    pretender.page = hang
    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait(20)
    source.close()
    thread.join(timeout=4)
    go_on.set()
    assert failed.is_set()
