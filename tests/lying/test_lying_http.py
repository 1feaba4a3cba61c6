"""Web servers that lie: each comes to one clear message, in bounded time and memory."""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from attacks import (
    Attack,
    Field,
    Outcomes,
    assert_kept_nothing,
    assert_met,
    assert_served,
    workload,
)
from liar import Line, Play, lying

from processes import Headcount

HEAD = b"HTTP/1.1 200 OK\r\n"
FINE = HEAD + b"Content-Length: 6\r\n\r\nhello\n"
LATE = "no answer within 10 s"
UNENDED = "the answer began but did not end within 10 s"
PAGES = """
[pages]
directories = [""]
classes = [{ name = "k1", percent = 100, sizes = ["1KiB"], files = 1 }]
"""
HTTP2 = ("--client", "http2=on")
PACKED = ("--client", "accept_gzip=on")


def asked(line: Line) -> bytes:
    """The head of the next request."""
    return line.take_until(b"\r\n\r\n")


def honest(line: Line) -> None:
    while True:
        asked(line)
        line.send(FINE)


def say(*parts: bytes) -> Play:
    """Answer with this, and then nothing more."""

    def play(line: Line) -> None:
        asked(line)
        line.send(*parts)
        line.wait()

    return play


def always(*parts: bytes) -> Play:
    """Answer each request with this."""

    def play(line: Line) -> None:
        while True:
            asked(line)
            line.send(*parts)

    return play


def hang_up_after(*parts: bytes) -> Play:
    def play(line: Line) -> None:
        asked(line)
        line.send(*parts)

    return play


def then(do: str, text: bytes, first: bytes = b"") -> Play:
    """Answer with `first`, and then drip, flood or flow with a text."""

    def play(line: Line) -> None:
        asked(line)
        line.send(first)
        getattr(line, do)(text)

    return play


def later(play: Play) -> Play:
    """Serve the first connection, which only asks who is there, and lie on all others."""

    def played(line: Line) -> None:
        if line.number == 0:
            honest(line)
        play(line)

    return played


def bomb() -> bytes:
    """A body of some 16 MB that would become 16 GiB of zeros."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = pack.compress(bytes(1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    more = pack.compress(bytes(1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    return first + more * (16 << 10)


def unpack_bomb(line: Line) -> None:
    body = bomb()
    while True:
        asked(line)
        line.send(HEAD, b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body), body)


def frame(kind: int, flags: int, stream: int, body: bytes, length: int | None = None) -> bytes:
    """A frame of HTTP/2 (RFC 9113, 4.1)."""
    size = len(body) if length is None else length
    return size.to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + body


def frames(do: str, text: bytes, first: bytes = b"") -> Play:
    """Greet as HTTP/2 does, and go on with this."""

    def play(line: Line) -> None:
        line.take_until(b"SM\r\n\r\n")
        line.send(frame(4, 0, 0, b""), first)
        if do == "wait":
            line.wait()
        getattr(line, do)(text)

    return play


slow = partial(Attack, is_slow=True)
loaded = partial(Attack, in_load=True, code=1)

ATTACKS = [
    slow("silent", Line.wait, LATE),
    Attack("hangs up", hang_up_after(), "closed the connection instead of answering"),
    Attack("hangs up in the head", hang_up_after(HEAD), "closed the connection in the head"),
    Attack("resets", Line.reset, "127.0.0.1"),
    slow("drips", then("drip", b"HTTP/1.1 200 OK\r\nX: "), LATE),
    Attack("endless headers", then("flood", b"X: y\r\n", HEAD), "not HTTP/1.1: too many headers"),
    Attack("endless header", then("flood", b"x", HEAD + b"X: "), "exceeds 65536 bytes"),
    Attack("header of 1 MB", say(HEAD, b"X: ", b"x" * 1_000_000), "exceeds 65536 bytes"),
    slow("huge length", say(HEAD, b"Content-Length: 9223372036854775807\r\n\r\n"), UNENDED),
    slow("endless body", then("flow", b"x" * 4096, HEAD + b"X: y\r\n\r\n"), UNENDED),
    Attack("length below 0", say(HEAD, b"Content-Length: -1\r\n\r\n"), 'not a length: "-1"'),
    Attack(
        "length of 21 digits", say(HEAD, b"Content-Length: %d\r\n\r\n" % 10**20), "not a length"
    ),
    Attack("no length", say(HEAD, b"Content-Length: 1e3\r\n\r\n"), 'not a length: "1e3"'),
    Attack(
        "two lengths",
        say(HEAD, b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello\n"),
        "two different lengths",
    ),
    Attack(
        "body too short",
        hang_up_after(HEAD, b"Content-Length: 9\r\n\r\nhello"),
        "after 5 of 9 bytes",
    ),
    Attack("body too long", say(FINE, b"x"), "more than its answer"),
    Attack("answers twice", say(FINE, FINE), "more than its answer"),
    Attack(
        "huge chunk",
        say(HEAD, b"Transfer-Encoding: chunked\r\n\r\n1ffffffffffffffff\r\n"),
        "more than 16 digits",
    ),
    Attack(
        "endless extension",
        then("flood", b"x", HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;"),
        "extensions and trailers",
    ),
    Attack(
        "endless trailer",
        then("flood", b"X: y\r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n"),
        "extensions and trailers",
    ),
    Attack(
        "garbage for a chunk",
        say(HEAD, b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\x1b[31m"),
        r'has "\x1b" where it is not allowed',
    ),
    Attack(
        "interim answers",
        then("flood", b"HTTP/1.1 100 Continue\r\n\r\n"),
        "more than 10 interim answers",
    ),
    Attack("changes protocol", say(b"HTTP/1.1 101 x\r\n\r\n"), "status 101 answers no request"),
    Attack("zeros", say(bytes(64)), r"not HTTP/1.1: invalid"),
    Attack("zero in a header", say(HEAD, b"X: a\0b\r\n\r\n"), "not HTTP/1.1: invalid header"),
    Attack("speaks TLS", say(b"\x15\x03\x01\0\x02\x02\x46"), "not HTTP/1.1: invalid"),
    Attack(
        "does not speak TLS",
        lambda line: line.flow(FINE),
        "does not speak TLS on this port",
        scheme="https",
    ),
    Attack("colours", say(b"HTTP/1.1 \x1b[31m \xe2\x80\xae\r\n\r\n"), r"\x1b[31m"),
    Attack("HTTP/1 for 2", then("flow", FINE), "127.0.0.1", options=HTTP2),
    Attack(
        "frame of 16 MiB", frames("wait", b"", frame(0, 0, 1, b"", 0xFFFFFF)), "", options=HTTP2
    ),
    Attack(
        "endless headers of 2",
        frames("flood", frame(9, 0, 1, b"\0\1x\1y" * 3000), frame(1, 0, 1, b"\x88")),
        "",
        options=HTTP2,
    ),
    Attack(
        "pings", frames("flow", frame(6, 0, 0, bytes(8)) * 10), LATE, options=HTTP2, is_slow=True
    ),
    loaded(
        "body too short for users",
        later(hang_up_after(HEAD, b"Content-Length: 9\r\n\r\nx")),
        "the server closed the connection after 1 of 9 bytes",
        code=3,
    ),
    loaded(
        "hides a page of colours",
        later(always(b"HTTP/1.1 500 x\r\nContent-Length: 8\r\n\r\n\x1b[31m\xc2\x9b1")),
        "status 500",
    ),
    loaded("silent for users", later(Line.wait), "the target stopped answering", code=3),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    folder = tmp_path_factory.mktemp("lying_http")
    path = folder / "look.toml"
    path.write_text(workload("http", '{ name = "home", op = "get", path = "/" }'), "utf-8")
    headcount = Headcount(folder)
    yield Outcomes(Field(headcount, str(path), "{scheme}://{address}", "http", honest), ATTACKS)
    headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)


def test_an_honest_server_has_no_failures(outcomes: Outcomes) -> None:
    assert_served(outcomes)


def test_redirects_to_other_servers_are_not_followed(outcomes: Outcomes) -> None:
    with lying(honest) as elsewhere:
        where = f"Location: http://{elsewhere.address}/\r\n".encode()

        def redirect(line: Line) -> None:
            while True:
                asked(line)
                line.send(b"HTTP/1.1 302 Found\r\n", where, b"Content-Length: 0\r\n\r\n")

        attack = loaded("redirects", redirect, "redirects are not followed")
        assert_met(outcomes, attack, outcomes.field.outcome_alone(attack))
        assert elsewhere.connections == 0


def test_a_bomb_is_not_unpacked(outcomes: Outcomes, tmp_path: Path) -> None:
    path = tmp_path / "pages.toml"
    step = '{ name = "page", op = "get", page = "any" }'
    path.write_text(workload("http", step, PAGES), "utf-8")
    attack = Attack("bomb", unpack_bomb, "wrong data at offset 0", options=PACKED)
    assert_met(outcomes, attack, replace(outcomes.field, workload=str(path)).outcome_alone(attack))
