"""A file server that does not answer any more: the level fails, and the run comes to an end."""

import pytest
from freezing import Freezing

from headcount.bundle import reader

pytestmark = pytest.mark.e2e


def test_a_server_that_freezes_is_given_up(freezing: Freezing) -> None:
    frozen = freezing.frozen()
    assert frozen.ended.code == 3
    message = frozen.ended.message
    assert "the target stopped answering during level 1 at 4 users" in message
    assert f"headcount resume {frozen.bundle}" in message.replace("\n", "")
    assert frozen.still_there == []
    assert frozen.leftovers == []
    found = reader.load(frozen.bundle)
    (level,) = found.levels
    assert level.outcome == "failed" or level.generator.limited  # a busy machine
    assert any("that fell due were answered" in reason for reason in level.reasons)
    assert found.verdict is not None
    assert found.verdict.outcome == "unfinished"
    assert found.verdict.broke_first is not None
