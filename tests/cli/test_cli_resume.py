"""Which runs `headcount resume` continues."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from failover_file import complete_failover
from headcount.bundle import confirmation, failover, tuning
from headcount.bundle.events import MADE_BY
from headcount.bundle.verdict import Cost, Verdict
from headcount.bundle.writer import BundleWriter
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load
from tuning_file import complete_tuning

STOPPED = "the search stopped early: level 2 at 8 users could not be prepared: no user user00002"


def ended(folder: Path, stopped: str | None) -> Path:
    """The bundle of a search with an answer; nobody listens at its target."""
    folder.mkdir()
    writer = BundleWriter(folder)
    plan = resolve(load("app-server"), "app://127.0.0.1:9", Overrides(seed=1))
    writer.plan(plan.to_toml())
    writer.verdict(
        Verdict(
            kind="capacity",
            outcome="passed",
            sentence="At least 2 users.",
            broke_first=None,
            capacity=None,
            score=None,
            flags=[],
            cost=Cost(levels=1, seconds=1.0, operations=1),
            stopped=stopped,
        )
    )
    writer.close()
    return folder


def test_a_search_that_stopped_early_is_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_line(["resume", str(ended(tmp_path / "whole", None))]) == ExitCode.BAD_INPUT
    assert "is finished" in capsys.readouterr().err
    assert run_line(["resume", str(ended(tmp_path / "half", STOPPED))]) == ExitCode.UNREACHABLE
    assert "is finished" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "kept", "write"),
    [
        ("tune", complete_tuning(), tuning.write),
        ("failover", complete_failover(), failover.write),
    ],
)
def test_a_tuning_and_a_failover_are_not_continued(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    verb: str,
    kept: Any,
    write: Callable[[Any, Path], object],
) -> None:
    folder = ended(tmp_path / "bundle", None)
    (folder / "verdict.json").unlink()  # as after Ctrl-C, a run of levels would not be finished
    write(kept, folder)
    before = sorted(folder.iterdir())
    assert run_line(["resume", str(folder)]) == ExitCode.BAD_INPUT
    assert f"run headcount {verb} again" in " ".join(capsys.readouterr().err.split())
    assert sorted(folder.iterdir()) == before


def test_experiments_on_its_first_answer_do_not_stay(tmp_path: Path) -> None:
    folder = ended(tmp_path / "half", STOPPED)
    (folder / confirmation.FILE).write_text("{}")
    BundleWriter(folder).close()
    assert not (folder / confirmation.FILE).exists()


@pytest.mark.parametrize("verb", ["tune", "failover"])
def test_a_tuning_that_was_killed_is_not_continued(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    folder = ended(tmp_path / "bundle", None)
    (folder / "verdict.json").unlink()
    writer = BundleWriter(folder)
    writer.event(MADE_BY, 0.0, verb=verb)
    writer.close()
    assert run_line(["resume", str(folder)]) == ExitCode.BAD_INPUT
    assert f"run headcount {verb} again" in " ".join(capsys.readouterr().err.split())
    run_line(["runs", "--runs", str(tmp_path), "--json"])
    assert json.loads(capsys.readouterr().out)[0]["answer"] == "killed"
