"""Servers whose program was upgraded while they run: Linux shows that its file was deleted."""

import os

import pytest
from tuned import PosingHost

from headcount.tune.servers.registry import find
from headcount.tune.servers.server import executable


@pytest.mark.parametrize(
    ("program", "server"),
    [
        ("/usr/sbin/nginx", "nginx"),
        ("/usr/sbin/apache2", "apache"),
        ("/usr/lib/postgresql/15/bin/postgres", "postgresql"),
    ],
)
def test_an_upgraded_server_is_known(program: str, server: str) -> None:
    host = PosingHost(f"{program} (deleted)")
    assert find(host, [os.getpid()]).name == server
    assert executable(host, os.getpid()) == program


def test_a_process_that_has_gone_has_no_program() -> None:
    assert executable(PosingHost("/bin/x"), 1 << 23) == ""
