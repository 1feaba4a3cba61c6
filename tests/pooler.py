"""A real pgbouncer that a test owns, before a PostgreSQL of the test's own."""

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from database import Postgres
from headcount.lab import account, port
from processes import wait_for

CONFIGURATION = """
[databases]
{database} = host={host} port={port} dbname={database}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {number}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = {size}
server_reset_query_always = {resets}
"""


@contextlib.contextmanager
def pooling(postgres: Postgres, size: int = 3, *, resets: bool = False) -> Iterator[str]:
    """The target of a pooler in transaction mode with this many connections to the server.

    One that resets discards what a transaction leaves on its connection, prepared statements too.
    """
    server = postgres.server
    host, _, server_port = server.address.partition(":")
    number = port.free()
    who = account.unprivileged("PostgreSQL")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        users = folder / "users.txt"
        users.write_text(f'"{server.user}" "{server.password}"\n', "utf-8")
        fields = {"database": server.database, "host": host, "port": server_port}
        text = CONFIGURATION.format(
            **fields, number=number, users=users, size=size, resets=int(resets)
        )
        configuration = folder / "pgbouncer.ini"
        configuration.write_text(text, "utf-8")
        is_root = os.geteuid() == 0  # as whom it refuses to run
        process = subprocess.Popen(
            ["/usr/sbin/pgbouncer", "-q", configuration],
            user=who.uid if is_root else None,
            group=who.gid if is_root else None,
            extra_groups=[] if is_root else None,
        )
        try:
            wait_for(lambda: _answers(number))
            yield f"postgresql://127.0.0.1:{number}/{server.database}"
        finally:
            process.terminate()
            process.wait()


def _answers(number: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", number), 1.0):
        return True
    return False
