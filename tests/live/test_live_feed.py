"""Where readings come from: sources that fail and come back, runs that are followed, servers."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import pytest
from live_feeds import BUSY, ListFeed, Scripted, readings

from exporter import exporting
from headcount.cli.watched import opened
from headcount.counters.log import read
from headcount.counters.proc.listening import ServerSource, listeners
from headcount.counters.source import Source
from headcount.errors import TargetError
from headcount.lab.port import free
from headcount.live.feed import PATIENCE_S, SourceFeed
from headcount.live.monitor import Monitor
from headcount.live.reading import Back, Lost, News, Reading, Remark
from headcount.live.run import RUN, RunFeed, seconds
from headcount.live.sampler import Sampler
from headcount.live.wall import Wall
from processes import Headcount, wait_for


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def feed_of(
    source: Scripted, clock: Clock, opens: Callable[[], Source] | None = None
) -> SourceFeed:
    return SourceFeed("s", opens or (lambda: source), Wall(lambda: 0.0, lambda: 100.0), clock)


def test_a_failing_source_is_lost_once_retried_and_back_once() -> None:
    source = Scripted([{BUSY: 0.1}, OSError(111, "Connection refused"), TargetError("no answer")])
    source.steps += [{}, {BUSY: 0.2}, {BUSY: 0.3}]
    clock = Clock()
    feed = feed_of(source, clock)
    news: list[News] = []
    while source.steps:
        news += feed.poll()
        clock.now_s += 0.5
    assert [type(one) for one in news] == [Reading, Lost, Back, Reading, Reading]
    lost = news[1]
    assert isinstance(lost, Lost)
    assert lost.reason == "Connection refused"
    assert source.closed == 3
    assert source.steps == []


def test_waits_between_retries_grow_to_the_longest() -> None:
    clock = Clock()
    tried: list[float] = []

    def opens() -> Source:
        tried.append(clock.now_s)
        raise TargetError("nothing there")

    feed = feed_of(Scripted([]), clock, opens)
    for _ in range(400):
        feed.poll()
        clock.now_s += 0.5
    waits = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert waits[: len(PATIENCE_S)] == list(PATIENCE_S)
    assert set(waits[len(PATIENCE_S) :]) == {PATIENCE_S[-1]}


def test_samples_have_the_time_of_day_and_what_they_cost() -> None:
    (reading,) = feed_of(Scripted([{BUSY: 0.1}]), Clock()).poll()
    assert isinstance(reading, Reading)
    assert reading.at_s == 101.0
    assert reading.cost_ms is not None
    assert reading.cost_ms >= 0


def test_a_clock_that_is_slewed_moves_no_sample_and_one_that_is_set_does() -> None:
    day_s = [1000.0]
    wall = Wall(lambda: 0.0, lambda: day_s[0])
    day_s[0] = 1000.4
    assert wall.at(5.0) == 1005.0
    day_s[0] = 5000.0
    assert wall.at(5.0) == 5005.0


def test_a_bug_in_a_feed_is_kept_and_closes_the_feed() -> None:
    source = Scripted([{BUSY: 0.1}, ZeroDivisionError()])
    sampler = Sampler(feed_of(source, Clock()), 0.01, SimpleQueue())
    sampler.start()
    wait_for(lambda: sampler.over)
    assert isinstance(sampler.failure, ZeroDivisionError)
    assert source.closed == 1


def test_a_sampler_ends_with_its_feed() -> None:
    news: SimpleQueue[News] = SimpleQueue()
    sampler = Sampler(ListFeed(readings("s", [{BUSY: 0.1}])), 1000.0, news)
    sampler.start()
    wait_for(lambda: sampler.over)
    assert news.qsize() == 1


def second(t_s: float, completed: int) -> str:
    tally = {"completed": completed, "failed": 1}
    return json.dumps(
        {
            "t_s": t_s,
            "seconds": 0.5,
            "users": 7,
            "p95_ms": None,
            "scenarios": {"a": tally, "b": tally},
            "counters": {"sut": {BUSY: 0.5}},
        }
    )


def test_a_run_is_followed_line_by_line_until_it_is_over(tmp_path: Path) -> None:
    over = [False]
    feed = RunFeed(tmp_path, lambda: not over[0])
    assert feed.poll() == []
    series = tmp_path / "series.ndjson"
    series.write_text(second(1.0, 10) + "\n" + second(2.0, 20)[:30], "utf-8")
    assert feed.poll() == []  # when that was is not known before the first event
    event = {"at": "1970-01-01T00:01:40+00:00", "t_s": 0.5, "event": "level-start"}
    line = json.dumps({**event, "level": 1, "users": 7, "purpose": "probe"})
    (tmp_path / "events.ndjson").write_text(line + "\n", "utf-8")
    remark, run, sut = feed.poll()
    assert remark == Remark(100.0, "level 1: 7 users (probe)")
    assert run == Reading(RUN, 100.5, {"users": 7.0, "completed_per_s": 40.0, "failed_per_s": 4.0})
    assert sut == Reading("sut", 100.5, {BUSY: 0.5})
    series.write_text(second(1.0, 10) + "\n" + second(2.0, 20) + "\n", "utf-8")
    assert not feed.done
    over[0] = True
    assert [one.at_s for one in feed.poll()] == [101.5, 101.5]
    assert feed.done


def test_a_pattern_that_no_side_of_a_run_matches_is_found(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").touch()
    found = opened(str(tmp_path), (), Wall())
    watched = Monitor(["CPU busy", "nonsense"])
    for one in found.sources:
        watched.expect(one.name, 1.0)
    for t_s in (1.0, 2.0):
        for reading in seconds(json.loads(second(t_s, 10)), 100.0):
            watched.take(reading)
    assert watched.unmatched_patterns() == ["nonsense"]


SERVER = (
    "import socket, subprocess, sys, time\n"
    "s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "print('up', flush=True); time.sleep(60)\n"
)


def serving(port: int) -> subprocess.Popen[bytes]:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(port)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"up\n"
    return server


def end(server: subprocess.Popen[bytes]) -> None:
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    assert server.stdout is not None
    server.stdout.close()


def test_a_server_is_found_by_its_port_with_its_children_and_again_when_restarted() -> None:
    port, clock = free(), Clock()
    server = serving(port)
    try:
        assert listeners(port) == [server.pid]
        source = ServerSource("local", lambda: listeners(port), clock)
        assert source.sample().values["process.count"] == 2
        end(server)
        clock.now_s += 10
        assert "process.memory.usage" not in source.sample().values
        server = serving(port)
        clock.now_s += 10
        assert source.sample().values["process.count"] == 2
    finally:
        end(server)
    assert listeners(port) == []


def test_a_real_exporter_that_dies_leaves_a_gap_and_comes_back(
    headcount: Headcount, tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    with exporting() as exporter:
        port, url = exporter.port, exporter.url
        command = headcount.start(
            "watch", "--source", url, "--interval", "200ms", "--log", str(log)
        )
        command.reach(lambda: command.out.count("CPU busy") > 2)
    command.reach(lambda: "LOST" in command.out)
    with exporting(port):
        command.reach(lambda: "is back" in command.out)
        seen = command.out.count("CPU busy")
        command.reach(lambda: command.out.count("CPU busy") > seen)
    command.send(signal.SIGINT)
    ended = command.ended()
    assert ended.code == 0
    (recording,) = read(log)
    assert recording.system == "linux"
    assert [note for note in recording.notes if "did not answer" in note]
    gaps = [b.at_s - a.at_s for a, b in zip(recording.samples, recording.samples[1:], strict=False)]
    assert max(gaps) > 0.5
    assert all(sample.values for sample in recording.samples)


def test_a_source_that_cannot_be_reached_is_reported_at_once(headcount: Headcount) -> None:
    ended = headcount.run("watch", "--plain", "--source", f"http://127.0.0.1:{free()}/metrics")
    assert ended.code == 3
    assert "127.0.0.1" in ended.message


def test_a_source_given_twice_is_refused(headcount: Headcount) -> None:
    ended = headcount.run("watch", "--plain", "--source", "local", "--source", "local")
    assert ended.code == 2
    assert "given twice" in ended.message


@pytest.mark.parametrize("slow_s", [0.05])
def test_moments_missed_while_a_source_was_slow_are_not_made_up_for(slow_s: float) -> None:
    taken: list[float] = []

    class Slow(ListFeed):
        def poll(self) -> list[News]:
            taken.append(time.monotonic())
            time.sleep(slow_s)
            return []

    sampler = Sampler(Slow([]), slow_s / 2.5, SimpleQueue())
    sampler.start()
    wait_for(lambda: len(taken) > 4)
    sampler.end()
    sampler.join()
    assert min(b - a for a, b in itertools.pairwise(taken)) >= slow_s
