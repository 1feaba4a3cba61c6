"""What the logs of servers say: known lines are counted and quoted, once for each level."""

import re
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest

from headcount.analyse.diagnosis.log_lines import (
    EVENT,
    Pattern,
    known,
    log_lines,
    logged_knobs,
    patterns,
)
from headcount.bundle.files import read_lines
from headcount.bundle.writer import BundleWriter
from headcount.controller.server_logs import MOST_BYTES, MOST_CHARACTERS, ServerLogs
from headcount.lab.web import WebServer
from headcount.protocols.registry import start_lab
from headcount.tune.knobs.library import library

REAL = {
    "apache-workers": "[Sun Nov 22 02:00:00.1 2026] [mpm_event:error] [pid 1] AH00484: server "
    "reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting",
    "apache-scoreboard": "AH03490: scoreboard is full, not at MaxRequestWorkers.Increase "
    "ServerLimit.",
    "nginx-connections": "2026/11/22 02:00:00 [alert] 7#7: 64 worker_connections are not enough",
    "postfix-processes": 'postfix/master[1]: warning: service "smtp" (25) has reached its process '
    'limit "4": new clients may experience noticeable delays',
    "dovecot-processes": "master: Warning: service(imap): process_limit (2) reached, client "
    "connections are being dropped",
    "postgresql-connections": "2026-11-22 02:00:00 UTC [1] FATAL:  sorry, too many clients already",
    "out-of-memory": "Memory cgroup out of memory: Killed process 1 (smbd)",
    "open-files": "accept4() failed (24: Too many open files)",
    "samba-processes": "number of processes (5) is over allowed limit (4)",
}
QUIET = (
    # Apache says so of every server with fewer workers than it wants to spare: no sign of a limit.
    "AH10159: server is within MinSpareThreads of MaxRequestWorkers, consider raising the "
    "MaxRequestWorkers setting"
)


def test_every_known_line_is_recognised_as_itself() -> None:
    assert {one.name for one in patterns()} == set(REAL)
    for name, line in REAL.items():
        found = known(line)
        assert found is not None
        assert found.name == name
        assert found.meaning[0].islower()
        assert not found.meaning.endswith(".")
        assert found.knob
        re.compile(found.pattern)
    assert known(QUIET) is None


def test_lines_name_the_settings_that_a_tuning_tries() -> None:
    found = {name: [*pattern.knobs_in(REAL[name])] for name, pattern in by_name().items()}
    assert found["dovecot-processes"] == ["service/imap/process_limit"]
    assert found["postfix-processes"] == ["default_process_limit", "smtp maxproc"]
    assert found["nginx-connections"] == ["worker_connections"]
    assert found["out-of-memory"] == []
    dovecot = by_name()["dovecot-processes"]
    refused = (
        "imap-login: Error: master(imap): read() failed: Remote closed connection (destination "
        "service { process_limit } reached?) (client-pid=1, client-id=1)"
    )
    assert dovecot.knobs_in(refused) == ["service/imap/process_limit"]
    clients = "master: Warning: service(auth): client_limit (1000) reached, client connections"
    assert dovecot.knobs_in(clients) == ["service/auth/client_limit"]
    assert dovecot.knobs_in("client_limit (5) reached") == []
    assert by_name()["postfix-processes"].knobs_in("it has reached its process limit") == [
        "default_process_limit"
    ]


def test_the_settings_that_lines_name_are_knobs_or_have_none() -> None:
    known_ones = {knob.name for server in library().values() for knob in server.knob}
    plain = {knob for one in patterns() for knob in one.knobs if "{" not in knob}
    assert plain <= known_ones, plain - known_ones
    filled = {knob for name, one in by_name().items() for knob in one.knobs_in(REAL[name])}
    assert filled <= known_ones, filled - known_ones


def by_name() -> dict[str, Pattern]:
    return {one.name: one for one in patterns()}


def test_lines_are_counted_and_the_first_is_quoted(tmp_path: Path) -> None:
    log = tmp_path / "errors"
    log.write_text(f"{REAL['nginx-connections']} before\n")
    logs = ServerLogs({"nginx": log})
    assert logs.new() == []
    with log.open("a") as file:
        first = REAL["nginx-connections"] + " first" + "x" * 1000
        file.write(f"{QUIET}\n{first}\n" + f"{REAL['nginx-connections']}\n" * 4)
        file.write(f"{REAL['open-files']}\n{REAL['open-files']}")  # the last is being written
    many, files = logs.new()
    assert (many.kind, many.log, many.limit, many.times) == (
        "nginx-connections",
        "nginx",
        "refusal",
        5,
    )
    assert many.line == first[:MOST_CHARACTERS]
    assert many.knob == "worker_connections"
    assert many.knobs == ("worker_connections",)
    assert files.knobs == ()
    assert (files.kind, files.times) == ("open-files", 1)
    assert logs.new() == []
    with log.open("a") as file:
        file.write("\n")
    assert [(one.kind, one.times) for one in logs.new()] == [("open-files", 1)]


def test_a_log_that_starts_over_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"{QUIET}\n" * 100)
    logs = ServerLogs({"samba": log, "none": tmp_path / "nothing"})
    log.write_text(f"{REAL['samba-processes']}\n")
    assert [one.kind for one in logs.new()] == ["samba-processes"]
    log.unlink()
    assert logs.new() == []


def test_only_the_end_of_a_huge_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("")
    logs = ServerLogs({"nginx": log})
    with log.open("a") as file:
        file.write(
            f"{REAL['open-files']}\n" + "x" * MOST_BYTES + f"\n{REAL['nginx-connections']}\n"
        )
    assert [one.kind for one in logs.new()] == ["nginx-connections"]


def test_a_real_apache_without_free_workers_says_so_in_the_bundle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab("apache", {"workers": "2"})
        assert isinstance(server, WebServer)
        assert server.most == {"workers": 2}
        logs = ServerLogs(server.logs)
        (tmp_path / "bundle").mkdir()
        bundle = BundleWriter(tmp_path / "bundle")
        host, _, port = server.address.rpartition(":")
        ended, log = threading.Event(), server.logs["apache"]

        def hold() -> None:
            with socket.create_connection((host, int(port))) as held:
                held.sendall(b"GET / HTTP/1.1\r\n")  # the worker waits for the rest
                ended.wait(30)

        clients = [threading.Thread(target=hold) for _ in range(4)]
        try:
            for client in clients:
                client.start()
            deadline_s = time.monotonic() + 30
            while "AH00484" not in log.read_text():
                assert time.monotonic() < deadline_s
                time.sleep(0.1)
            logs.note(bundle, 12.5, level=3)
        finally:
            ended.set()
            for client in clients:
                client.join()
            server.stop()
            bundle.close()
    lines = read_lines(tmp_path / "bundle" / "events.ndjson")
    (event,) = [line for line in lines if line["event"] == EVENT]
    assert (event["level"], event["log"], event["limit"]) == (3, "apache", "pool")
    assert event["knob"] == "MaxRequestWorkers"
    assert logged_knobs([event]) == {"MaxRequestWorkers"}
    assert "AH00484" in event["line"]
    (line,) = log_lines([event])
    assert (line.t_s, line.log, line.limit) == (12.5, "apache", "pool")
