"""Messages between the controller and its agents."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import EngineError
from headcount.generator.message import MOST_BYTES, Decoder, Message, encoded

VALUES = st.dictionaries(
    st.text(max_size=9).filter(lambda name: name != "kind"),
    st.one_of(st.integers(-(2**53), 2**53), st.text(max_size=20), st.booleans(), st.none()),
    max_size=5,
)
MESSAGES = st.lists(
    st.builds(Message, kind=st.text(max_size=9), values=VALUES, body=st.binary(max_size=300)),
    max_size=5,
)


@given(MESSAGES, st.integers(1, 50))
def test_messages_arrive_as_sent_in_pieces_of_any_size(messages: list[Message], size: int) -> None:
    data = b"".join(encoded(one) for one in messages)
    decoder = Decoder()
    found = []
    for at in range(0, len(data), size):
        found += decoder.feed(data[at : at + size])
    assert found == messages


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">II", MOST_BYTES + 1, 0),
        struct.pack(">II", 0, MOST_BYTES + 1),
        struct.pack(">II", 2, 0) + b"[]",
        struct.pack(">II", 2, 0) + b"{}",
        struct.pack(">II", 4, 0) + b"\xff{}\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
)
def test_bytes_that_are_not_a_message_are_refused(data: bytes) -> None:
    with pytest.raises(EngineError, match="that this version of Headcount cannot read"):
        Decoder().feed(data)


@given(st.binary(max_size=200))
def test_noise_is_an_error_or_nothing(noise: bytes) -> None:
    try:
        Decoder().feed(noise)
    except EngineError:
        return
