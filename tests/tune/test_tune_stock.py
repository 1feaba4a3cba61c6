"""Servers as Debian ships them are read and changed where they are."""

import os

import pytest
from tuned import knob, lab, put, reload

from headcount.tune.host import ThisHost
from headcount.tune.servers.registry import find

ROOT = os.geteuid() == 0
CASES = [
    ("apache", "apache", "KeepAliveTimeout", "5", "7", "etc/apache2.conf"),
    ("postgresql", "postgresql", "work_mem", "4", "8", "postgresql.conf"),
    ("samba", "samba", "strict sync", "yes", "no", "etc/smb.conf"),
]
if ROOT:  # only root can start that mail server
    CASES.append(("mail", "dovecot", "default_process_limit", "100", "200", "etc/dovecot.conf"))


@pytest.mark.parametrize(("name", "server", "which", "before", "after", "file"), CASES)
def test_the_shipped_configuration_is_read_and_changed(
    name: str,
    server: str,
    which: str,
    before: str,
    after: str,
    file: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    users = {"users": "5"} if name == "mail" else {}
    with lab(name, monkeypatch, profile="stock", **users) as started:
        found = find(ThisHost(), started.pids)
        one = knob(server, which)
        assert found.setting(one).value == before
        edited = found.edited({one: after})
        (path,) = edited
        assert path.startswith(str(started.home))
        assert path.endswith(file)
        with put(edited):
            assert found.test() is None
            reload(found)
            again = find(ThisHost(), started.pids).setting(one)
            assert (again.value, again.is_set) == (after, True)
