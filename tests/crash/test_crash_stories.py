"""Runs that are crashed at any call and go on: what was promised is there, nothing is invented."""

import pytest
from crash_story import room, story
from crash_subjects import SUBJECTS

STORIES = {"bundle": 60, "controller": 20}
PROOF = 50
"""How many times more before a release."""


@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_what_was_promised_survives_any_crash(name: str, proof: bool) -> None:
    with room() as runs:
        for seed in range(STORIES[name] * (PROOF if proof else 1)):
            played = story(seed, name, runs)
            assert not played.broken, f"python tests/crash/run.py --replay {name}:{seed}"
