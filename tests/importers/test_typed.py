"""What users typed: no password reaches the workload file."""

import tomllib
from pathlib import Path
from typing import Any

from har_files import entry, written

from headcount.importers.har import recording
from headcount.importers.recorded_journey import recorded_journey
from headcount.importers.workload_text import workload_text


def imported(folder: Path, *entries: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """The steps of a recording's workload, and its text."""
    text = workload_text(recorded_journey(recording(written(folder, *entries)), "visit"))
    return tomllib.loads(text)["scenarios"][0]["steps"], text


def test_a_number_can_be_a_password(tmp_path: Path) -> None:
    sent = '{"user": "ada", "pin": 493817}'
    steps, text = imported(
        tmp_path, entry("/login", method="POST", sent=sent, sent_mime="application/json")
    )
    assert "493817" not in text
    assert steps[0]["json"] == {"user": "{user}", "pin": "{pin:number}"}
    assert steps[0]["name"] == "log-in"
