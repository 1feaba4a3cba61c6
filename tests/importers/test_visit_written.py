"""What becomes of a visit through the proxy that cannot be what was asked for."""

from pathlib import Path

import pytest
from har_files import entry, written

from headcount.cli.record import write_visit
from headcount.importers.har import recording
from headcount.importers.journey import Journey
from headcount.importers.recorded_journey import recorded_journey


def test_a_recorded_visit_without_a_log_in_is_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = recording(written(tmp_path, entry("/"), entry("/offers", at_s=1)))
    output = tmp_path / "shop.toml"

    def make(name: str) -> Journey:
        return recorded_journey(found, name)

    write_visit(make, output, log_in="once", json=False)
    assert 'path = "/offers"' in output.read_text("utf-8")
    assert "the recording has no log-in with a password" in capsys.readouterr().err
