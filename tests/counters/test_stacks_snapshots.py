"""Snapshots of threads that wait in known calls, and names of what they wait on."""

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headcount.counters.proc import process
from headcount.counters.proc.process import Process
from headcount.counters.stacks import snapshots
from headcount.counters.stacks.calls import Call, calls, kind_of
from headcount.counters.stacks.objects import Objects
from headcount.counters.stacks.sampler import DUTY, StackSampler
from headcount.counters.stacks.snapshots import ThreadStacks
from headcount.counters.stacks.thread import parse_call, parse_frames, parse_name

CHILD = Path(__file__).with_name("waiting_child.py")


@contextmanager
def waiting(*ways: str) -> Iterator[Process]:
    with subprocess.Popen(
        [sys.executable, CHILD, *ways], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == "waiting\n"
        one = process.read("/proc", child.pid)
        assert one is not None
        yield one
        child.kill()


def one_snapshot(stacks: ThreadStacks) -> Counter[tuple[str, ...]]:
    stacks.begin()
    assert list(stacks.look()) == []
    taken = stacks.take()
    assert taken.snapshots == 1
    # Only root may read the kernel's frames.
    assert (taken.missing is None) == (os.geteuid() == 0)
    return taken.off + taken.on


def leaves(off: Counter[tuple[str, ...]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for stack, number in off.items():
        found[stack[-1]] += number
    return found


def test_each_thread_is_in_its_call_on_its_object() -> None:
    with waiting("accept", "send", "sleep", "sleep", "events") as one:
        stacks = ThreadStacks("/proc", lambda: [one])
        until = time.monotonic() + 20
        while True:
            found = leaves(one_snapshot(stacks))
            kinds = Counter({kind_of(leaf.partition("(")[0]): 0 for leaf in found})
            for leaf, number in found.items():
                kinds[kind_of(leaf.partition("(")[0])] += number
            if kinds == {"receive": 1, "accept": 1, "send": 1, "sleep": 2, "events": 1}:
                break
            assert time.monotonic() < until, found
            time.sleep(0.05)
        stacks.close()
    assert found["read(pipe:0)"] == 1
    (accepts,) = [leaf for leaf in found if "accept" in leaf]
    assert "(listen:127.0.0.1:" in accepts
    (sends,) = [leaf for leaf in found if leaf.startswith("write(pipe:")]
    assert found[sends] == 1


def test_a_stack_is_process_thread_state_kernel_call() -> None:
    with waiting("sleep") as one:
        stacks = ThreadStacks("/proc", lambda: [one])
        until = time.monotonic() + 20
        while not (found := [s for s in one_snapshot(stacks) if "sleep" in s[-1]]):
            assert time.monotonic() < until
        stacks.close()
    comm = Path(f"/proc/{os.getpid()}/comm").read_text().strip()
    ((name, thread, state, *frames, call),) = found
    assert (name, thread) == (comm, comm)
    assert state == "sleeping"
    assert call == "clock_nanosleep"
    # Root sees the kernel's frames, others the one function that wchan names.
    assert frames
    assert all(frame.endswith("_[k]") for frame in frames)


def test_nothing_is_counted_without_a_recording() -> None:
    with waiting("sleep") as one:
        stacks = ThreadStacks("/proc", lambda: [one])
        list(stacks.look())
        assert stacks.take().snapshots == 0


def test_some_of_many_threads_are_read_and_count_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "THREADS_MAX", 4)
    with waiting(*["sleep"] * 9) as one:
        stacks = ThreadStacks("/proc", lambda: [one])
        stacks.begin()
        for _ in range(30):
            list(stacks.look())
        taken = stacks.take()
        stacks.close()
    total = (taken.on + taken.off).total()
    # 10 threads, every third one each time: 12, 9 and 9 are counted in turn.
    assert total == 30 * 10


def test_only_a_lock_with_several_waiters_is_named() -> None:
    code = """
import _thread, threading, sys, time
held = _thread.allocate_lock(); held.acquire()
own = _thread.allocate_lock(); own.acquire()
for lock in (held, held, held, own): threading.Thread(target=lock.acquire, daemon=True).start()
time.sleep(0.5); print("waiting", flush=True); sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        child.stdout.readline()
        one = process.read("/proc", child.pid)
        assert one is not None
        stacks = ThreadStacks("/proc", lambda: [one])
        until = time.monotonic() + 20
        while True:
            found = leaves(one_snapshot(stacks))
            shared = [n for leaf, n in found.items() if leaf.startswith("futex(0x")]
            if shared == [3] and found["futex"] == 1:
                break
            assert time.monotonic() < until, found
            time.sleep(0.05)
        stacks.close()
        child.kill()


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def test_descriptors_are_named_by_what_is_at_their_other_end(
    server: socket.socket, tmp_path: Path
) -> None:
    port = server.getsockname()[1]
    objects, pid = Objects("/proc"), os.getpid()
    unix_path = str(tmp_path / "s")
    with (
        socket.create_connection(("127.0.0.1", port)) as opened,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as local,
        (tmp_path / "a file").open("w") as file,
    ):
        accepted, _ = server.accept()
        datagrams.bind(("127.0.0.1", 0))
        unix.bind(unix_path)
        unix.listen()
        local.connect(unix_path)
        reading, writing = os.pipe()
        wanted = {
            server.fileno(): f"listen:127.0.0.1:{port}",
            opened.fileno(): f"peer:127.0.0.1:{port}",
            accepted.fileno(): "client",
            datagrams.fileno(): "udp",
            local.fileno(): f"unix:{unix_path}",
            file.fileno(): f"file:{tmp_path}/a file",
            writing: f"pipe:{writing}",
        }
        links = {fd: objects.link(pid, fd) for fd in wanted}
        objects.renew(pid, [link for link in links.values() if link])
        assert {fd: objects.name(link or "", fd) for fd, link in links.items()} == wanted
        os.close(reading)
        os.close(writing)
        accepted.close()
    assert objects.link(pid, 10_000) is None
    assert objects.name("anon_inode:[eventpoll]", 4) is None
    objects.close()


def test_the_kernels_text_is_read_in_all_its_forms() -> None:
    table = {202: Call("futex", "lock")}
    assert parse_name("12 (a) b (c) S 1 2 3") == ("a) b (c", "S")
    assert parse_name(None) is None
    assert parse_name("12") is None
    assert parse_call("running\n", table) is None
    assert parse_call(None, table) is None
    assert parse_call("202 0xff 0x0", table) == (table[202], 255)
    assert parse_call("-1 0x7ffd 0x7f", table) == (Call("page_fault", "fault"), 0)
    assert parse_call("999 0x1", table) == (Call("call_999", "other"), 1)
    assert parse_call("x y", table) is None
    assert parse_frames(None) == ()
    text = (
        "[<0>] a+0x1/0x2\n[<0>] b.part.0+0x1/0x2\n[<0>] entry_SYSCALL_64_after_hwframe+0x76/0x7e\n"
    )
    assert parse_frames(text) == ("b.part.0_[k]", "a_[k]")


def test_system_calls_of_two_processors_are_known() -> None:
    for machine in ("x86_64", "aarch64"):
        names = {call.name for call in calls(machine).values()}
        assert {"futex", "epoll_pwait", "accept4", "recvfrom", "write", "fsync", "connect"} <= names
    assert not calls("riscv64")
    assert calls("x86_64")[74].name == "fsync"
    assert calls("aarch64")[82].name == "fsync"


def test_the_sampler_keeps_to_its_share_of_a_core() -> None:
    with waiting(*["sleep"] * 60) as one:
        sampler = StackSampler(lambda: [one])
        sampler.begin()
        began_s = time.monotonic()
        time.sleep(3)
        taken, cost_s = sampler.end()
        took_s = time.monotonic() - began_s
        sampler.close()
    assert taken.snapshots >= 2
    # One snapshot is begun within the share, however expensive it is.
    assert cost_s <= took_s * DUTY + 2.5 * cost_s / taken.snapshots + 0.02
