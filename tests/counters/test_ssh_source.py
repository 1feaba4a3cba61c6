"""Counters over SSH from a real sshd: against this machine's own, and when things go wrong."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headcount.cli.watched import opened
from headcount.counters.catalogue import lookup
from headcount.counters.open import open_source
from headcount.counters.proc.source import HostSource
from headcount.counters.ssh.source import SshSource
from headcount.errors import SystemLimitError, TargetError
from headcount.live.reading import Reading
from headcount.live.wall import Wall
from ssh_server import ALIAS, SshServer, children, serving

GROWING = (
    "system.cpu.context_switches",
    "system.paging.faults{system.paging.fault.type=minor}",
    "system.disk.io{disk.io.direction=write}",
    "system.network.packet.count{network.io.direction=receive,network.interface.name=lo}",
    "system.linux.pressure{resource=cpu,kind=some}",
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    with serving(tmp_path) as one:
        monkeypatch.setenv("PATH", one.path)
        yield one


@pytest.fixture
def source(server: SshServer) -> Iterator[SshSource]:
    one = open_source(server.address, "far")
    assert isinstance(one, SshSource)
    yield one
    one.close()


def test_it_counts_what_this_machine_counts(source: SshSource) -> None:
    outer, inner = HostSource("outer", fine=False), HostSource("inner", fine=False)
    first, before, inner_first = outer.sample(), source.sample(), inner.sample()
    time.sleep(0.5)
    inner_last, after, last = inner.sample(), source.sample(), outer.sample()
    elapsed_s = after.at_s - before.at_s
    for name in GROWING:
        least = inner_last.values[name] * (inner_last.at_s - inner_first.at_s)
        most = last.values[name] * (last.at_s - first.at_s)
        assert least * 0.99 - 1e-3 <= after.values[name] * elapsed_s <= most * 1.01 + 1e-3, name
    assert after.values["system.memory.limit"] == last.values["system.memory.limit"]
    outer.close()
    inner.close()


def test_it_gives_all_counters_of_a_host(source: SshSource) -> None:
    source.sample()
    time.sleep(0.1)
    found = source.sample().values
    assert [name for name in found if lookup(name) is None] == []
    for name in (
        "system.cpu.utilization{cpu.mode=user}",
        "system.linux.memory.refaults",
        "system.disk.utilization.busiest",
        "system.linux.pressure{resource=io,kind=full}",
        "system.network.tcp.retransmits",
        "headcount.sampler.cpu_time_ms",
    ):
        assert name in found, name


def test_the_clock_here_and_there_is_the_same_one(source: SshSource) -> None:
    began_s = time.monotonic()
    for _ in range(3):
        source.sample()
    took_s = time.monotonic() - began_s
    origin = source.origin
    assert origin.clock is not None
    assert abs(origin.clock.seconds) <= origin.clock.error_s <= took_s
    assert (origin.host, origin.system) == (os.uname().nodename, "linux")
    assert os.uname().release in origin.program


def test_a_watch_has_rates_however_long_its_interval_is(
    server: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, later_s = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: real() + later_s)
    (feed,) = opened(None, [server.address], Wall()).feeds
    with closing(feed):
        feed.poll()
        later_s = 60.0
        (reading,) = feed.poll()
    assert isinstance(reading, Reading)
    assert "system.cpu.context_switches" in reading.values


@pytest.mark.usefixtures("server")
def test_a_host_alias_of_the_users_configuration_works() -> None:
    source = open_source(f"ssh://{ALIAS}", "far")
    assert source.sample().values
    source.close()


def test_nothing_is_left_behind(server: SshServer) -> None:
    source = open_source(server.address, "far")
    source.sample()
    assert children(server.process.pid)
    source.close()
    end_s = time.monotonic() + 20
    while children(server.process.pid) and time.monotonic() < end_s:
        time.sleep(0.02)
    assert children(server.process.pid) == []


def test_a_lost_login_is_made_again(server: SshServer, source: SshSource) -> None:
    source.sample()
    server.hang_up()
    with pytest.raises(TargetError, match=r"no counters from ssh://127\.0\.0\.1"):
        source.sample()
    with pytest.raises(TargetError, match="no SSH server listens there"):
        source.sample()
    server.start_again()
    assert source.sample().values


def test_closing_does_not_wait_for_an_answer(server: SshServer, source: SshSource) -> None:
    source.sample()
    for child in children(server.process.pid):
        os.kill(child, signal.SIGSTOP)
    failed = threading.Event()

    def ask() -> None:
        with pytest.raises(TargetError):
            source.sample()
        failed.set()

    thread = threading.Thread(target=ask)
    thread.start()
    source.close()
    thread.join(timeout=4.0)
    for child in children(server.process.pid):
        os.kill(child, signal.SIGCONT)
    assert failed.is_set()


def refused(address: str) -> str:
    with pytest.raises(TargetError) as caught:
        open_source(address, "far")
    return str(caught.value)


def test_a_wrong_key_is_refused(server: SshServer) -> None:
    server.offer("other_key")
    message = refused(server.address)
    assert "requires a password from this user" in message
    assert f"ssh-copy-id -p {server.port} 127.0.0.1" in message


def test_an_unknown_host_key_is_refused(server: SshServer) -> None:
    server.write_known_hosts(None)
    assert "its host key is unknown; log in once" in refused(server.address)


def test_a_changed_host_key_is_refused(server: SshServer) -> None:
    server.write_known_hosts("other_key")
    assert "its host key has changed" in refused(server.address)


@pytest.mark.usefixtures("server")
def test_an_unknown_host_name_is_refused() -> None:
    assert "there is no host of that name" in refused("ssh://nowhere.invalid")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo hello", "ssh ended without a message"),
        ("echo @headcount-hello; echo system FreeBSD; echo @headcount-ready", "it runs FreeBSD"),
        ("yes", "its answer is too large"),
        ("echo this account is closed >&2; exit 1", "ssh says: this account is closed"),
    ],
)
def test_unexpected_answers_are_refused(server: SshServer, command: str, message: str) -> None:
    server.force(command)
    assert message in refused(server.address)


def test_output_of_start_up_files_is_skipped(server: SshServer) -> None:
    server.force('echo Welcome; echo system Plan9; sh -c \\"$SSH_ORIGINAL_COMMAND\\"')
    source = open_source(server.address, "far")
    assert source.sample().values["system.cpu.logical.count"] == os.cpu_count()
    source.close()


def test_without_ssh_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemLimitError, match="apt install openssh-client"):
        open_source("ssh://127.0.0.1:1", "far")
