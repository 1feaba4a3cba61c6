"""What somebody else's server says of itself: found, named, wrong, and in the bundle."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_e2e_failures import WORKLOAD
from test_e2e_local_server import server as plain_server

import file_server
from headcount.bundle import reader
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import program_name
from headcount.counters.views import find_views
from headcount.counters.views.kinds import Around, kinds
from headcount.errors import ExitCode
from headcount.lab import keeper, port
from mail_office import serving as mail_serving
from processes import Headcount, lines, wait_for
from web_server import serving

pytestmark = pytest.mark.e2e

__all__ = ["plain_server"]

NGINX = """
daemon off;  pid {folder}/pid;  error_log {folder}/error.log;  worker_processes 1;  {user}
events {{ }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen {address};
    location / {{ return 200 "ok"; }}
    location = /nginx_status {{ stub_status; }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(folder: Path) -> Iterator[str]:
    """An nginx with its status where its documentation has it; yields its URL."""
    address = f"127.0.0.1:{port.free()}"
    path = folder / "nginx.conf"
    user = "user root;" if folder.owner() == "root" else ""
    path.write_text(NGINX.format(folder=folder, address=address, user=user))
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
    assert program is not None
    command = [program, "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")]
    with subprocess.Popen(command) as process:
        try:
            wait_for((folder / "pid").exists)
            yield f"http://{address}"
        finally:
            process.terminate()


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.toml"
    path.write_text(WORKLOAD)
    return str(path)


def views(bundle: Path) -> list[dict[str, object]]:
    return [event for event in lines(bundle / "events.ndjson") if event["event"] == "view"]


def test_nginxs_status_is_found_and_counts_what_users_asked_for(
    headcount: Headcount, shop: str, tmp_path: Path
) -> None:
    with nginx(tmp_path) as url:
        ended = headcount.run("run", shop, "--target", url, "--users", "5", "--duration", "4s")
    assert f"the server's own view: nginx stub_status at {url}/nginx_status" in ended.err
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    counters = level.counters["server"]
    # Each user's request, and one a second for this figure.
    wanted = level.achieved_per_s + 1
    assert counters["web.requests"].mean == pytest.approx(wanted, rel=0.15, abs=2)
    assert counters["web.connections"].mean >= 1
    assert counters["web.connections.dropped"].mean == 0
    (view,) = views(headcount.bundle)
    assert (view["title"], view["found_by"]) == ("nginx stub_status", "found")


def test_apaches_status_is_read_at_the_given_address(headcount: Headcount, shop: str) -> None:
    with tempfile.TemporaryDirectory() as cache, serving("apache", Path(cache)) as server:
        (server.data / "index.html").write_text("ok")
        given = ("--view", f"apache={server.status_url}?auto")
        ended = headcount.run(
            "run", shop, "--target", server.url, "--users", "5", "--duration", "4s", *given
        )
    assert f"Apache mod_status at {server.status_url}" in ended.err
    bundle = reader.load(headcount.bundle)
    counters = bundle.levels[0].counters["server"]
    assert counters["web.workers.busy"].mean >= 1
    assert counters["web.workers.idle"].mean >= 1
    assert bundle.plan.views == [given[1]]
    (view,) = views(headcount.bundle)
    assert view["found_by"] == "given with --view"


def test_a_server_without_a_view_has_none(
    headcount: Headcount, shop: str, plain_server: tuple[int, str]
) -> None:
    ended = headcount.run(
        "run", shop, "--target", plain_server[1], "--users", "2", "--duration", "2s"
    )
    assert "own view" not in ended.err
    assert views(headcount.bundle) == []


def test_a_view_that_is_another_page_is_an_error(
    headcount: Headcount, shop: str, tmp_path: Path
) -> None:
    with nginx(tmp_path) as url:
        command = ("run", shop, "--target", url, "--users", "2", "--view")
        other = headcount.run(*command, f"nginx={url}/")
        assert other.code == ExitCode.UNREACHABLE
        assert "what answers there is not nginx stub_status" in other.message
        unknown = headcount.run(*command, f"caddy={url}/")
        assert unknown.code == ExitCode.BAD_INPUT
        assert "haproxy=SOCKET or URL" in unknown.message
        secret = headcount.run(*command, "nginx=http://ada:secret@127.0.0.1/status")
        assert secret.code == ExitCode.BAD_INPUT
        assert "without credentials" in secret.message
        assert "secret@" not in secret.message
    own = headcount.run("run", shop, "--target", "lab:nginx", "--view", "jvm=/tmp/file")
    assert own.code == ExitCode.BAD_INPUT
    assert "is asked for its figures anyway" in own.message
    assert not headcount.bundles()


def test_dovecots_services_are_read_at_the_socket_of_its_configuration() -> None:
    with mail_serving() as office:
        names = {pid: program_name(ThisMachine(), pid) for pid in office.server.pids}
        found, doubts = find_views(Around(processes=names))
        (view,) = [one for one in found if one.title == "Dovecot service status"]
        assert doubts == []
        reading = view.read()
    assert reading is not None
    gauges = reading.gauges
    services = ("imap-login", "imap", "lmtp")
    limits = [gauges[f"dovecot.processes.limit{{dovecot.service={one}}}"] for one in services]
    assert min(limits) >= 1
    assert gauges["dovecot.processes.busy{dovecot.service=imap}"] == 0


def test_sambas_limit_and_sessions_are_read_where_its_command_line_says(tmp_path: Path) -> None:
    with file_server.serving(tmp_path, max_processes="7") as samba:
        names = {pid: program_name(ThisMachine(), pid) for pid in keeper.descendants(samba.pid)}
        found, doubts = find_views(Around(processes=names))
        (view,) = [one for one in found if one.title == "Samba status"]
        assert doubts == []
        first = kinds()["samba"].opened(view.where)()
        later = view.read()
    assert first is not None
    assert first.gauges == {
        "samba.processes.limit": 7,
        "samba.sessions": 0,
        "samba.tree_connects": 0,
        "samba.open_files": 0,
    }
    assert later is not None
    assert later.gauges == {"samba.processes.limit": 7}
