"""Samba in the lab: a real smbd, logged on to with Samba's own client."""

import contextlib
import json
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from samba_client import logon, negotiate

from headcount._engine import nt_hash
from headcount.errors import SystemLimitError
from headcount.lab import home, keeper, port, samba, samba_files
from headcount.lab.samba import SambaServer
from headcount.lab.samba_settings import SETTINGS, complete
from headcount.protocols.registry import start_lab
from processes import proc_file, processes_with, wait_for

NOT_SUPPORTED = 0xC00000BB
WRONG = "Passw0rd"


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where homes are, at a path of ordinary length."""
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        yield home.base()
        for pid in processes_with(cache):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def started(**settings: str) -> Iterator[SambaServer]:
    server = start_lab("samba", settings)
    assert isinstance(server, SambaServer)
    try:
        yield server
    finally:
        server.stop()


def home_of_server(base: Path) -> Path:
    (found,) = base.glob("samba-*")
    return found


def family(smbd: int) -> set[int]:
    """The processes of a server."""
    return {smbd, *keeper.descendants(smbd)}


def alive(pids: set[int]) -> bool:
    return bool(pids & {one.pid for one in keeper.processes()})


def nothing_is_left(base: Path) -> bool:
    return not processes_with(str(base)) and list(base.iterdir()) == []


def keeper_of(server: SambaServer) -> int:
    (parent,) = (one.parent for one in keeper.processes() if one.pid == server.pids[0])
    return parent


@contextlib.contextmanager
def users(server: SambaServer, number: int) -> Iterator[set[int]]:
    """Open connections, each with a process of smbd besides its own three; yields all processes."""
    host, text = server.address.split(":")
    with contextlib.ExitStack() as open_ones:
        for _ in range(number):
            open_ones.enter_context(socket.create_connection((host, int(text))))
        wait_for(lambda: len(family(server.pids[0])) >= 3 + number)
        yield family(server.pids[0])


def test_any_user_logs_on_with_the_password_and_nothing_is_left(base: Path) -> None:
    with started() as server:
        assert server.address.startswith("127.0.0.1:")
        assert (server.share, server.shares, server.user) == ("data", 1, "user{n:05}")
        version = subprocess.check_output(["/usr/sbin/smbd", "--version"], text=True)
        assert version.strip() == f"Version {server.programs['samba']}"
        assert Path(f"/proc/{server.pids[0]}/comm").read_text() == "smbd\n"
        for user in (0, 7, 99_999):
            done = logon(server, f"put /etc/passwd u{user}", user=user)
            assert done.returncode == 0, done
            stored = home_of_server(base) / "data" / f"u{user}"
            assert stored.read_bytes() == Path("/etc/passwd").read_bytes()
            assert stored.stat().st_uid == os.geteuid()
        assert stat.S_IMODE(home_of_server(base).stat().st_mode) == 0o700
        secret = home_of_server(base) / "private" / "smbpasswd"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        pids = family(server.pids[0])
    assert nothing_is_left(base)
    assert not alive(pids)
    assert not port.answers(int(server.address.split(":")[1]))
    server.stop()


def test_wrong_and_missing_passwords_are_refused() -> None:
    with started() as server:
        assert "NT_STATUS_LOGON_FAILURE" in logon(server, "ls", password=WRONG).stdout
        assert "NT_STATUS_LOGON_FAILURE" in logon(server, "ls", password="").stdout
        assert logon(server, "ls").returncode == 0


def test_two_servers_have_two_passwords() -> None:
    with started() as one, started() as other:
        assert one.address != other.address
        assert logon(one, "ls", password=other.password).returncode != 0
        assert logon(other, "ls").returncode == 0


def test_each_of_several_shares_has_its_folder(base: Path) -> None:
    with started(shares="12") as server:
        assert (server.share, server.shares) == ("home{n:05}", 12)
        assert logon(server, "put /etc/passwd here", share=11).returncode == 0
        assert "NT_STATUS_BAD_NETWORK_NAME" in logon(server, "ls", share=12).stdout
        assert "here" not in logon(server, "ls", share=0).stdout
        data = home_of_server(base) / "data"
        assert max(path.name for path in data.iterdir()) == "home00011"
        assert [path.name for path in data.rglob("here")] == ["here"]
        assert (data / "home00011" / "here").exists()


def test_eight_thousand_shares() -> None:
    with started(shares="8000") as server:
        assert logon(server, "ls", share=7999).returncode == 0


REACHES = {
    "signing": ("server signing", "if_required", "mandatory", "required"),
    "encryption": ("server smb encrypt", "No", "desired", "desired"),
    "min_protocol": ("server min protocol", "SMB2", "SMB3_00", "SMB3_00"),
    "strict_sync": ("strict sync", "Yes", "no", "No"),
    "oplocks": ("oplocks", "Yes", "no", "No"),
    "read_only": ("read only", "No", "yes", "Yes"),
    "socket_options": (
        *("socket options", "TCP_NODELAY"),
        *("TCP_NODELAY SO_SNDBUF=131072", "TCP_NODELAY SO_SNDBUF=131072"),
    ),
    "max_processes": ("max smbd processes", "0", "40", "40"),
    "aio_read_size": ("aio read size", "1", "0", "0"),
    "aio_write_size": ("aio write size", "1", "0", "0"),
    "use_sendfile": ("use sendfile", "No", "yes", "Yes"),
    "strict_locking": ("strict locking", "Auto", "no", "No"),
    "posix_locking": ("posix locking", "Yes", "no", "No"),
    "store_dos_attributes": ("store dos attributes", "Yes", "no", "No"),
    "case_sensitive": ("case sensitive", "Auto", "yes", "Yes"),
}
"""What Samba calls each setting and its default; another value, and what Samba calls that."""


def parameters(configuration: Path) -> dict[str, str]:
    """What Samba makes of a configuration, defaults included, in its own words."""
    command = ["testparm", "-s", "-v", str(configuration)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    assert "Unknown parameter" not in done.stderr
    lines = done.stdout.splitlines()
    names = {name for name, *_ in REACHES.values()}
    pairs = (line.strip().partition(" = ") for line in lines)
    return {name: value for name, _, value in pairs if name in names}


def test_every_setting_reaches_the_server(base: Path) -> None:
    assert {"profile", "shares", *REACHES} == set(SETTINGS)
    with started() as server:
        assert server.settings == {key: setting.default for key, setting in SETTINGS.items()}
        found = parameters(home_of_server(base) / "smb.conf")
    assert found == {name: default for name, default, _, _ in REACHES.values()}
    others = {key: other for key, (_, _, other, _) in REACHES.items()}
    with started(**others) as server:
        assert server.settings == {"profile": "lab", "shares": "1", **others}
        found = parameters(home_of_server(base) / "smb.conf")
    assert found == {name: other for name, _, _, other in REACHES.values()}


def test_nobody_can_read_the_hash_at_any_moment(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        samba_files.write(tmp_path, tmp_path, 1, complete({}), WRONG)
    finally:
        os.umask(before)
    secret = tmp_path / "private" / "smbpasswd"  # as written, before smbd has seen it
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert nt_hash(WRONG) in secret.read_text("utf-8")


def test_signing_dialects_and_encryption_as_the_server_answers() -> None:
    with started() as server:
        plain = negotiate(server.address)
        assert (plain.dialect, plain.signing_required, plain.encryption) == (0x0302, False, False)
        assert negotiate(server.address, (0x0202,)).status == NOT_SUPPORTED
        assert negotiate(server.address, (0x0210,)).dialect == 0x0210
        assert logon(server, "ls", "--client-protection=encrypt").returncode != 0
    with started(signing="mandatory", encryption="desired") as server:
        strict = negotiate(server.address)
        assert (strict.signing_required, strict.encryption) == (True, True)
    with started(min_protocol="SMB3_11") as server:
        assert negotiate(server.address).status == NOT_SUPPORTED
    with started(encryption="required") as server:
        assert logon(server, "ls", "--client-protection=encrypt").returncode == 0
        assert "NT_STATUS_ACCESS_DENIED" in logon(server, "ls", "-m", "SMB2_10").stdout


def test_read_only_shares_are_read_only() -> None:
    with started(read_only="yes", shares="2") as server:
        assert logon(server, "ls", share=1).returncode == 0
        finished = logon(server, "put /etc/passwd new", share=1)
        assert "NT_STATUS_ACCESS_DENIED" in finished.stdout + finished.stderr


def test_the_password_is_in_no_process_and_no_file(base: Path) -> None:
    with started() as server:
        assert logon(server, "put /etc/passwd one; ls").returncode == 0
        assert logon(server, "ls", password=WRONG).returncode != 0
        secret = server.password.encode()
        assert len(secret) >= 24
        for pid in (*family(server.pids[0]), os.getpid(), *processes_with(str(base))):
            for part in ("cmdline", "environ"):
                assert secret not in proc_file(pid, part)
        files: dict[Path, bytes] = {}
        for path in home_of_server(base).rglob("*"):
            # Processes of connections that have ended delete their files.
            with contextlib.suppress(FileNotFoundError):
                files[path] = path.read_bytes() if path.is_file() else b""
        assert any(content for path, content in files.items() if path.name == "log.smbd")
        for content in files.values():
            assert secret not in content
            assert secret.decode().encode("utf-16-le") not in content
        shown = f"{server} {server!r} {server.settings} {server.programs} {server.address}"
        assert server.password not in shown


def test_a_frozen_server_with_users_ends(base: Path) -> None:
    with started() as server, users(server, 3) as pids:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        server.stop()
        assert nothing_is_left(base)
        assert not alive(pids)


def test_a_killed_server_leaves_nothing(base: Path) -> None:
    with started() as server, users(server, 3) as pids:
        os.kill(server.pids[0], signal.SIGKILL)
        server.stop()
        assert nothing_is_left(base)
        assert not alive(pids)


def test_a_killed_keeper_leaves_nothing(base: Path) -> None:
    with started() as server, users(server, 3) as pids:
        os.kill(keeper_of(server), signal.SIGKILL)
        wait_for(lambda: not alive(pids))  # nobody had to stop it
        server.stop()
        assert nothing_is_left(base)


def test_a_killed_keeper_of_a_frozen_server_leaves_nothing(base: Path) -> None:
    with started() as server, users(server, 3) as pids:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        os.kill(keeper_of(server), signal.SIGKILL)
        server.stop()
        assert nothing_is_left(base)
        assert not alive(pids)


OWNER = """
import time
from headcount.protocols.registry import start_lab
server = start_lab("samba", {"shares": "3"})
print(server.pids[0], flush=True)
time.sleep(600)
"""


def test_a_killed_owner_leaves_nothing(base: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE) as owner:
        try:
            assert owner.stdout is not None
            pids = family(json.loads(owner.stdout.readline()))
            assert len(pids) >= 3
            assert home_of_server(base).is_dir()
        finally:
            owner.kill()
    wait_for(lambda: nothing_is_left(base))
    assert not alive(pids)


def test_a_home_with_a_path_that_samba_could_not_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "long" / ("x" * 200) / "100 %U; größer"
    cache.mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    with started(shares="2") as server:
        assert logon(server, "put /etc/passwd here", share=1).returncode == 0
        assert (home_of_server(home.base()) / "data" / "home00001" / "here").exists()
        handles = len(list(Path("/proc/self/fd").iterdir()))
    assert nothing_is_left(home.base())
    assert len(list(Path("/proc/self/fd").iterdir())) < handles


def test_a_port_that_is_taken_meanwhile_is_replaced(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server((port.host(), 0)) as stranger:
        taken = stranger.getsockname()[1]
        free = port.free()
        ports = iter([taken, taken, free])
        monkeypatch.setattr(port, "free", lambda: next(ports))
        with started() as server:
            assert server.address == f"127.0.0.1:{free}"
            assert logon(server, "ls").returncode == 0
            home_of_server(base)  # those of the others have gone
        monkeypatch.setattr(port, "free", lambda: taken)
        monkeypatch.setattr(port, "STARTS", 2)
        with pytest.raises(SystemLimitError, match="tried 2 ports, each in use"):
            start_lab("samba", {})
    assert nothing_is_left(base)


def test_complaints_of_smbd_are_quoted(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = samba_files.GLOBAL.replace("{place}/lock", "/proc/no/such/folder")
    monkeypatch.setattr(samba_files, "GLOBAL", broken)
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: WRONG)
    with pytest.raises(SystemLimitError) as caught:
        start_lab("samba", {})
    message = str(caught.value)
    assert message.startswith("smbd ended at once; its log: ")
    assert "/proc/no/such/folder" in message
    assert WRONG not in "".join(traceback.format_exception(caught.value))
    assert nothing_is_left(base)


def test_a_missing_samba_is_an_error(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samba, "FOLDERS", (str(tmp_path),))
    for path in ("", str(tmp_path)):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(
            SystemLimitError, match="apt-get install -y --no-install-recommends samba "
        ):
            start_lab("samba", {})
    monkeypatch.setattr(samba, "FOLDERS", ("/usr/sbin",))
    with started() as server:  # as users have it, without /usr/sbin on their PATH
        assert server.programs["samba"]
    assert nothing_is_left(base)


def test_an_smbd_that_does_not_run_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "smbd"
    program.write_text("#!/bin/sh\necho no library >&2\nexit 127\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(SystemLimitError, match="gave no version; its output: no library"):
        start_lab("samba", {})


def test_a_user_without_a_name_is_an_error(monkeypatch: pytest.MonkeyPatch, base: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 2**31 - 5)
    with pytest.raises(SystemLimitError, match="user 2147483643 has none on this machine"):
        start_lab("samba", {})
    assert nothing_is_left(base)
