"""The page of `headcount doctor` names every check once, and the floors that stop runs."""

import re
from pathlib import Path

from headcount.doctor.checks import space
from headcount.doctor.checks.table import CHECKS
from headcount.lab.app import LEAST_HANDLES
from headcount.text import memory

PAGE = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text("utf-8")


def test_every_check_is_described_once_and_no_other() -> None:
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert sorted(named) == sorted(CHECKS)


def test_floors_are_those_of_the_checks() -> None:
    assert f"below {LEAST_HANDLES} lab:app does not start" in PAGE
    assert f"below {memory(space.LEAST_MEMORY_BYTES).replace('.0', '')} **stops runs**" in PAGE
