"""What Chromium records of a site replays there without an edit, and does there what it did."""

import tomllib
from pathlib import Path

import bar
import pytest

KNOWN = tomllib.loads((bar.HERE / "flows.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", ["shop", "django-admin", "graphql", "wsgidav"])
def test_a_recording_replays_without_an_edit(name: str, tmp_path: Path) -> None:
    assert bar.outcome(name, tmp_path) == ""


def test_every_listed_flow_can_be_recorded() -> None:
    assert bar.FLOWS.keys() == KNOWN.keys()
