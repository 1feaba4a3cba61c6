"""A network segment: who reaches whom, whole and cut, and what is left of it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab import segment
from headcount.lab.segment import Segment, SegmentNode
from processes import processes_with, wait_for

PORT = 7
BEATS = Path(__file__).parent / "segment_beats.py"
ECHO = """
import socket, sys
with socket.create_server((sys.argv[1], 7)) as server:
    print("listening", flush=True)
    client, _ = server.accept()
    with client:
        while data := client.recv(4096):
            client.sendall(data)
"""
ASK = """
import socket, sys
with socket.create_connection((sys.argv[1], 7), timeout=20) as client:
    client.sendall(b"hello")
    print(client.recv(5).decode(), client.getsockname()[0], flush=True)
"""
HOLD = """
import subprocess, sys, time
from headcount.lab.segment import Segment
made = Segment(["one", "two"])
sleeping = subprocess.Popen(made.node("one").command(["sleep", "60"]))
print(sleeping.pid, made.tag, flush=True)
time.sleep(60)
"""


@pytest.fixture
def two() -> Iterator[Segment]:
    pair = Segment(["one", "two"])
    try:
        yield pair
    finally:
        pair.close()


@contextlib.contextmanager
def running(node: SegmentNode, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A Python program in a node."""
    command = node.command([sys.executable, *words])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as one:
        try:
            yield one
        finally:
            one.kill()


def leftovers(tag: str) -> list[str]:
    """Devices and namespaces of a segment that exist."""
    places = [*Path("/sys/class/net").iterdir(), *Path("/run/netns").iterdir()]
    return [one.name for one in places if tag in one.name]


class Beats:
    """Datagrams between this machine and a node, counted on both sides."""

    def __init__(self, here: socket.socket, node: SegmentNode) -> None:
        self._here = here
        self._node = node.address
        self.got = 0
        self.known = 0
        """How many the node had received when it last sent one."""

    def take(self) -> bool:
        """Receive what has arrived; returns whether anything has."""
        before = self.got
        with contextlib.suppress(BlockingIOError):
            while data := self._here.recv(64):
                self.got += 1
                self.known = int(data)
        return self.got > before

    def send(self) -> None:
        """20 datagrams to the node, in 0.4 s."""
        for _ in range(20):
            self._here.sendto(b"x", (self._node, PORT))
            time.sleep(0.02)


@contextlib.contextmanager
def beating(pair: Segment, name: str) -> Iterator[Beats]:
    node = pair.node(name)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        here.bind((pair.host, 0))
        here.setblocking(False)
        found = Beats(here, node)
        words = (node.address, str(PORT), pair.host, str(here.getsockname()[1]))
        with running(node, str(BEATS), *words):
            wait_for(found.take)
            yield found


def test_the_machine_and_the_nodes_reach_each_other(two: Segment) -> None:
    one, other = two.node("one"), two.node("two")
    for asking in ([], other.command([])):
        with running(one, "-c", ECHO, one.address) as server:
            assert server.stdout
            assert server.stdout.readline() == "listening\n"
            command = [*asking, sys.executable, "-c", ASK, one.address]
            asked = subprocess.run(command, capture_output=True, text=True, check=True)
        assert asked.stdout.split() == ["hello", other.address if asking else two.host]


def test_a_program_in_a_node_keeps_the_process_id(two: Segment) -> None:
    with running(two.node("one"), "-c", "import os; print(os.getpid())") as one:
        assert one.stdout
        assert int(one.stdout.readline()) == one.pid


@pytest.mark.parametrize(
    ("direction", "heard", "is_hearing"), [("in", 0, True), ("out", 20, False), ("both", 0, False)]
)
def test_each_direction_is_cut_by_itself(
    two: Segment, direction: segment.Direction, heard: int, is_hearing: bool
) -> None:
    """What the node received while it could not send is known from what it sends afterwards."""
    node = two.node("one")
    with beating(two, "one") as beats, beating(two, "two") as beside:
        beats.send()
        wait_for(lambda: beats.take() and beats.known == 20)
        node.cut(direction)
        time.sleep(0.1)
        beats.take()
        beside.take()
        beats.send()
        assert beats.take() == is_hearing
        assert beside.take(), "the other node is not cut"
        node.mend()
        wait_for(beats.take)
        assert beats.known == 20 + heard
        beats.send()
        wait_for(lambda: beats.take() and beats.known == 40 + heard)


def test_a_connection_waits_until_the_cut_is_over(two: Segment) -> None:
    node = two.node("one")
    with running(node, "-c", ECHO, node.address) as server:
        assert server.stdout
        server.stdout.readline()
        with socket.create_connection((node.address, PORT), timeout=0.5) as client:
            node.cut()
            client.sendall(b"hello")
            with pytest.raises(TimeoutError):  # neither a reset nor an ICMP message
                client.recv(5)
            node.mend()
            client.settimeout(20)
            assert client.recv(5) == b"hello"


def test_a_node_that_was_killed_comes_back_as_a_new_one(two: Segment) -> None:
    node = two.node("one")
    with running(node, "-c", ECHO, node.address) as server:
        assert server.stdout
        server.stdout.readline()
        subprocess.run(node.command(["ip", "addr", "add", two.floating, "dev", "eth0"]), check=True)
        with socket.create_connection((node.address, PORT), timeout=0.5) as client:
            node.kill()
            server.kill()
            with pytest.raises(TimeoutError):  # nobody is left who could close it
                client.recv(5)
            node.mend()
            client.settimeout(20)
            client.sendall(b"hello")
            with pytest.raises(ConnectionResetError):
                client.recv(5)
    with pytest.raises(OSError, match=r"route|timed out"):
        socket.create_connection((two.floating, PORT), timeout=0.5).close()


def test_nothing_is_left(two: Segment) -> None:
    assert len(leftovers(two.tag)) == 5, "a bridge, two ports and two namespaces"
    other = Segment(["one"])
    assert other.host != two.host
    other.close()
    assert leftovers(other.tag) == []
    two.close()
    two.close()
    assert leftovers(two.tag) == []


def test_nothing_is_left_when_the_run_is_killed() -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    pid, tag = run.stdout.readline().split()
    assert len(leftovers(tag)) == 5
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    run.stdout.close()
    wait_for(lambda: leftovers(tag) == [])
    os.kill(int(pid), signal.SIGKILL)  # what a keeper does with a server


def test_the_next_run_removes_what_a_run_and_its_janitor_left() -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    pid, tag = run.stdout.readline().split()
    for janitor in processes_with(f"--segment {tag}"):
        os.kill(janitor, signal.SIGKILL)
    for one in (run.pid, int(pid)):
        os.kill(one, signal.SIGKILL)
    run.wait()
    run.stdout.close()
    assert leftovers(tag)
    Segment([]).close()
    assert leftovers(tag) == []
