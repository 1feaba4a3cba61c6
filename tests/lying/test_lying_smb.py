"""File servers that lie, alone or in the middle of a talk with a real one."""

import socket
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from attacks import Attack, Field, Outcomes, assert_kept_nothing, assert_met, assert_served
from liar import Gone, Line, Play

from file_server import serving
from processes import Headcount

NEGOTIATE, CHALLENGE, LET_IN, TREE, FIRST, SIZE, FAREWELL = 0, 1, 2, 3, 4, 5, 8
"""Answers of a server by their place on a connection. FIRST is asked on the share."""
READ = 8
SIGNED, ASYNC, RESPONSE = 8, 2, 1
PENDING = 0x103
UNASKED = b"\xff" * 8
FLAGS, NEXT, MESSAGE, SIGNATURE, BODY = 16, 20, 24, 48, 64
"""Where fields stand in a message (MS-SMB2 2.2.1.2)."""

Change = Callable[[int, bytearray], bytes | None]
"""What becomes of an answer, with its place: all that is sent for it; None: nothing, ever again."""


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(4) + message


def taken(line: Line) -> bytes:
    """The client's next message."""
    return line.take(int.from_bytes(line.take(4)))


class Samba:
    """A real server behind those who lie."""

    place = ("127.0.0.1", 0)


def received(stream: socket.socket) -> bytearray:
    """The server's next message."""
    heard = bytearray()
    while len(heard) < 4 or len(heard) < 4 + int.from_bytes(heard[:4]):
        missing = 4 - len(heard) if len(heard) < 4 else 4 + int.from_bytes(heard[:4]) - len(heard)
        piece = stream.recv(missing)
        if not piece:
            raise Gone
        heard += piece
    return heard[4:]


def between(change: Change, of: int = -1) -> Play:
    """Pass on what client and server say, and change the server's answers.

    `of` is the connection that is lied on, if it is not all of them.
    """

    def play(line: Line) -> None:
        with socket.create_connection(Samba.place, 60) as server:
            number = 0
            while True:
                server.sendall(framed(taken(line)))
                while True:
                    answer = received(server)
                    is_interim = answer[8:12] == PENDING.to_bytes(4, "little")
                    lies = of in (-1, line.number)
                    sent = change(number, answer) if lies else framed(answer)
                    if sent is None:
                        line.wait()
                    line.send(sent or b"")
                    if not is_interim:
                        break
                number += 1

    return play


def altered(place: int, at: int, new: bytes) -> Play:
    """Answer with other bytes at a place of this answer."""

    def change(number: int, message: bytearray) -> bytes:
        if number == place:
            message[at : at + len(new)] = new
        return framed(message)

    return between(change)


def answered(place: int, other: Callable[[bytearray], bytes | None]) -> Play:
    """Send something else for this answer."""
    return between(lambda number, message: other(message) if number == place else framed(message))


def flipped(place: int, at: int, bits: int) -> Play:
    """Change these bits of a byte of this answer."""

    def other(message: bytearray) -> bytes:
        message[at] ^= bits
        return framed(message)

    return answered(place, other)


def outside(message: bytearray) -> bytes:
    """A challenge of NTLM whose attributes stand far behind its end (MS-NLMP 2.2.1.2)."""
    at = message.index(b"NTLMSSP\0")
    message[at + 44 : at + 48] = b"\0\xff\xff\xff"
    return framed(message)


def endless(message: bytearray) -> bytes:
    """A challenge of NTLM whose attributes have no end."""
    at = message.index(b"NTLMSSP\0")
    start = at + int.from_bytes(message[at + 44 : at + 48], "little")
    length = int.from_bytes(message[at + 40 : at + 42], "little")
    message[start : start + length] = bytes([1, 0, 0, 0]) * (length // 4) + bytes(length % 4)
    return framed(message)


def to_reads(other: Callable[[bytearray], None]) -> Play:
    """Change the answers to READ."""

    def change(_number: int, message: bytearray) -> bytes:
        if message[12] == READ and message[8:12] == bytes(4):
            other(message)
        return framed(message)

    return between(change)


def longer(message: bytearray) -> None:
    """A read of a megabyte more than was asked for (MS-SMB2 2.2.20)."""
    size = int.from_bytes(message[68:72], "little") + (1 << 20)
    message[68:72] = size.to_bytes(4, "little")
    message += bytes(1 << 20)


def claims_more(message: bytearray) -> None:
    """A read that claims 2 GiB, and has what it has."""
    message[68:72] = b"\xff\xff\xff\x7f"


def goodbye(line: Line) -> None:
    """Never answer the farewell of the first connection, and hang up on all others."""
    if line.number == 0:
        between(lambda number, message: None if number >= FAREWELL else framed(message))(line)
    taken(line)


def unasked(message: bytearray) -> bytes:
    """The answer, and before it what nobody asked for."""
    other = message[:BODY] + b"\x99" * 24
    other[MESSAGE : MESSAGE + 8] = UNASKED
    return framed(other) + framed(message)


def interim(message: bytearray) -> bytes:
    """That the answer comes later."""
    message[8:12] = PENDING.to_bytes(4, "little")
    message[FLAGS] |= ASYNC | RESPONSE
    return framed(message[: BODY + 9])


def later_for_ever(line: Line) -> None:
    """Say again and again that the answer comes later."""
    kept: list[bytes] = []

    def other(message: bytearray) -> bytes:
        kept.append(interim(message))
        line.flow(kept[0])
        return b""

    answered(TREE, other)(line)


def say(*parts: bytes) -> Play:
    def play(line: Line) -> None:
        taken(line)
        line.send(*parts)
        line.wait()

    return play


def hang_up(line: Line) -> None:
    taken(line)


def then(do: str, text: bytes, first: bytes = b"") -> Play:
    def play(line: Line) -> None:
        taken(line)
        line.send(first)
        getattr(line, do)(text)

    return play


slow = partial(Attack, is_slow=True)
LATE = "within 20s"
VALIDATED = ("--client", "dialects=2.1,3.0.2")
HEADER = b"\xfeSMB\x40\0" + bytes(10) + bytes([RESPONSE]) + bytes(47)

ATTACKS = [
    slow("silent", Line.wait, LATE),
    slow("drips", then("drip", b"x", b"\0\0\xff\xff"), LATE),
    slow("silent on the share", answered(FIRST, lambda _: None), "about the share's free space"),
    slow("says later for ever", later_for_ever, LATE),
    slow("never says goodbye", goodbye, "closed the connection instead of answering"),
    Attack("hangs up", hang_up, "closed the connection instead of answering"),
    Attack("speaks HTTP", say(b"HTTP/1.1 400 Bad\r\n\r\n"), "not as an SMB server: HTTP/1.1 400"),
    Attack("colours", say(b"\x1b[31m\xe2\x80\xae"), r"not as an SMB server: \x1b[31m"),
    Attack("message of 16 MiB", then("flood", b"x", b"\0\xff\xff\xff"), "more than was agreed on"),
    Attack("empty message", say(framed(b"")), "NEGOTIATE: the answer is not an SMB2 response"),
    Attack("header alone", say(framed(HEADER)), "NEGOTIATE: the answer has another form"),
    Attack("zeros", say(framed(bytes(200))), "NEGOTIATE: the answer is not an SMB2 response"),
    Attack("flood of headers", then("flood", framed(HEADER)), "the answer has another form"),
    Attack("another protocol", altered(NEGOTIATE, 0, b"\xffSMB"), "is not an SMB2 response"),
    Attack("no such dialect", altered(NEGOTIATE, 68, b"\xff\x02"), "chose dialect 0x02ff"),
    Attack(
        "lowered dialect", altered(NEGOTIATE, 68, b"\x02\x03"), "signature of the answer is wrong"
    ),
    Attack("no credits", altered(NEGOTIATE, 14, b"\0\0"), "granted too few credits"),
    Attack("another command", altered(CHALLENGE, 12, b"\x03"), "belongs to another request"),
    Attack("challenge outside", answered(CHALLENGE, outside), "no NTLM logon", code=2),
    Attack("endless challenge", answered(CHALLENGE, endless), "no NTLM logon", code=2),
    Attack("token outside", altered(CHALLENGE, 70, b"\xff\xff"), "the form of its command"),
    Attack("wrong signature", flipped(LET_IN, SIGNATURE, 1), "signature of the answer is wrong"),
    Attack("not signed", flipped(LET_IN, FLAGS, SIGNED), "the answer is not signed"),
    Attack("another request", flipped(TREE, MESSAGE, 64), "the answer belongs to another request"),
    Attack("answers twice", answered(CHALLENGE, lambda one: framed(one) * 2), "to another request"),
    Attack(
        "next inside itself", altered(TREE, NEXT, b"\x08"), "TREE_CONNECT: the answer is not an SMB"
    ),
    Attack(
        "next outside", altered(TREE, NEXT, b"\0\0\0\x7f"), "TREE_CONNECT: the answer is not an SMB"
    ),
    Attack(
        "next without end",
        answered(
            SIZE,
            lambda one: framed(
                bytes(one[:NEXT]) + b"\x40\0\0\0" + bytes(one[NEXT + 4 : BODY]) + bytes(one)
            ),
        ),
        "QUERY_INFO",
    ),
    Attack("unasked", answered(TREE, unasked), "a message that nothing asked for"),
    Attack("cut answer", answered(SIZE, lambda one: framed(one[:BODY])), "form of its command"),
    Attack("answer of 2 GiB", altered(SIZE, 68, b"\xff\xff\xff\x7f"), "the form of its command"),
    Attack(
        "announces 16 MiB to a user",
        answered(SIZE, lambda _: b"\0\xff\xff\xff"),
        "announced a message of 16777219 bytes",
    ),
    Attack(
        "negotiation not signed",
        flipped(FIRST, FLAGS, SIGNED),
        "confirmation is not signed",
        options=VALIDATED,
    ),
    Attack(
        "another negotiation", flipped(NEGOTIATE, 72, 1), "it remembers another", options=VALIDATED
    ),
    Attack(
        "reads more than asked", to_reads(longer), "bytes came instead of", code=1, in_load=True
    ),
    Attack("claims to read 2 GiB", to_reads(claims_more), "READ", in_load=True),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    folder = tmp_path_factory.mktemp("lying_smb")
    headcount = Headcount(folder)
    with serving(folder / "samba") as server:
        address = server.target.removeprefix("smb://").partition("/")[0]
        host, _, port = address.partition(":")
        Samba.place = (host, int(port))
        target = "{scheme}://{address}/data"
        honest = between(lambda _, message: framed(message))
        options = ("--scale", "0.01", "--pace", "100ms")
        field = Field(headcount, "home-folders", target, "smb", honest, options, server.password)
        yield Outcomes(field, ATTACKS)
        headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)


def test_an_honest_server_has_no_failures(outcomes: Outcomes) -> None:
    assert_served(outcomes)
