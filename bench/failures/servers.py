"""The servers: real ones with foreign configurations, and one that sends arbitrary bytes."""

import contextlib
import os
import shutil
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.failures import certificates
from bench.failures.case import PASSWORD, Case

START_S = 30.0
"""Longest wait for a server that starts."""
NGINX = """
daemon off;  master_process on;  pid {folder}/pid;  error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;  default_type text/html;
  client_body_temp_path {folder}/body;  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fcgi;  uwsgi_temp_path {folder}/uwsgi;  scgi_temp_path {folder}/scgi;
  {outside}
  server {{ listen 127.0.0.1:{port}{tls};  root {folder}/pages;  {config} }}
}}
"""


class _Raw(socketserver.ThreadingTCPServer):
    """Reads a request, waits, sends the bytes of its case, and closes."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, case: Case) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.case = case
        self.ended = threading.Event()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


class _Conversation(socketserver.StreamRequestHandler):
    server: _Raw

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while self.rfile.readline().strip():
                pass
            self.server.ended.wait(self.server.case.after_s)
            self.wfile.write(self.server.case.reply.encode())


@contextlib.contextmanager
def raw(case: Case) -> Iterator[str]:
    """The address of a server that sends the bytes of its case."""
    with _Raw(case) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def nginx(case: Case, folder: Path) -> Iterator[str]:
    """The address of nginx with the configuration of a case."""
    with contextlib.ExitStack() as stack:
        config = case.config
        if "{raw}" in config:
            config = config.replace("{raw}", stack.enter_context(raw(case)))
        (folder / "pages").mkdir()
        (folder / "pages" / "page.html").write_text("a page\n" * 200, "utf-8")
        tls = certificates.lines(case, folder) if case.certificate else ""
        port = free_port()
        text = NGINX.format(folder=folder, port=port, tls=tls, outside=case.outside, config=config)
        (folder / "nginx.conf").write_text(text, "utf-8")
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
        user = ("-g", "user root;") if os.getuid() == 0 else ()
        command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), *user]
        stack.enter_context(process(command, folder, port))
        yield f"127.0.0.1:{port}"


@contextlib.contextmanager
def postgresql(case: Case, folder: Path) -> Iterator[str]:
    """The address of a PostgreSQL with the database `shop` of the role `shop`, broken."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
    account = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    account = account if os.getuid() == 0 else []
    folder.chmod(0o777)
    (folder / "secret").write_text(PASSWORD, "utf-8")
    port = free_port()
    how = ["--username=admin", "--auth=scram-sha-256", f"--pwfile={folder}/secret", "--no-sync"]
    subprocess.run(
        [*account, programs / "initdb", "-D", folder / "data", *how],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "port": str(port)}
    lines = [f"-c{key}={value}" for key, value in (settings | case.settings).items()]
    command = [*account, str(programs / "postgres"), "-D", str(folder / "data"), *lines]
    with process(command, folder, port):
        _run_statement(port, "postgres", f"CREATE ROLE shop LOGIN PASSWORD '{PASSWORD}'")
        _run_statement(port, "postgres", "CREATE DATABASE shop OWNER shop")
        for statement in filter(None, case.before.format(database="shop").split(";")):
            _run_statement(port, "shop", statement)
        yield f"127.0.0.1:{port}/shop"


def _run_statement(port: int, database: str, statement: str) -> None:
    """Run a statement as the owner of the server, as soon as the server accepts connections."""
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(port)]
    command += ["-U", "admin", "-d", database, "-c", statement]
    for last in (False,) * 20 + (True,):
        done = subprocess.run(
            command,
            env={**os.environ, "PGPASSWORD": PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return
        if last or "starting up" not in done.stderr:
            raise RuntimeError(f"{statement}: {done.stderr.strip()}")
        time.sleep(0.2)


@contextlib.contextmanager
def process(
    command: list[str], folder: Path, port: int, host: str = "127.0.0.1"
) -> Iterator[subprocess.Popen[Any]]:
    """A listening server, until the end of the block."""
    with (folder / "output").open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, process_group=0)
    try:
        until = time.monotonic() + START_S
        while not listens(port, host):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError((folder / "output").read_text("utf-8"))
            time.sleep(0.05)
        yield server
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def free_port() -> int:
    """A free port of the loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def listens(port: int, host: str = "127.0.0.1") -> bool:
    """Whether somebody listens there."""
    with contextlib.suppress(OSError), socket.create_connection((host, port), 1):
        return True
    return False
