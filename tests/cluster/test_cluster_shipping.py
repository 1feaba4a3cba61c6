"""What is sent to a host, and the certificates by which machines know each other."""

import contextlib
import datetime as dt
import io
import os
import re
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from headcount.cluster.certificates import Authority, Certificate
from headcount.cluster.far import files
from headcount.cluster.hosts import Host
from headcount.cluster.login import Login
from headcount.cluster.shipping import Build, Part, Sender
from headcount.errors import SystemLimitError


def test_a_build_is_what_an_agent_needs_and_nothing_else() -> None:
    build = Build()
    names = [part.name for part in build.parts]
    for wanted in ("headcount/_engine.abi3.so", "headcount/cluster/actor.py", "ray/_raylet.so"):
        assert wanted in names
    assert any(re.fullmatch(r"headcount-[\d.]+\.dist-info/METADATA", name) for name in names)
    installed = {part.name.partition("/")[0] for part in build.parts}
    assert {"numpy", "cryptography", "google", "linkify_it"} <= installed
    assert not installed & {"pytest", "_pytest", "mypy", "ruff", "hypothesis", "playwright"}
    assert not [name for name in names if "/tests/" in name or name.endswith(".pyc")]
    assert build.hash == Build().hash
    assert re.fullmatch("[0-9a-f]{16}", build.hash)


def test_another_build_has_another_hash(tmp_path: Path) -> None:
    first, second = Build(), Build()
    changed = tmp_path / "line.py"
    changed.write_text("x = 1\n", "utf-8")
    second.parts = [
        Part(changed, one.name) if one.name == "headcount/generator/line.py" else one
        for one in first.parts
    ]
    assert first.hash != second.hash


def sent_bytes(parts: list[Part]) -> bytes:
    output = io.BytesIO()
    build = Build()
    build.parts = parts
    counted: list[int] = []
    build.send(Sender(output, counted.append))
    assert sum(counted) < len(output.getvalue())
    return output.getvalue()


def test_a_build_is_unpacked_whole_and_uses_nothing_else(tmp_path: Path) -> None:
    module = tmp_path / "only.py"
    module.write_text("answer = 42\n", "utf-8")
    program = os.path.realpath(sys.executable)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    stream = io.BytesIO(sent_bytes([Part(module, "sub/only.py")]) + b"next request\n")
    folder = tmp_path / "far"
    files.prepare(str(folder))
    build = files.unpack(str(folder), "b1", program, version, stream)
    assert stream.readline() == b"next request\n"
    assert files.has_build(str(folder), "b1")
    line = [f"{build}/bin/python3", "-c", "import sub.only, sys; print(sub.only.answer, sys.path)"]
    shown = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    assert shown.startswith("42 ")
    others = [one for one in re.findall(r"'([^']*site-packages)'", shown) if build not in one]
    assert others == []


def test_a_build_that_is_cut_off_leaves_nothing(tmp_path: Path) -> None:
    module = tmp_path / "only.py"
    module.write_bytes(bytes(100_000))
    whole = sent_bytes([Part(module, "only.py")])
    folder = tmp_path / "far"
    files.prepare(str(folder))
    with pytest.raises(EOFError):
        files.unpack(str(folder), "b1", "/usr/bin/python3", "3.11", io.BytesIO(whole[:50_000]))
    assert list(folder.iterdir()) == []


def test_files_that_another_node_uses_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "clusters" / "lab"
    runs = [folder / "run-1", folder / "run-2"]
    cut, under_way = folder / ".new-1", folder / ".new-2"
    for one in (*runs, folder / "b1", cut, under_way):
        one.mkdir(parents=True)
    os.utime(cut, (0, 0))
    assert files.remove([str(runs[0])], str(folder), str(folder / "b1")) == []
    assert {one.name for one in folder.iterdir()} == {"run-2", "b1", ".new-1", ".new-2"}
    assert files.remove([str(runs[1])], str(folder), str(folder / "b1")) == []
    assert [one.name for one in folder.iterdir()] == [".new-2"]
    under_way.rmdir()
    assert files.remove([], str(folder), None) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(RuntimeError, match="belongs to another user or is a link"):
        files.prepare(str(tmp_path / "link"))
    open_to_all = tmp_path / "open"
    open_to_all.mkdir(mode=0o777)
    files.prepare(str(open_to_all))
    assert open_to_all.stat().st_mode & 0o777 == 0o700


def test_a_shell_may_print_something_before_python_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nprintf 'a title'\nfor last; do :; done\nexec sh -c \"$last\"\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for python, message in ((sys.executable, ""), ("python9", "load1 has no python9")):
        with contextlib.closing(Login(Host(address="ssh://load1", python=python))) as login:
            if message:
                with pytest.raises(SystemLimitError, match=message):
                    login.begin()
            else:
                login.begin()
                assert login.ask("clock") > 0


def test_only_processes_of_a_node_are_ended(tmp_path: Path) -> None:
    own, other = str(tmp_path / "run-1"), str(tmp_path / "run-12")
    line = ["/bin/sh", "-c", "trap '' TERM; sleep 600 & echo Ray runtime started; wait"]
    with contextlib.closing(Login(None)) as login:
        login.begin()
        started = [start(login, one, line) for one in (own, other)]
        assert (Path(own) / "token").stat().st_mode & 0o777 == 0o600
        assert started[0] in login.ask("alive", run=own)
        assert len(login.ask("alive", run=own)) == 2
        for pid in login.ask("alive", run=own):
            os.kill(pid, signal.SIGKILL)
        assert login.ask("stop", run=own) == []
        assert started[1] in login.ask("alive", run=other)
        for pid in login.ask("alive", run=other):
            os.kill(pid, signal.SIGKILL)
        assert login.ask("stop", run=other) == []


def start(login: Login, run: str, line: list[str], longest_s: float = 30.0) -> int:
    values = {"line": line, "environment": {}, "files": {"token": "x"}}
    return int(login.ask("start", run=run, temp=f"{run}-t", longest_s=longest_s, **values))


def test_errors_of_ray_are_passed_on(tmp_path: Path) -> None:
    line = ["/bin/sh", "-c", "echo ValueError: no such port; exit 1"]
    with contextlib.closing(Login(None)) as login:
        login.begin()
        with pytest.raises(SystemLimitError, match="Ray ended at once: ValueError: no such port"):
            start(login, str(tmp_path / "run"), line)
        with pytest.raises(SystemLimitError, match=r"did not start within 0\.2 s: it says nothing"):
            start(login, str(tmp_path / "r2"), ["/bin/sleep", "1"], 0.2)


NOW = dt.datetime.now(dt.UTC)


def context(folder: Path, own: Certificate, authority: Authority, side: str) -> ssl.SSLContext:
    """As both ends of Ray have it: each shows a certificate, and checks the other's."""
    protocol = ssl.PROTOCOL_TLS_SERVER if side == "server" else ssl.PROTOCOL_TLS_CLIENT
    found = ssl.SSLContext(protocol)
    for name, text in (("crt", own.text), ("key", own.key)):
        (folder / f"{side}.{name}").write_text(text, "utf-8")
    found.load_cert_chain(folder / f"{side}.crt", folder / f"{side}.key")
    found.load_verify_locations(cadata=authority.text)
    found.verify_mode = ssl.CERT_REQUIRED
    return found


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        server.wrap_bio(to_server, to_client, server_side=True),
        client.wrap_bio(to_client, to_server, server_hostname=name),
    ]
    left = {0, 1}
    for _ in range(10):
        for number in sorted(left, reverse=True):
            try:
                ends[number].do_handshake()
                left.discard(number)
            except ssl.SSLWantReadError:
                continue
    assert not left


def test_machines_of_a_cluster_know_each_other(tmp_path: Path) -> None:
    authority = Authority("lab", 7, NOW)
    server = context(
        tmp_path, authority.certificate("a", ["10.0.0.11", "load1"]), authority, "server"
    )
    client = context(tmp_path, authority.certificate("b", ["10.0.0.12"]), authority, "client")
    for name in ("10.0.0.11", "load1", "127.0.0.1", "localhost"):
        shake_hands(server, client, name)
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        shake_hands(server, client, "10.0.0.13")


@pytest.mark.parametrize(
    ("made", "days"), [(NOW - dt.timedelta(days=8), 7), (NOW + dt.timedelta(hours=2), 7)]
)
def test_certificates_are_refused_outside_their_time(
    made: dt.datetime, days: int, tmp_path: Path
) -> None:
    authority = Authority("lab", days, made)
    both = [
        context(tmp_path, authority.certificate("a", ["10.0.0.11"]), authority, side)
        for side in ("server", "client")
    ]
    with pytest.raises(ssl.SSLCertVerificationError, match=r"expired|not yet valid"):
        shake_hands(both[0], both[1], "10.0.0.11")


def test_a_certificate_of_another_authority_is_refused(tmp_path: Path) -> None:
    authority, other = Authority("lab", 7, NOW), Authority("lab", 7, NOW)
    server = context(tmp_path, authority.certificate("a", ["10.0.0.11"]), authority, "server")
    client = context(tmp_path, other.certificate("b", []), authority, "client")
    with pytest.raises(ssl.SSLError):
        shake_hands(server, client, "10.0.0.11")
