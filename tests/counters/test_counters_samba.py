"""What a real Samba reports, against who is logged on."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from headcount.counters.catalogue import catalogue
from headcount.counters.samba import SambaSource, figures
from headcount.lab.samba import SambaServer
from headcount.protocols.registry import start_lab

NAMES = {"samba.sessions", "samba.tree_connects", "samba.open_files"}


def until(source: SambaSource, holds: Callable[[Mapping[str, float]], bool]) -> Mapping[str, float]:
    deadline_s = time.monotonic() + 60
    while not holds(values := source.sample().values):
        assert time.monotonic() < deadline_s, values
        time.sleep(0.02)
    return values


def test_sessions_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab("samba", {})
        assert isinstance(server, SambaServer)
        now_s = [0.0]
        try:
            host, port = server.address.split(":")
            share = f"//{host}/{server.share.format(n=0)}"
            command = ["smbclient", "-s", "/dev/null", share, "-p", port, "-U"]
            with (
                subprocess.Popen(
                    [*command, server.user.format(n=1)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PASSWD": server.password},
                ) as client,
                closing(SambaSource(server.status, clock=lambda: now_s[0])) as source,
            ):
                assert source.sample().values == {}

                def one(values: Mapping[str, float]) -> bool:
                    now_s[0] += 60.0  # it is always time to ask again
                    return values.get("samba.sessions") == 1

                values = until(source, one)
                assert set(values) == NAMES
                assert values["samba.open_files"] >= 0
                assert client.stdin
                client.stdin.close()
                client.wait(30)
                until(source, lambda v: (one(v), v.get("samba.sessions") == 0)[1])
        finally:
            server.stop()


def test_smbstatus_runs_again_only_within_its_share_of_cpu(tmp_path: Path) -> None:
    log = tmp_path / "asked"
    burn = (
        f"import time; open({str(log)!r}, 'a').write('x')\n"
        "while time.process_time() < 0.1: pass\n"
        'print(\'{"sessions": {"1": {}}, "tcons": {}, "open_files": {}}\')'
    )
    now_s = [0.0]
    with closing(
        SambaSource([sys.executable, "-c", burn], most=7, clock=lambda: now_s[0])
    ) as source:
        until(source, lambda values: "samba.sessions" in values)
        for _ in range(10):  # 0.1 s of CPU time at 1% of a core: not for ten seconds
            now_s[0] += 0.9
            assert source.sample().values == {"samba.processes.limit": 7}
        assert log.read_text() == "x"
        now_s[0] += 60
        values = until(source, lambda values: "samba.sessions" in values)
        assert log.read_text() == "xx"
    assert values == {
        "samba.sessions": 1,
        "samba.tree_connects": 0,
        "samba.open_files": 0,
        "samba.processes.limit": 7,
    }
    assert set(values) == {name for name in catalogue() if name.startswith("samba.")}


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"sessions": 3}'])
def test_other_text_gives_nothing(text: bytes) -> None:
    assert figures(text) == {}


def test_a_program_that_is_missing_or_fails_gives_nothing() -> None:
    for command in (["/nonexistent/smbstatus"], [sys.executable, "-c", "raise SystemExit(1)"]):
        with closing(SambaSource(command)) as source:
            for _ in range(5):
                assert source.sample().values == {}
                time.sleep(0.02)
