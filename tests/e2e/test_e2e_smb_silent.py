"""A file server that stops answering: the level fails, and the run comes to an end."""

from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest
from altered import altered

from file_server import alive, lab_processes, signal_all
from headcount.bundle import reader
from processes import Headcount, phase

pytestmark = pytest.mark.e2e


def test_a_server_that_freezes_is_given_up(headcount: Headcount, tmp_path: Path) -> None:
    run = headcount.start(
        # Users wait for longer than the level is, so that no step is given up in it.
        *("run", altered("home-folders", tmp_path, step_timeout="6s"), "--target", "lab:samba"),
        *("--levels", "4,6", "--scale", "0.01", "--pace", "200ms", "--ramp", "0s"),
        *("--settle", "0s", "--duration", "5s"),  # the server stops well before its end
    )
    run.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == "steady")
    server = lab_processes(headcount)
    assert len(server) > 4
    signal_all(server, SIGSTOP)
    try:
        ended = run.ended()
    finally:
        signal_all(server, SIGCONT)  # also after a failure
    assert ended.code == 3
    message = ended.message
    assert "the target stopped answering during level 1 at 4 users" in message
    assert "no answer within 6 s" in message
    assert f"headcount resume {headcount.bundle}" in message.replace("\n", "")
    assert alive(server) == []
    assert headcount.leftovers() == []
    found = reader.load(headcount.bundle)
    (level,) = found.levels
    assert level.outcome == "failed" or level.generator.limited  # a busy machine
    assert any("that fell due were answered" in reason for reason in level.reasons)
    assert found.verdict is not None
    assert found.verdict.outcome == "unfinished"
    assert found.verdict.broke_first is not None
