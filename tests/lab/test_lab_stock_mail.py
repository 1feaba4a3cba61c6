"""The mail server as Debian ships it; only root can start it."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from mail_client import delivered, inbox, place, send
from other_user import run, usable_folder
from stock_files import check_only_declared, differing

from headcount.lab import home, mail_settings
from headcount.lab.mail import MailServer
from headcount.lab.setting import complete
from headcount.lab.stock import dovecot, postfix
from headcount.protocols.registry import start_lab
from processes import Headcount, processes_with, wait_for

ROOT = os.geteuid() == 0
PROGRAM = """
from headcount.lab.mail import MailServer
MailServer({"profile": "stock", "users": "5"})
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        started = start_lab("mail", {"profile": "stock", "users": "5"})
        assert isinstance(started, MailServer)
        try:
            yield started
        finally:
            started.stop()
        assert list(home.base().iterdir()) == []
        assert not processes_with(cache)


def test_only_root_may_start_it() -> None:
    with usable_folder() as folder:
        done = run(folder, PROGRAM)
        assert done.returncode != 0
        assert "only root can start Dovecot as Debian ships it" in done.stderr


def test_settings_outside_the_configuration_are_accepted() -> None:
    given = {"profile": "stock", "users": "7", "front": "lmtp"}
    assert complete("mail", mail_settings.MAIL, given) == given


if ROOT:

    def test_dovecot_differs_only_where_declared(server: MailServer) -> None:
        host, imap = place(server.address)
        fields = {"home": str(server.home), "host": host, "imap": str(imap)}
        fields |= {"imaps": str(place(server.implicit_tls or "")[1]), "user": "nobody"}
        fields |= {"lmtp": str(place(server.lmtp)[1]), "group": "nogroup"}
        written = server.home / "etc"
        check_only_declared(dovecot.STOCK, Path("/usr/share/dovecot"), written, fields)
        installed = {path.relative_to("/etc/dovecot") for path in Path("/etc/dovecot").rglob("*.*")}
        made = {path.relative_to(written) for path in written.rglob("*.*")}
        assert made <= installed

    def test_postfix_differs_only_where_declared(server: MailServer) -> None:
        around = server.logs["postfix"].parent
        host, number = place(server.front)
        fields = {"home": str(around), "host": host, "port": str(number), "domain": server.domain}
        fields |= {"lmtp": str(place(server.lmtp)[1]), "keys": str(server.home)}
        shipped = Path("/usr/share/postfix")
        check_only_declared(postfix.STOCK, shipped, around / "shipped", fields)
        main, master = ((around / "etc" / name).read_text() for name in ("main.cf", "master.cf"))
        parts = [(around / "shipped" / name).read_text() for name in (postfix.MAIN, postfix.TLS)]
        assert main == "".join(parts)
        gone, new = differing((shipped / postfix.MASTER).read_text(), master)
        assert (len(gone), len(new)) == (1, 1)

    def test_mail_is_sent_delivered_and_read(server: MailServer) -> None:
        assert send(server, range(3), "hello", "text\r\n") == {}
        wait_for(lambda: delivered(server))
        for user in range(3):
            (message,) = inbox(server, user)
            assert "Subject: hello\r\n" in message
        assert inbox(server, 3) == []
        assert (server.home / "spool" / "u00001").is_file()  # Debian has mbox
        assert list(send(server, ["a@example.org"], "away")) == ["a@example.org"]
        assert "nothing leaves the lab" in server.logs["postfix"].read_text("utf-8")
        assert "No such file" not in server.logs["postfix"].read_text("utf-8")
        assert server.settings["profile"] == "stock"
        assert {*dovecot.STOCK.disclosed, *postfix.STOCK.disclosed} < set(server.settings)
        assert len(postfix.STOCK.disclosed) == len(postfix.STOCK.rewrites)

    @pytest.mark.e2e
    def test_a_run_has_the_profile_in_its_bundle(headcount: Headcount) -> None:
        ended = headcount.run(
            *("run", "mail-medium", "--target", "lab:mail?profile=stock", "--set", "users=3"),
            *("--users", "2", "--scale", "0.05", "--duration", "3s", "--ramp", "0s", "--json"),
            *("--compress", "1000"),
        )
        assert ended.code in (0, 1, 4), ended
        bundle = headcount.bundles()[-1]
        (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
        assert (level["total"]["completed"] > 0, level["total"]["failed"]) == (True, 0)
        (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
        assert side["settings"]["profile"] == "stock"
