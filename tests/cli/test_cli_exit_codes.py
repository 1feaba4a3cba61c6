"""Exit codes of errors: one message each, which says what to do, and no traceback."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest

from headcount import cli
from headcount.bundle import reader
from headcount.cli import line as line_of_typer
from headcount.controller import access, sut
from headcount.controller.access import app as app_access
from headcount.controller.access import open as opening
from headcount.controller.access import smb as smb_access
from headcount.errors import InputError
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.workloads import load
from processes import Ended, Headcount, listening, phase

LIGHT = str(Path(__file__).parents[1] / "e2e" / "light.toml")
NOBODY = "app://192.0.2.1:7410"
NO_FILE_SERVER = "smb://192.0.2.1/data"
"""Addresses of TEST-NET-1 (RFC 5737): nobody's, and no packet may be sent to them."""
WORKLOADS = {NOBODY: "app-server", NO_FILE_SERVER: "home-folders"}
GIVEN = "s3cret-of-the-users"


def assert_refused(ended: Ended, code: int, *texts: str) -> None:
    assert ended.code == code, ended
    for text in texts:
        assert text in ended.message.replace("\n", " ")
    assert ended.out == ""
    assert "\x1b[" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["app-servr", "--target", "lab:app"], ["app-servr", 'did you mean "app-server"']),
        (["app-server"], ["--target lab:app", "--target app://host:port"]),
        (["app-server", "--target", "lab:ap"], ["lab:app"]),
        (["app-server", "--target", "ftp://127.0.0.1:21"], ['no protocol "ftp"', "app"]),
        (
            ["app-server", "--target", "lab:app", "--criteria", "p95>=1s"],
            ["must be written with <="],
        ),
        (["app-server", "--target", "lab:app", "--criteria", "p95<=0s"], ["never be met"]),
        (["app-server", "--target", "lab:app", "--criteria", "rd:p95<=1s"], ["random-read"]),
        (["app-server", "--target", "lab:app", "--levels", "9..1/2"], ["10..200/10"]),
        (["app-server", "--target", "lab:app", "--users", "0"], ["1 to"]),
        (["app-server", "--target", "lab:app", "--duration", "5x"], ["30s"]),
        (["app-server", "--target", "lab:app", "--users", "1", "--search"], ["exclude"]),
        (["app-server", "--target", "lab:app", "--set", "threads"], ["threads=4"]),
        (["app-server", "--target", "lab:app", "--set", "colour=red"], ["no setting", "threads"]),
        (["app-server", "--target", "lab:app", "--set", "threads=many"], ['"many"', "0 to 10000"]),
        (["app-server", "--target", "lab:app", "--set", "write_mode=fast"], ["buffered, dsync"]),
        (["app-server", "--target", "lab:app", "--token-file", "/no/such"], ["/no/such"]),
        (["app-server", "--target", NOBODY], ["192.0.2.1:7410", "--authorised-by", "consent"]),
        (["no-such-file.toml", "--target", "lab:app"], ["no-such-file.toml"]),
        (["home-folders"], ["--target lab:samba", "--target smb://host/share"]),
        (["home-folders", "--target", "lab:app"], ['speaks "smb"', "smb://host/share"]),
        (["app-server", "--target", "lab:samba"], ['speaks "app"', "app://host:port"]),
        (["home-folders", "--target", "smb://127.0.0.1"], ["one share", "smb://server/data"]),
        (["home-folders", "--target", "smb://127.0.0.1/a/b"], ["one share"]),
        (["home-folders", "--target", "lab:samba", "--client", "signing"], ["signing=required"]),
        (
            ["home-folders", "--target", "lab:samba", "--client", "singing=off"],
            ['did you mean "signing"'],
        ),
        (["home-folders", "--target", "lab:samba", "--user", "{m}"], ["user{n:05}"]),
        (["home-folders", "--target", "smb://127.0.0.1/a", "--shares", "3"], ["a pattern"]),
        (["app-server", "--target", "lab:app", "--shares", "3"], ["--shares is for file servers"]),
        (["app-server", "--target", "lab:app", "--user", "ada"], ["--client, --user"]),
        (["home-folders", "--target", "smb://127.0.0.1/a"], ["no terminal", "HEADCOUNT_PASSWORD"]),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, list) else None,
)
def test_bad_input(headcount: Headcount, arguments: list[str], texts: list[str]) -> None:
    assert_refused(headcount.run("run", *arguments), 2, *texts)
    assert headcount.bundles() == []
    assert headcount.leftovers() == []


@pytest.mark.parametrize("target", WORKLOADS)
def test_no_connection_is_made_before_the_load_is_allowed(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    opened: list[object] = []

    def no_socket(*_: object) -> None:
        raise AssertionError("a socket was connected")

    for module, name in ((app_access, "AppAccess"), (smb_access, "SmbAccess")):
        monkeypatch.setattr(module, name, lambda *given: opened.append(given))
    monkeypatch.setattr(socket.socket, "connect", no_socket)
    secrets = access.Secrets(GIVEN, GIVEN)
    plan = resolve(load(WORKLOADS[target]), target, Overrides(users=1))
    with pytest.raises(InputError, match="nobody has said who allowed"), sut.connect(plan, secrets):
        pass
    assert opened == []
    plan = resolve(load(WORKLOADS[target]), target, Overrides(users=1, authorised_by="Ada"))
    checked = opening.allowed_target(plan, parse(target))
    opening.target_access(plan, checked, secrets)
    assert len(opened) == 1


@pytest.mark.parametrize("verb", ["prepare", "cleanup"])
@pytest.mark.parametrize("target", WORKLOADS)
def test_data_is_not_touched_without_consent_either(
    headcount: Headcount, verb: str, target: str
) -> None:
    options = [WORKLOADS[target], "--users", "1", "--seed", "1"] if verb == "prepare" else []
    ended = headcount.run(verb, *options, "--target", target, HEADCOUNT_PASSWORD=GIVEN)
    assert_refused(ended, 2, "--authorised-by")
    assert GIVEN not in ended.err


@pytest.mark.parametrize("written", ["thikn", "workload.pace.tiem", "search.max_user"])
def test_an_unknown_key_of_a_plan(headcount: Headcount, written: str) -> None:
    plan = resolve(load("app-server"), "lab:app", Overrides(users=1, seed=1))
    path = headcount.home / "plan.toml"
    path.parent.mkdir()
    *tables, key = written.split(".")
    head = f"[{'.'.join(tables)}]\n" if tables else "format = 1\n"
    text = plan.to_toml()
    assert head in text
    path.write_text(text.replace(head, f'{head}{key} = "1s"\n', 1), "utf-8")
    nearest = {"tiem": "time", "max_user": "max_users"}.get(key, "")
    assert_refused(headcount.run("run", str(path)), 2, f"{written}: there is no such key", nearest)


def test_an_option_that_does_not_exist(headcount: Headcount) -> None:
    ended = headcount.run("run", "app-server", "--tarjet", "lab:app")
    assert ended.code == 2
    assert "--target" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("verb", ["show", "report", "resume"])
def test_a_folder_that_is_not_a_bundle(headcount: Headcount, tmp_path: Path, verb: str) -> None:
    assert_refused(headcount.run(verb, str(tmp_path)), 2, str(tmp_path), "headcount runs")


@contextlib.contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """A server that sends every client the same, and closes the connection."""

    def serve(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                with listener.accept()[0] as connection:
                    connection.sendall(answer)
                    connection.recv(65_536)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_nobody_listens(headcount: Headcount) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = f"app://127.0.0.1:{listener.getsockname()[1]}"
    ended = headcount.run("run", LIGHT, "--target", target, "--users", "1")
    assert_refused(ended, 3, target.removeprefix("app://"), "is running there")


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


def test_another_server_listens(headcount: Headcount) -> None:
    with answering(HTTP) as address:
        ended = headcount.run("run", LIGHT, "--target", f"app://{address}", "--users", "1")
    assert_refused(ended, 3, address, "Headcount")
    assert headcount.bundles() == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [(HTTP, "answered, but not as an SMB server"), (b"", "a file server is running there")],
)
def test_something_other_than_a_file_server_listens(
    headcount: Headcount, answer: bytes, message: str
) -> None:
    with answering(answer) as address:
        ended = headcount.run(
            *("run", "home-folders", "--target", f"smb://{address}/data", "--users", "1"),
            HEADCOUNT_PASSWORD=GIVEN,
        )
    assert_refused(ended, 3, address, message)
    assert GIVEN not in ended.err
    assert headcount.bundles() == []


def test_a_server_that_never_answers(headcount: Headcount, proof: bool) -> None:
    cases = [("app-server", "app://{}", "it hangs")]  # given up after 10 s
    if proof:  # after 20 s
        cases += [("home-folders", "smb://{}/data", "a file server is running there")]
    for workload, target, message in cases:
        with listening() as server:
            address = "{}:{}".format(*server.getsockname())
            ended = headcount.run(
                *("run", workload, "--target", target.format(address), "--users", "1"),
                HEADCOUNT_PASSWORD=GIVEN,
            )
        assert_refused(ended, 3, address, message)
        assert GIVEN not in ended.err
        assert headcount.bundles() == []


@pytest.mark.e2e
def test_criteria_that_do_not_hold(headcount: Headcount) -> None:
    # A refused user is too slow for any limit; one of a second tolerates timers 50 ms late.
    server = ("--target", "lab:app", "--set", "connections=2")
    for _ in range(6):
        ended = headcount.run(
            *("run", LIGHT, *server, "--users", "4", "--criteria", "p95<=1s", "--json")
        )
        if ended.code != 4:  # a busy machine spoilt the level
            break
    assert ended.code == 1
    assert ended.json["outcome"] == "failed"
    assert "p95 of those completed is" in ended.json["broke_first"]


@pytest.mark.e2e
def test_a_level_in_which_the_generator_was_the_limit(headcount: Headcount) -> None:
    run = headcount.start("run", LIGHT, "--target", "lab:app", "--users", "4", "--duration", "3s")
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    run.send(SIGSTOP)
    time.sleep(1)
    run.send(SIGCONT)
    ended = run.ended()
    assert ended.code == 4
    assert "timers" in ended.out
    (level,) = reader.load(headcount.bundle).levels
    assert level.outcome == "invalid"
    assert level.generator.limited


def test_too_few_file_handles(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", LIGHT, "--target", "lab:app", "--levels", "1,1000"), ulimit="-n 600"
    )
    assert_refused(ended, 5, "1000 users", "ulimit -n")
    assert ended.err.endswith("\nheadcount doctor shows what this machine lacks\n")
    ended = headcount.run("run", LIGHT, "--target", "lab:app", "--users", "1", ulimit="-n 300")
    assert_refused(ended, 5, "ulimit -n")
    assert headcount.bundles() == []


@pytest.mark.parametrize(("runs", "code"), [("/proc/headcount", 5), (__file__, 2)])
def test_a_folder_that_cannot_be_written(headcount: Headcount, runs: str, code: int) -> None:
    _, target = headcount.serve(headcount.home / "data")
    ended = headcount.run("run", LIGHT, "--target", target, "--users", "1", "--runs", runs)
    assert_refused(ended, code, runs, "--runs")


def test_no_place_for_the_servers_data(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", LIGHT, "--target", "lab:app", "--users", "1"), XDG_CACHE_HOME="/proc"
    )
    assert_refused(ended, 5, "/proc/headcount/lab", "XDG_CACHE_HOME")


@pytest.mark.e2e
def test_a_disk_that_fills_up(headcount: Headcount) -> None:
    _, target = headcount.serve(headcount.home / "data")
    options = ("--levels", "1,2,3", "--ramp", "0s", "--duration", "1s")
    # No file may become larger than some 20 KiB: the same to a program as a full disk.
    ended = headcount.run("run", LIGHT, "--target", target, *options, ulimit="-f 40")
    assert_refused(ended, 5, "cannot write", str(headcount.bundle), "raise it: ulimit -f unlimited")
    assert not list(headcount.bundle.glob(".*"))
    shown = headcount.run("show", str(headcount.bundle))
    assert shown.code == 0
    resumed = headcount.run("resume", str(headcount.bundle))
    assert resumed.code in (0, 4)
    assert len(reader.load(headcount.bundle).levels) == 3

    (headcount.bundle / "verdict.json").unlink()
    again = headcount.run("resume", str(headcount.bundle), ulimit="-f 2")
    assert_refused(again, 5, "cannot write", "raise it: ulimit -f unlimited")
    assert len(reader.load(headcount.bundle).levels) == 3


class PanicException(BaseException):
    """A panic of the engine, as PyO3 raises it."""


@pytest.mark.parametrize("defect", [ZeroDivisionError, PanicException])
def test_a_defect_is_not_a_failed_criterion(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    defect: type[BaseException],
) -> None:
    def broken(_verbs: Iterable[str]) -> None:
        raise defect("division by zero")

    monkeypatch.setattr(line_of_typer, "app_of", broken)
    monkeypatch.setattr(cli, "ENDS", ())
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 70
    assert "defect of Headcount" in capsys.readouterr().err
