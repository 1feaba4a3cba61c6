"""What earlier tunings have left, and what `headcount tune --restore` makes of it."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tuned import wait_until

from headcount.errors import ExitCode, InputError, SystemLimitError
from headcount.pilot.journal import Journal as PilotJournal
from headcount.pilot.prepared import KIND
from headcount.pilot.start import put_back
from headcount.tune.host import COMMAND_S, Ended, ThisHost
from headcount.tune.journal import BEAT, TOOLS, Journal, Undo
from headcount.tune.left import (
    check_nothing_left,
    journals_folder,
    left,
    new_folder_of_journal,
    restore,
)
from headcount.tune.restart import RESTART_S
from headcount.tune.servers.server import Running, read_process
from processes import Headcount

HOST = ThisHost()
BEFORE, OURS, THEIRS = b"as it was\n", b"ours\n", b"theirs\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of a server, on a machine without journals."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = tmp_path / "server.conf"
    found.write_bytes(BEFORE)
    return found


def changed(file: Path, name: str, *undo: str, running: Running | None = None) -> Journal:
    """A journal with a change; `undo` is the command after it is undone, for a process."""
    commands = [Undo(undo, running)] if undo else []
    journal = Journal(HOST, f"{journals_folder(HOST)}/{name}", [str(file)], {}, commands)
    journal.change({str(file): OURS}, {})
    end_guard(journal)
    return journal


def end_guard(journal: Journal) -> None:
    """Have its guard end without undoing anything."""
    Path(journal.folder, BEAT).unlink()
    wait_until(lambda: not any(one.is_guarded for one in left(HOST)))


def test_what_was_kept_is_undone(file: Path) -> None:
    changed(file, "1").keep()
    check_nothing_left(HOST)
    (one,) = left(HOST)
    assert restore(HOST, one) is None
    assert file.read_bytes() == BEFORE
    assert left(HOST) == []


def test_what_was_kept_can_be_undone_again_if_that_failed(file: Path) -> None:
    """A server that does not reload, such as one that is down."""
    journal = changed(file, "1", "test", "-e", str(file.with_name("up")))
    journal.keep()
    (one,) = left(HOST)
    assert "this failed: test -e" in str(restore(HOST, one))
    assert left(HOST) == [one]
    file.with_name("up").touch()
    assert restore(HOST, one) is None
    assert left(HOST) == []


@pytest.mark.parametrize("is_same", [True, False])
def test_a_server_that_was_restarted_since_is_named(
    file: Path, headcount: Headcount, tmp_path: Path, is_same: bool
) -> None:
    running = read_process(HOST, os.getpid())
    reloaded = file.with_name("reloaded")
    server = running if is_same else replace(running, started=running.started - 1)
    changed(file, "1", "touch", str(reloaded), running=server).keep()
    ended = headcount.run("tune", "--restore", XDG_STATE_HOME=str(tmp_path / "state"))
    assert ended.code == 0
    assert file.read_bytes() == BEFORE
    assert reloaded.exists() == is_same
    assert ("restart it to undo the changes" in " ".join(ended.err.split())) == (not is_same)


def test_all_is_undone_that_can_be(file: Path, headcount: Headcount, tmp_path: Path) -> None:
    other = tmp_path / "other.conf"
    other.write_bytes(BEFORE)
    changed(other, "1").keep()
    changed(file, "2").keep()
    file.write_bytes(THEIRS)
    ended = headcount.run("tune", "--restore", XDG_STATE_HOME=str(tmp_path / "state"))
    assert ended.code == ExitCode.UNREACHABLE
    assert f"{file} was changed by somebody else" in " ".join(ended.err.split())
    assert other.read_bytes() == BEFORE
    assert left(HOST) == []


def test_a_file_of_somebody_else_is_named_once(file: Path) -> None:
    journal = changed(file, "1")
    file.write_bytes(THEIRS)
    assert "changed by somebody else" in str(journal.restore())
    with pytest.raises(InputError, match="--restore"):
        check_nothing_left(HOST)
    (one,) = left(HOST)
    assert "changed by somebody else" in str(restore(HOST, one))
    assert file.read_bytes() == THEIRS
    check_nothing_left(HOST)
    assert left(HOST) == []


def test_a_tuning_under_way_is_not_called_nothing(
    file: Path, headcount: Headcount, tmp_path: Path
) -> None:
    journal = Journal(HOST, f"{journals_folder(HOST)}/1", [str(file)], {}, [])
    ended = headcount.run("tune", "--restore", XDG_STATE_HOME=str(tmp_path / "state"))
    assert ended.code == ExitCode.BAD_INPUT
    assert "is under way" in ended.err
    end_guard(journal)
    assert journal.restore() is None


def test_a_pilot_at_work_is_not_called_nothing(file: Path) -> None:
    pilots = PilotJournal(HOST, f"{journals_folder(HOST, KIND)}/1", [])
    with pytest.raises(InputError, match="another pilot"):
        put_back()
    assert pilots.close() is None
    assert put_back() == []
    assert file.read_bytes() == BEFORE


def test_undoing_waits_as_long_as_a_restart_may_take(file: Path, tmp_path: Path) -> None:
    waits: list[float] = []

    class Watched(ThisHost):
        def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
            waits.append(longest_s)
            return super().run(command, longest_s)

    journal = Journal(Watched(), str(tmp_path / "journal"), [str(file)], {}, [])
    waits.clear()
    assert journal.restore() is None
    assert min(waits) > RESTART_S


def test_a_journal_does_not_begin_beside_another(file: Path) -> None:
    """Two tunings may have searched at the same time."""
    folders = [new_folder_of_journal(HOST) for _ in range(2)]
    assert len({*folders}) == 2
    journal = Journal(HOST, folders[0], [str(file)], {}, [])
    with pytest.raises(InputError, match="another tuning is under way"):
        new_folder_of_journal(HOST)
    end_guard(journal)
    assert journal.restore() is None
    assert new_folder_of_journal(HOST)


def test_the_command_names_the_machine(file: Path) -> None:
    class Elsewhere(ThisHost):
        login = " --host ssh://root@web1"

    changed(file, "1")
    with pytest.raises(InputError, match=r"headcount tune --restore$"):
        check_nothing_left(HOST)
    with pytest.raises(InputError, match=r"tune --restore --host ssh://root@web1$"):
        check_nothing_left(Elsewhere())


@pytest.mark.parametrize("missing", TOOLS)
def test_nothing_is_changed_without_a_way_back(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for one in {"sh", "mkdir", "cp", "sync", "rm", "cat", *TOOLS} - {missing}:
        (tools / one).symlink_to(str(shutil.which(one)))
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(SystemLimitError, match=f"lacks {missing}, without which"):
        Journal(HOST, str(tmp_path / "journal"), [str(file)], {}, [])
    assert not (tmp_path / "journal").exists()
