"""Application servers that lie: each comes to one clear message, in bounded time and memory."""

import json
import struct
import zlib
from collections.abc import Iterator
from functools import partial

import pytest
from attacks import (
    SECRET,
    Attack,
    Field,
    Outcomes,
    assert_kept_nothing,
    assert_met,
    assert_served,
    workload,
)
from liar import Line, Play

from processes import Headcount

MAGIC = b"HCAP"
HELLO, CLIENT_SERVER, SERVER_CLIENT, PREPARE, STATISTICS, PROGRESS, ERROR = 1, 2, 4, 16, 17, 19, 127
REQUEST_BYTES = 1000
GREETING = {
    "protocol": 1,
    "version": "1.0",
    "processors": 2,
    "threads": 2,
    "write_mode": "buffered",
    "pid": 1,
    "session": 1,
    "data_set": None,
}
REFUSED = b"\x09\0"
"""The code of an error of the server's system."""
TOKEN = b"\x03\0"
MOST_BODY = (1 << 20) + 64


def frame(kind: int, body: bytes, length: int | None = None, *, direction: int = 1) -> bytes:
    """A message (`crates/app/src/frame.rs`)."""
    size = len(body) if length is None else length
    return MAGIC + struct.pack("<BBHI", kind, direction, 0, size) + body


def greeting(**other: object) -> bytes:
    return frame(HELLO, json.dumps({**GREETING, **other}).encode())


def request(line: Line) -> tuple[int, bytes]:
    """The kind and the body of the next request."""
    kind, _, _, size = struct.unpack("<BBHI", line.take(12)[4:])
    return kind, line.take(size)


def received(body: bytes, checksum: int | None = None) -> bytes:
    """The answer to a payload."""
    payload = body[4:]
    found = zlib.crc32(payload) if checksum is None else checksum
    return frame(CLIENT_SERVER, struct.pack("<IIII", 0, 0, found, len(payload)))


def serve(line: Line) -> None:
    while True:
        kind, body = request(line)
        if kind == HELLO:
            line.send(greeting())
        elif kind == CLIENT_SERVER:
            line.send(received(body))
        else:
            line.send(frame(ERROR, REFUSED + b"not here"))


def greet(*parts: bytes) -> Play:
    """Answer the first request with this and no more."""

    def play(line: Line) -> None:
        request(line)
        line.send(*parts)
        line.wait()

    return play


def then(do: str, text: bytes, first: bytes = b"") -> Play:
    def play(line: Line) -> None:
        request(line)
        line.send(first)
        getattr(line, do)(text)

    return play


def hang_up(line: Line) -> None:
    request(line)


def hang_up_in_the_middle(line: Line) -> None:
    request(line)
    line.send(greeting()[:40])


def to_users(*parts: bytes) -> Play:
    """Serve all but the users' payloads, which are answered with this."""

    def play(line: Line) -> None:
        while True:
            kind, _ = request(line)
            if kind == HELLO:
                line.send(greeting())
            elif kind == CLIENT_SERVER:
                line.send(*parts)
            else:
                line.send(frame(ERROR, REFUSED + b"not here"))

    return play


def silent_to_users(line: Line) -> None:
    if line.number > 0:
        line.wait()
    serve(line)


slow = partial(Attack, is_slow=True)
loaded = partial(Attack, in_load=True, code=1)
LATE = "sent nothing for 10 s"
UNENDED = "did not finish its answer within 10 s"

ATTACKS = [
    slow("silent", Line.wait, LATE),
    slow("drips", then("drip", b" ", frame(HELLO, b"{", 60_000)), UNENDED),
    slow("largest body, then silence", greet(frame(HELLO, b"", MOST_BODY)), UNENDED),
    Attack("hangs up", hang_up, "it closed the connection without a word"),
    Attack("hangs up in the middle", hang_up_in_the_middle, "the server closed it"),
    Attack("resets", Line.reset, "127.0.0.1"),
    Attack("speaks HTTP", greet(b"HTTP/1.1 400 Bad Request\r\n\r\n"), 'sent "HTTP/1.1 400 Bad'),
    Attack("speaks TLS", greet(b"\x15\x03\x01\0\x02\x02\x46"), r"\x15\x03\x01"),
    Attack("colours", greet(b"\x1b[31m\xe2\x80\xae"), r"\x1b[31m"),
    Attack("body of 2 GiB", greet(frame(HELLO, b"", 0x7FFFFFFF)), "would have 2147483647 bytes"),
    Attack("body of 4 GiB", then("flood", b"x", frame(HELLO, b"", 0xFFFFFFFF)), "4294967295 bytes"),
    Attack(
        "flood for a body", then("flood", b" ", frame(HELLO, b"", MOST_BODY)), "its hello reply"
    ),
    Attack("unknown kind", greet(frame(99, b"")), "there is no message kind 99"),
    Attack("wrong direction", greet(frame(HELLO, b"", direction=7)), "direction or reserved bytes"),
    Attack(
        "asks for an answer",
        greet(frame(HELLO, json.dumps(GREETING).encode(), direction=0)),
        "a request came as a reply",
    ),
    Attack("another answer", greet(frame(PREPARE, b"{}")), "a prepare reply came instead of hello"),
    Attack(
        "payload unasked",
        greet(frame(SERVER_CLIENT, bytes(64))),
        "it sent a reply unasked: server-client",
    ),
    Attack("empty answer", greet(frame(HELLO, b"")), "its hello reply: EOF"),
    Attack("garbage", greet(frame(HELLO, b"\0\xff" * 40)), "its hello reply: expected value"),
    Attack("JSON in JSON", greet(frame(HELLO, b"[" * 500_000)), "its hello reply"),
    Attack("threads below 0", greet(greeting(threads=-1)), "invalid value: integer `-1`"),
    Attack("another version", greet(greeting(protocol=9)), "speaks protocol version 9"),
    Attack("endless progress", then("flood", frame(PROGRESS, b"{}")), "came instead of hello"),
    Attack(
        "tells the password in colours",
        greet(frame(ERROR, TOKEN + f"\x1b[31m \u202e\nerror: {SECRET} is wrong".encode())),
        "refuses access",
        code=2,
    ),
    Attack("error of 1 MB", greet(frame(ERROR, REFUSED + b"x" * 1_000_000)), "refused: xxx"),
    Attack("error of no code", greet(frame(ERROR, b"\xff\xffx")), "it sent a reply unasked: error"),
    loaded(
        "wrong checksum", to_users(received(bytes(REQUEST_BYTES + 4), 7)), "with CRC-32 00000007"
    ),
    loaded("answers twice", to_users(received(bytes(8)) * 2), "more than one reply came"),
    loaded("another answer to users", to_users(greeting()), "the reply belongs to another request"),
    loaded(
        "short answer to users", to_users(frame(CLIENT_SERVER, b"x")), "does not match its kind"
    ),
    loaded(
        "colours for users",
        to_users(frame(ERROR, REFUSED + b"\x1b[31m \xc2\x9b31m \xe2\x80\xae" + b"y" * 90_000)),
        "client-server: ",
    ),
    loaded("silent for users", silent_to_users, "the target stopped answering", code=3),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    folder = tmp_path_factory.mktemp("lying_app")
    path = folder / "send.toml"
    step = f'{{ name = "client-server", op = "client-server", request_bytes = {REQUEST_BYTES} }}'
    path.write_text(workload("app", step), "utf-8")
    headcount = Headcount(folder)
    headcount.environment["HEADCOUNT_TOKEN"] = SECRET
    yield Outcomes(Field(headcount, str(path), "{scheme}://{address}", "app", serve), ATTACKS)
    headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)


def test_an_honest_server_has_no_failures(outcomes: Outcomes) -> None:
    assert_served(outcomes)
