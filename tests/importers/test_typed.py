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


def test_a_password_in_xml_is_a_secret(tmp_path: Path) -> None:
    sent = '<s:Body><user>ada</user><s:Password type="text">hunter22</s:Password></s:Body>'
    steps, text = imported(
        tmp_path, entry("/soap", method="POST", sent=sent, sent_mime="application/soap+xml")
    )
    assert "hunter22" not in text
    assert steps[0]["body"] == sent.replace("hunter22", "{user_password}")
    assert steps[0]["name"] == "log-in"
