"""nginx as Debian ships it is read and changed where it is."""

from pathlib import Path

import pytest
from tuned import knob, lab, put, reload, rounds, wait_until

from headcount.lab import keeper
from headcount.tune.host import ThisHost
from headcount.tune.servers.nginx import Nginx
from headcount.tune.servers.registry import find


def test_the_shipped_configuration_is_read_and_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("nginx", monkeypatch, profile="stock") as started:
        main = started.home / "etc" / "nginx.conf"
        site = started.home / "etc" / "sites-available" / "default"
        server = find(ThisHost(), started.pids)
        assert isinstance(server, Nginx)
        workers, timeout = knob("nginx", "worker_processes"), knob("nginx", "keepalive_timeout")
        backlog, gzip = knob("nginx", "listen backlog"), knob("nginx", "gzip")
        assert (server.setting(workers).value, server.setting(workers).is_set) == ("auto", True)
        assert server.setting(gzip).place == str(main)
        assert (server.setting(timeout).value, server.setting(timeout).is_set) == ("75", False)
        edited = server.edited({workers: "3", timeout: "65", backlog: "1024"})
        # The site is a link in the folder that the main file includes.
        assert set(edited) == {str(main), str(site)}
        address = f"listen {started.address} default_server backlog=1024;"
        assert address in edited[str(site)].decode()
        with put(edited):
            assert server.test() is None
            reload(server)
            wait_until(lambda: len(keeper.descendants(started.pids[0])) == 3)
            again = find(ThisHost(), started.pids)
            assert again.setting(timeout).value == "65"
            assert again.setting(timeout).is_set
            assert again.setting(backlog).value == "1024"
        assert "65" not in main.read_text("utf-8")


def test_the_directives_of_a_service_are_one_option(monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's service has `-g "daemon on; master_process on;"`, whose quotes the title loses."""
    with lab("nginx", monkeypatch, profile="stock") as started:
        server = find(ThisHost(), started.pids)
        assert "off;" in server.running.command[-1]
        assert server.test() is None
        assert Path(f"/proc/{started.pids[0]}").exists()


def test_the_program_takes_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("nginx", monkeypatch, profile="stock") as started:
        for changes in rounds("nginx"):
            with put(find(ThisHost(), started.pids).edited(changes)):
                fresh = find(ThisHost(), started.pids)
                assert fresh.test() is None
                for one, value in changes.items():
                    assert (one.name, fresh.setting(one).value) == (one.name, value)
