"""Messages that only both ends can read."""

import pytest

from headcount.cluster.seal import KeyPair, SealedWay
from headcount.errors import EngineError


def ways(name: str = "orders") -> tuple[SealedWay, SealedWay]:
    here, there = KeyPair(), KeyPair()
    return here.channel(there.public, name), there.channel(here.public, name)


def test_sealed_messages_are_opened_at_the_other_end() -> None:
    here, there = ways()
    for text in (b"", b"a secret", b"a secret", bytes(100_000)):
        sealed = here.seal(text)
        assert text not in sealed or not text
        assert there.open(sealed) == text


def test_the_same_text_is_sealed_differently_each_time() -> None:
    here, _ = ways()
    assert here.seal(b"a secret") != here.seal(b"a secret")


@pytest.mark.parametrize("which", ["altered", "repeated", "left out", "of another way"])
def test_only_the_next_message_is_accepted(which: str) -> None:
    here, there = ways()
    first, second = here.seal(b"one"), here.seal(b"two")
    if which == "altered":
        first = bytes([first[0] ^ 1]) + first[1:]
    elif which == "repeated":
        there.open(first)
    elif which == "left out":
        first = second
    else:
        first = ways("reports")[0].seal(b"one")
    with pytest.raises(EngineError, match="was altered"):
        there.open(first)
