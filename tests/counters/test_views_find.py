"""Where views are looked for, and what becomes of those that are slow, locked or something else."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from headcount.counters.views import asked_views, find_views, samba
from headcount.counters.views.ask import SlowError, answer, page
from headcount.counters.views.find import split_view
from headcount.counters.views.kinds import NGINX_PATHS, Around, kinds
from headcount.counters.views.reading import Reader
from headcount.errors import InputError, TargetError

CAPTURED = Path(__file__).parent / "views"
URL = "http://192.0.2.1"


def places(kind: str, around: Around) -> list[str]:
    return [where for where, _ in kinds()[kind].guesses(around)]


def command(proc: Path, pid: int, *words: str) -> None:
    """Make a process of a simulated machine, whose files are where they are here."""
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "cmdline").write_text("\0".join(words) + "\0")
    (folder / "status").write_text(f"Name:\t{words[0]}\nNSpid:\t{pid}\t7\n")
    for process in (folder, proc / "self"):
        (process / "ns").mkdir(parents=True, exist_ok=True)
        for kind in ("mnt", "net"):
            (process / "ns" / kind).unlink(missing_ok=True)
            (process / "ns" / kind).symlink_to(f"{kind}:[4026531840]")
    (folder / "root").symlink_to("/")
    (folder / "cwd").symlink_to(proc.parent)


def test_pages_are_requested_only_from_servers_of_that_name() -> None:
    assert places("nginx", Around(URL, "nginx/1.22.1")) == [URL + path for path in NGINX_PATHS]
    assert places("apache", Around(URL, "Apache/2.4.62")) == [f"{URL}/server-status?auto"]
    assert places("lighttpd", Around(URL, "lighttpd/1.4.69")) == [f"{URL}/server-status?auto"]
    assert places("nginx", Around(URL, "", {7: "nginx"}))
    for banner in ("", "Apache/2.4", "caddy", "not nginx"):
        assert places("nginx", Around(URL, banner)) == []
    assert places("nginx", Around(None, "nginx")) == []


def test_haproxys_socket_is_in_the_configuration_of_its_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("global\n  stats socket /run/a.sock level admin\n")
    (tmp_path / "b.cfg").write_text("listen s\n  stats uri /figures\n")
    command(tmp_path / "proc", 7, "haproxy", "-f", "a.cfg", "-db", "-f", str(tmp_path / "b.cfg"))
    around = Around(URL, "", {7: "haproxy"}, proc=str(tmp_path / "proc"))
    assert places("haproxy", around)[:2] == ["/run/a.sock", f"{URL}/figures"]


def test_a_configuration_in_a_container_names_nothing_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("global\n  stats socket /run/a.sock\n")
    command(tmp_path / "proc", 7, "haproxy", "-f", "a.cfg")
    around = Around(None, "", {7: "haproxy"}, proc=str(tmp_path / "proc"))
    assert places("haproxy", around) == ["/run/a.sock"]
    namespace = tmp_path / "proc" / "7" / "ns" / "mnt"
    namespace.unlink()
    assert places("haproxy", around) == []
    namespace.symlink_to("mnt:[4026532999]")
    assert places("haproxy", around) == []


def test_php_fpms_pools_are_those_of_its_only_master(tmp_path: Path) -> None:
    (tmp_path / "fpm.conf").write_text(
        "[www]\nlisten = /run/fpm.sock\npm.status_path = /state\npm.max_children = 4\n"
    )
    proc = tmp_path / "proc"
    command(proc, 7, f"php-fpm: master process ({tmp_path}/fpm.conf)")
    command(proc, 8, "php-fpm: pool www")
    others = {7: "php-fpm8.2", 8: "php-fpm8.2"}
    known = {"others": others, "proc": str(proc)}
    assert places("php-fpm", Around(URL, "nginx", **known)) == ["/run/fpm.sock|/state"]
    assert places("php-fpm", Around(URL, "gunicorn", **known)) == []
    command(proc, 9, f"php-fpm: master process ({tmp_path}/fpm.conf)")
    others[9] = "php-fpm8.2"
    assert places("php-fpm", Around(URL, "nginx", **known)) == []


def test_redis_is_a_server_that_the_target_is_connected_to() -> None:
    behind = {
        "127.0.0.1:7000": {5: "redis-server"},
        "127.0.0.1:6379": {6: "memcached"},
        "192.0.2.9:6379": {},
        "192.0.2.9:5432": {},
    }
    assert places("redis", Around(behind=behind)) == ["127.0.0.1:7000", "192.0.2.9:6379"]


def test_a_jvms_file_has_its_process_id_inside_the_container(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    command(proc, 7, "java")
    (proc / "7" / "root").unlink()
    file = proc / "7" / "root" / "tmp" / "hsperfdata_app" / "7"
    file.parent.mkdir(parents=True)
    file.write_bytes((CAPTURED / "parallel.hsperf").read_bytes())
    around = Around(processes={7: "java"}, proc=str(proc))
    (view,), doubts = find_views(around)
    assert (view.where, doubts) == (str(file), [])
    assert gauges(view.read)["jvm.thread.count"] == 18


def test_dovecots_socket_is_in_its_base_dir(tmp_path: Path) -> None:
    (tmp_path / "d.conf").write_text("protocols = imap\nbase_dir = /srv/run\n")
    command(tmp_path / "proc", 7, "dovecot", "-F", "-c", str(tmp_path / "d.conf"))
    around = Around(processes={7: "dovecot"}, proc=str(tmp_path / "proc"))
    assert places("dovecot", around) == ["/srv/run/master"]


def gauges(reader: Reader) -> Mapping[str, float]:
    """The gauges that it answers with."""
    reading = reader()
    assert reading is not None
    return reading.gauges


def test_sambas_configuration_is_that_of_its_command_line(tmp_path: Path) -> None:
    (tmp_path / "smb.conf").write_text("[Global]\n  Max smbd Processes = 40\n")
    for pid, words in (
        (7, ("-F", "-s", str(tmp_path / "smb.conf"))),
        (8, (f"--configfile={tmp_path}/smb.conf",)),
    ):
        command(tmp_path / "proc", pid, "smbd", *words)
        around = Around(processes={pid: "smbd"}, proc=str(tmp_path / "proc"))
        assert places("samba", around) == [str(tmp_path / "smb.conf")]
    command(tmp_path / "proc", 9, "smbd", "--foreground")
    around = Around(processes={9: "smbd"}, proc=str(tmp_path / "proc"))
    assert places("samba", around) == list(samba.CONFIGURATIONS)


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1:99999", ":6379", "[::1]:redis"])
def test_a_view_without_a_proper_port_is_refused_in_words(address: str) -> None:
    with pytest.raises(TargetError, match=r"neither HOST:PORT nor the path of a socket"):
        asked_views([f"redis={address}"])


def test_samba_is_asked_for_its_limit_and_its_sessions(tmp_path: Path) -> None:
    file, status = tmp_path / "smb.conf", tmp_path / "smbstatus"
    file.write_text("[global]\n  max smbd processes = 40\n")
    status.write_text(
        f'#!/bin/sh\n[ "$*" = "--configfile {file} --json" ] || exit 1\n'
        'echo \'{"sessions": {"1": {}}, "tcons": {}, "open_files": {}}\'\n'
    )
    status.chmod(0o755)
    reader = samba.SambaReader(str(file), str(status))
    expected = {
        "samba.processes.limit": 40.0,
        "samba.sessions": 1.0,
        "samba.tree_connects": 0.0,
        "samba.open_files": 0.0,
    }
    assert gauges(reader) == expected
    assert gauges(reader) == {"samba.processes.limit": 40.0}, "until smbstatus is asked again"
    reader.close()


def test_an_smbstatus_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samba, "PATIENCE_S", 0.1)
    file, status = tmp_path / "smb.conf", tmp_path / "smbstatus"
    file.write_text("[global]\n  max smbd processes = 40\n")
    status.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    status.chmod(0o755)
    reader = samba.SambaReader(str(file), str(status))
    assert gauges(reader) == {"samba.processes.limit": 40.0}
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()


def test_another_file_is_not_a_configuration_of_samba(tmp_path: Path) -> None:
    (tmp_path / "smb.conf").write_text("hello")
    with pytest.raises(TargetError, match="not Samba status"):
        asked_views([f"samba={tmp_path}/smb.conf"])
    with pytest.raises(TargetError, match="No such file"):
        asked_views([f"samba={tmp_path}/none.conf"])


@contextmanager
def listening(reply: bytes | None) -> Iterator[str]:
    """A server that gives each connection this reply, or lets it wait."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    one, _ = server.accept()
                except OSError:
                    return
                held.append(one)
                if reply is not None:
                    one.recv(4096)
                    one.sendall(reply)
                    one.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        host, port = server.getsockname()
        yield f"{host}:{port}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        for one in held:
            one.close()


def test_a_silent_server_is_given_up_soon_and_reported() -> None:
    with listening(None) as address:
        with pytest.raises(SlowError, match="within 200 ms"):
            page(f"http://{address}/status")
        with pytest.raises(SlowError):
            answer(address, b"INFO\r\n")
        found, doubts = find_views(Around(f"http://{address}", "nginx"))
        assert found == []
        # One is enough: the other places are not asked.
        assert len(doubts) == 1
        assert doubts[0].text.startswith("nginx stub_status at http://")


def test_a_redis_with_a_password_is_left_alone_and_reported() -> None:
    with listening(b"-NOAUTH Authentication required.\r\n") as address:
        found, doubts = find_views(Around(behind={address: {5: "redis-server"}}))
    assert found == []
    assert "asks for a password, which Headcount does not send" in doubts[0].text


def test_another_page_is_not_a_view_and_not_reported() -> None:
    page_text = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
    with listening(page_text) as address:
        assert find_views(Around(f"http://{address}", "nginx")) == ([], [])
        with pytest.raises(TargetError, match="not nginx stub_status"):
            asked_views([f"nginx=http://{address}/"])
    gone = b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
    with listening(gone) as address, pytest.raises(TargetError, match="status 302"):
        asked_views([f"nginx=http://{address}/"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nginx", "write one of nginx=http://HOST/PATH"),
        ("caddy=http://a/", "write one of"),
        ("nginx=127.0.0.1/status", "begins with http://"),
        ("haproxy=http://u:p@h/stats", "without credentials"),
    ],
)
def test_a_malformed_view_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        split_view(text)
