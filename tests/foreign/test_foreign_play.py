"""A case from its servers to its bundle: the cause takes effect, and nothing is left behind."""

import json
import os
from pathlib import Path

import pytest
from bench.foreign.case import cases
from bench.foreign.figures import busy_elsewhere, figures
from bench.foreign.judge import judge
from bench.foreign.play import kept, play
from bench.foreign.servers.start import listens
from bench.foreign.tools import Tools

NAME = "nginx delays above a rate"


@pytest.mark.e2e
def test_a_rate_limit_binds_and_its_server_ends(tmp_path: Path) -> None:
    case = next(case for case in cases() if case.name == NAME)
    keep = tmp_path / "kept"
    played = play(case, 3, keep, Tools(tmp_path / "tools"), beside=False, level_s=3, levels=(8, 24))

    levels = json.loads((played.bundle / "levels.json").read_text("utf-8"))["levels"]
    rate = float(played.values["rate"])
    assert [level["users"] for level in levels] == [8, 24]
    for level in levels:
        assert level["total"]["rate_per_s"] == pytest.approx(rate, rel=0.15)
    assert [int(line.split()[0]) for line in figures(played)] == [8, 24]
    assert busy_elsewhere(played) is not None

    port = int(played.values["web"].rpartition(":")[2])
    assert not listens(os.getpid(), port)

    again = kept(keep, {case.name: case})
    assert [one.record() for one in again] == [played.record()]
    one = judge(played)
    assert one.record()["limit"] == one.limit
    assert one.record()["class"] == "rate limiter"
