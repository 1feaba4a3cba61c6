"""Dovecot and Postfix tuned as one server: whose knob is whose, and both put back."""

from pathlib import Path

import pytest
from tuned import lab, wait_until

from headcount.errors import TargetError
from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.journal import DONE
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.joint import Joint, Part, parts
from headcount.tune.servers.registry import find_all
from headcount.tune.tunable import NotAccepted, Tunable

SERVERS = ("dovecot", "postfix")
KNOBS = {name: of_server(name).knob for name in SERVERS}


def named(joint: Joint, name: str) -> Knob:
    return next(one for knobs in joint.knobs.values() for one in knobs if one.name == name)


@pytest.mark.e2e
def test_both_servers_are_changed_tested_and_put_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    host = ThisHost()
    with lab("mail", monkeypatch, front="postfix") as started:
        joint = Joint(find_all(host, started.pids), KNOBS)
        assert joint.name == "dovecot and postfix"
        assert [one.name for one in parts(joint)] == [*SERVERS]
        # Both have a default_process_limit; all other names are the server's own.
        mine = named(joint, "dovecot default_process_limit")
        theirs = named(joint, "postfix default_process_limit")
        changed = [
            one.name for knobs in joint.knobs.values() for one in knobs if " def" in one.name
        ]
        assert changed == [mine.name, theirs.name]
        for server in joint.servers:
            for knob in KNOBS[server.name]:
                name = f"{server.name} {knob.name}" if knob.name == mine.name[8:] else knob.name
                assert Part(server.name, joint).setting(named(joint, name)) == server.setting(knob)
        changes = {mine: "321", theirs: "123"}
        files = joint.edited(changes)
        assert len(files) == 2
        before = {path: Path(path).read_bytes() for path in files}
        processes = [one.running.pid for one in joint.servers]
        tunable = Tunable(host, joint, [*changes], tmp_path / "journal", lambda: None)
        tunable.apply(Configuration(changes, "test"))
        again = find_all(host, started.pids)
        for server, value in zip(again, ("321", "123"), strict=True):
            (knob,) = (one for one in KNOBS[server.name] if one.name == "default_process_limit")
            assert server.setting(knob).value == value
        assert [one.running.pid for one in again] == processes
        with pytest.raises(NotAccepted, match=r"(?i)fatal|error|banana"):
            tunable.apply(Configuration({mine: "banana"}, "test"))
        assert tunable.close() is None
        assert {path: Path(path).read_bytes() for path in files} == before
        assert (tmp_path / "journal" / DONE).exists()
        script = (tmp_path / "journal" / "restore.sh").read_text()
        assert script.count("\nagain ") == 2
        wait_until(lambda: all(Path(f"/proc/{pid}").exists() for pid in processes))


def test_one_process_of_each_program_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("nginx", monkeypatch) as started:
        children = Path(f"/proc/{started.pids[0]}/task/{started.pids[0]}/children").read_text()
        (server,) = find_all(ThisHost(), [*started.pids, *map(int, children.split())])
        assert server.running.pid == started.pids[0]


def test_a_process_that_has_gone_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise TargetError("it has gone")

    with lab("nginx", monkeypatch) as started:
        monkeypatch.setattr("headcount.tune.servers.registry.read_process", gone)
        with pytest.raises(Exception, match="programs seen: nginx"):
            find_all(ThisHost(), started.pids)
