"""Redis's configuration: read and changed as a running Redis understands it."""

import contextlib
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.lab import port
from headcount.lab.redis import RedisServer, program
from headcount.protocols.registry import start_lab
from headcount.tune.host import ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.redis import Redis
from headcount.tune.servers.redis_text import MARK, appended, directives
from headcount.tune.servers.registry import find
from headcount.tune.servers.server import Setting
from headcount.tune.values import Values, names_of
from processes import wait_for

KNOBS = {knob.name: knob for knob in of_server("redis").knob}
HOST = ThisHost()
BASE = "bind 127.0.0.1\nprotected-mode no\n"


def ask(number: int, *words: str) -> str:
    return HOST.run(["redis-cli", "-p", str(number), *words]).output.strip()


def in_force(number: int, name: str) -> str:
    return ask(number, "CONFIG", "GET", name).partition("\n")[2]


@contextlib.contextmanager
def running(
    folder: Path, text: str | None, *options: str, name: str | None = None
) -> Iterator[tuple[int, int]]:
    """A Redis with a file, or with options alone; yields its process and its port."""
    number = port.free()
    path = folder / "redis.conf"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    file = [] if text is None else [str(path)]
    command = [name or program(), *file, "--port", str(number), "--dir", str(folder), *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for(lambda: process.poll() is not None or port.answers(number))
        assert process.poll() is None, (folder / "log").read_text()
        wait_for(lambda: ask(number, "PING").endswith(("PONG", "required.")))
        yield process.pid, number
    finally:
        process.kill()
        process.wait()


def server_of(pid: int) -> Redis:
    found = find(HOST, [pid])
    assert isinstance(found, Redis)
    return found


def by_name(changes: Mapping[str, str]) -> Mapping[Knob, str]:
    return {KNOBS[name]: value for name, value in changes.items()}


def values_of(knob: Knob) -> Sequence[str]:
    """Every word, both bounds and the rules of thumb."""
    values = Values(knob, None, names_of(HOST, 100, {}))
    return list(dict.fromkeys([*knob.words, *map(str, values.bounds or ()), *values.rules]))


def test_directives_are_read() -> None:
    text = '# hz 5\r\n\r\n  HZ 20\r\nsave "60 1"\nappendonly\n'
    assert list(directives(text)) == [("hz", "20"), ("save", '"60 1"'), ("appendonly", "")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"{MARK}\nhz 5\n"),
        ("hz 1", f"hz 1\n{MARK}\nhz 5\n"),
        ("hz 1\r\n", f"hz 1\r\n{MARK}\r\nhz 5\r\n"),
    ],
)
def test_lines_are_appended(text: str, expected: str) -> None:
    assert appended(text, ["hz 5"]) == expected


def test_redis_knows_every_default(tmp_path: Path) -> None:
    with running(tmp_path, BASE) as (pid, _):
        server = server_of(pid)
        for knob in KNOBS.values():
            assert server.setting(knob) == Setting(knob.default, is_set=False), knob.name


def test_redis_starts_with_every_value_and_its_test_takes_it(tmp_path: Path) -> None:
    values = {knob: values_of(knob) for knob in KNOBS.values()}
    with running(tmp_path, BASE) as (pid, _):
        server = server_of(pid)
        # Without a snapshot to load, and with no more connections than files may be open.
        for turn in range(max(map(len, values.values()))):
            changes = {knob: found[min(turn, len(found) - 1)] for knob, found in values.items()}
            for knob in [one for one in changes if one.name == "activedefrag"]:
                del changes[knob]
            for path, content in server.edited(changes).items():
                HOST.write(path, content)
            assert server.test() is None, changes
            text = (tmp_path / "redis.conf").read_text()
            other = tmp_path / f"turn{turn}"
            other.mkdir()
            with running(other, text) as (second, _):
                found = server_of(second)
                for knob, value in changes.items():
                    if knob.name != "maxclients":
                        assert found.setting(knob).value == value, knob.name


def test_live_knobs_are_set_and_go_back_to_what_was_in_force(tmp_path: Path) -> None:
    text = BASE + "# caf\udce9\r\nhz 20\nmaxmemory 100mb\nsave 60 5"
    with running(tmp_path, text) as (pid, number):
        assert ask(number, "CONFIG", "SET", "maxclients", "500") == "OK"
        server = server_of(pid)
        path = str(tmp_path.resolve() / "redis.conf")
        assert server.setting(KNOBS["hz"]) == Setting("20", True, path)
        assert server.setting(KNOBS["maxmemory"]) == Setting("100", True, path)
        assert server.setting(KNOBS["save"]) == Setting("60 5", True, path)
        by_hand = "CONFIG SET or its command line"
        assert server.setting(KNOBS["maxclients"]) == Setting("500", True, by_hand)
        original = HOST.read(path)
        assert original is not None
        for knob in KNOBS.values():
            if knob.apply != "live" or knob.name == "activedefrag":
                continue
            before = in_force(number, knob.name)
            for value in values_of(knob):
                if knob.name == "maxclients" and int(value) > 1000:
                    continue
                (content,) = server.edited({knob: value}).values()
                HOST.write(path, content)
                assert server.test() is None
                ended = HOST.run(server.reload_command)
                assert (ended.code, ended.output) == (0, ""), (knob.name, value)
                assert server_of(pid).setting(knob).value == value
            HOST.write(path, original)
            assert HOST.run(server.reload_command).code == 0
            assert in_force(number, knob.name) == before, knob.name
        assert HOST.read(path) == text.encode("utf-8", "surrogateescape")


def test_what_redis_refuses(tmp_path: Path) -> None:
    with running(tmp_path, BASE) as (pid, number):
        server = server_of(pid)
        path = tmp_path / "redis.conf"
        for changes, message in (
            ({"hz": "much"}, "hz much"),
            ({"appendfsync": "perhaps"}, "appendfsync perhaps"),
        ):
            (content,) = server.edited(by_name(changes)).values()
            HOST.write(str(path), content)
            objection = server.test() or ""
            assert message.split()[1] in objection, objection
            assert "FATAL CONFIG FILE ERROR" in objection
            ended = HOST.run(server.reload_command)
            assert ended.code != 0
            assert "ERR" in ended.output
        path.unlink()
        assert server.test() is not None
        with pytest.raises(InputError, match="there is no file"):
            server_of(pid).edited(by_name({"hz": "5"}))
        unknown = KNOBS["hz"].model_copy(update={"name": "hertz"})
        with pytest.raises(InputError, match="hertz cannot be changed"):
            server.edited({unknown: "5"})
        assert in_force(number, "hz") == "10"


def test_a_file_that_redis_would_refuse_cannot_be_tuned(tmp_path: Path) -> None:
    with running(tmp_path, BASE) as (pid, _):
        server = server_of(pid)
        with (tmp_path / "redis.conf").open("a") as file:
            file.write("include gone.conf\n")
        with pytest.raises(InputError, match=r"refuses its own configuration.*gone\.conf"):
            server.setting(KNOBS["hz"])


def test_a_knob_that_this_version_does_not_know_is_refused_by_the_test(tmp_path: Path) -> None:
    with running(tmp_path, BASE) as (pid, _):
        server = server_of(pid)
        newer = KNOBS["io-threads"].model_copy(update={"name": "io-threads-of-tomorrow"})
        assert server.setting(newer) == Setting(None, is_set=False)
        for path, content in server.edited({newer: "2"}).items():
            HOST.write(path, content)
        assert "io-threads-of-tomorrow" in (server.test() or "")


def test_what_needs_a_restart_cannot_be_set_while_redis_runs(tmp_path: Path) -> None:
    restart = [knob for knob in KNOBS.values() if knob.apply == "restart"]
    assert restart
    with running(tmp_path, BASE) as (_, number):
        for knob in restart:
            assert "immutable" in ask(number, "CONFIG", "SET", knob.name, knob.default), knob.name


def test_what_this_redis_was_not_built_for_is_refused_before_it_is_set(tmp_path: Path) -> None:
    with running(tmp_path, BASE) as (pid, number):
        answer = ask(number, "CONFIG", "SET", "activedefrag", "yes")
        server = server_of(pid)
        for path, content in server.edited(by_name({"activedefrag": "yes"})).items():
            HOST.write(path, content)
        assert (server.test() is None) == (answer == "OK"), answer


def test_included_files_are_read_and_links_are_left(tmp_path: Path) -> None:
    inner = tmp_path / "inner.conf"
    inner.write_text("hz 30\n")
    real = tmp_path / "real.conf"
    real.write_text(f"{BASE}include {inner}\ninclude {tmp_path}/none*.conf\n")
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "redis.conf").symlink_to(real)
    text = real.read_text()
    with running(folder, text) as (pid, _):
        server = server_of(pid)
        assert server.setting(KNOBS["hz"]) == Setting("30", True, str(inner))
        files = server.edited(by_name({"hz": "40"}))
        assert files == {str(real): f"{text}{MARK}\nhz 40\n".encode()}
        HOST.write(str(real), files[str(real)])
        assert HOST.run(server.reload_command).code == 0
        assert server_of(pid).setting(KNOBS["hz"]).value == "40"


def test_a_redis_started_by_name_can_be_tuned(tmp_path: Path) -> None:
    with running(tmp_path, BASE, name="redis-server") as (pid, _):
        server = server_of(pid)
        assert server.setting(KNOBS["hz"]) == Setting("10", is_set=False)
        assert server.test() is None


def test_without_a_file_it_cannot_be_tuned(tmp_path: Path) -> None:
    with (
        running(tmp_path, None) as (pid, _),
        pytest.raises(InputError, match=r"without a configuration file.*redis-server /etc"),
    ):
        server_of(pid)


def test_a_password_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path, f"{BASE}requirepass sesame\n") as (pid, _):
        with pytest.raises(InputError, match="REDISCLI_AUTH="):
            server_of(pid)
        monkeypatch.setenv("REDISCLI_AUTH", "sesame")
        server = server_of(pid)
        assert "sesame" not in " ".join(server.reload_command)
        assert server.setting(KNOBS["hz"]).value == "10"


@pytest.mark.parametrize("tls", ["off", "on"])
def test_the_labs_redis_takes_new_values_and_goes_back(
    tls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lab = start_lab("redis", {"tls": tls})
    assert isinstance(lab, RedisServer)
    try:
        server = server_of(lab.pids[0])
        assert server.setting(KNOBS["save"]).value == '""'
        assert server.setting(KNOBS["io-threads"]).value == "1"
        (path,) = files = server.edited(by_name({"hz": "50", "lazyfree-lazy-user-del": "yes"}))
        original = HOST.read(path)
        assert original is not None
        owner = Path(path).stat().st_uid
        HOST.write(path, files[path])
        assert server.test() is None
        for content, hz, lazy in ((files[path], "50", "yes"), (original, "10", "no")):
            HOST.write(path, content)
            assert HOST.run(server.reload_command).code == 0
            fresh = server_of(lab.pids[0])
            assert fresh.setting(KNOBS["hz"]).value == hz
            assert fresh.setting(KNOBS["lazyfree-lazy-user-del"]).value == lazy
        assert Path(path).stat().st_uid == owner
    finally:
        lab.stop()
