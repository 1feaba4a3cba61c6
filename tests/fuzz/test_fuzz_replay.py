"""Plays the inputs that are known: a reader refuses what it cannot read, and never breaks."""

from pathlib import Path

import pytest
from readers import TARGETS, play

FUZZ = Path(__file__).parents[2] / "fuzz"


@pytest.mark.parametrize("name", TARGETS)
def test_known_inputs_break_no_reader(name: str) -> None:
    paths = sorted(path for kind in ("corpus", "found") for path in (FUZZ / kind / name).glob("*"))
    assert paths, f"fuzz/corpus/{name} has no seeds"
    for path in paths:
        play(TARGETS[name], path.read_bytes())


def test_folders_are_those_of_targets() -> None:
    folders = {path.name for kind in ("corpus", "found") for path in (FUZZ / kind).glob("py-*")}
    assert folders == set(TARGETS)
