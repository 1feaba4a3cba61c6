"""PostgreSQL servers that lie: each comes to one clear message, in bounded time and memory."""

import base64
from collections.abc import Iterator
from functools import partial

import pytest
from attacks import Attack, Field, Outcomes, assert_kept_nothing, assert_met
from liar import Line, Play
from sql_messages import (
    BOOL,
    BOUND,
    CLEARTEXT,
    LET_IN,
    PARSED,
    READY,
    SASL,
    SASL_CONTINUE,
    SASL_FINAL,
    TEXT,
    authentication,
    begin,
    columns,
    error,
    message,
    row,
    taken,
)

from processes import Headcount

SALT = base64.b64encode(b"salt").decode()
CLEAR = ("--client", "require_auth=password")


def say(*parts: bytes) -> Play:
    """Begin as a server does, say this, and then no more."""

    def play(line: Line) -> None:
        begin(line)
        line.send(*parts)
        line.wait()

    return play


def at_once(*parts: bytes) -> Play:
    """Answer the request for TLS with this."""

    def play(line: Line) -> None:
        line.take(8)
        line.send(*parts)
        line.wait()

    return play


def then(do: str, text: bytes, *first: bytes) -> Play:
    def play(line: Line) -> None:
        begin(line)
        line.send(*first)
        getattr(line, do)(text)

    return play


def hang_up(line: Line) -> None:
    begin(line)


def answer(described: bytes, *parts: bytes) -> Play:
    """Let everybody in, describe the first statement so, and answer it with this."""
    first, *rest = parts
    reply = (BOUND, described, *rest) if first == BOUND else parts

    def play(line: Line) -> None:
        begin(line)
        line.send(LET_IN)
        while taken(line)[0] != b"S":
            pass
        line.send(PARSED, *reply)
        line.wait()

    return play


def prove(iterations: int, *, nonce: str = "", signature: bytes = b"") -> Play:
    """Ask for SCRAM with this many iterations; answer with another nonce or signature if given."""

    def play(line: Line) -> None:
        begin(line)
        line.send(authentication(SASL, b"SCRAM-SHA-256\0\0"))
        first = taken(line)[1].split(b"r=")[1].decode()
        server = f"r={nonce or first}more,s={SALT},i={iterations}"
        line.send(authentication(SASL_CONTINUE, server.encode()))
        taken(line)
        line.send(authentication(SASL_FINAL, b"v=" + base64.b64encode(signature)), LET_IN)
        line.wait()

    return play


def repeat_password(line: Line) -> None:
    """Ask for the password in clear text, and tell everybody what it is."""
    begin(line)
    line.send(authentication(CLEARTEXT))
    password = taken(line)[1].rstrip(b"\0")
    colours = b"\x1b[31m \xc2\x9b31m \xe2\x80\xae\nerror: "
    line.send(error(b"SFATAL", b"C28P01", b"M" + colours + password + b" is wrong"))
    line.wait()


NOTICE = message(b"N", b"SNOTICE\0C00000\0M" + b"x" * 9000 + b"\0\0")
slow = partial(Attack, is_slow=True)
LATE = "within 10s"
NOT_POSTGRESQL = "the answer is not PostgreSQL's"

ATTACKS = [
    slow("silent", Line.wait, LATE),
    slow("silent after TLS was agreed on", at_once(b"S"), LATE),
    slow("drips", then("drip", b"x", message(b"E", b"SFATAL\0", 60_000)), LATE),
    slow("silent at a statement", say(LET_IN), LATE),
    Attack("hangs up", hang_up, "the server closed the connection"),
    Attack("resets", Line.reset, "127.0.0.1"),
    Attack("speaks HTTP", at_once(b"HTTP/1.1 400 Bad Request\r\n\r\n"), NOT_POSTGRESQL),
    Attack("does not speak TLS", at_once(b"S" + b"x" * 64), "no TLS handshake"),
    Attack("error of 2 GiB", say(message(b"E", b"", 0x7FFFFFFF)), "of 2147483647 bytes"),
    Attack("length below 0", say(message(b"E", b"", 0xFFFFFFFF)), "of 4294967295 bytes"),
    Attack("length of 0", say(message(b"E", b"", 0)), "a message of a length under 4"),
    Attack("error without end", say(message(b"E", b"SFATAL")), "in the middle of a part"),
    Attack("no kind of proof", say(message(b"R")), "a request for a proof without its kind"),
    Attack("unknown proof", say(authentication(99)), "unknown authentication tag"),
    Attack("password in clear text", say(authentication(CLEARTEXT)), "nothing was sent", code=2),
    Attack("ready before the logon", say(READY), NOT_POSTGRESQL),
    Attack("flood of notices", then("flood", NOTICE, authentication(0)), "1 MiB before the logon"),
    Attack(
        "flood of parameters",
        then("flood", message(b"S", b"a\0" + b"x" * 9000 + b"\0"), authentication(0)),
        "1 MiB before the logon is complete",
    ),
    Attack("2 Gi iterations", prove(0x7FFFFFFF), "SCRAM iteration count exceeds the maximum"),
    Attack("iterations beyond numbers", prove(10**12), "127.0.0.1"),
    Attack("another nonce", prove(4096, nonce="x" * 24), "invalid nonce"),
    Attack("wrong signature", prove(4096, signature=bytes(32)), "SCRAM verification error"),
    Attack(
        "tells the password in colours", repeat_password, "(SQLSTATE 28P01)", code=2, options=CLEAR
    ),
    Attack(
        "rows of another type",
        answer(columns(TEXT), BOUND, row(b"t"), message(b"C", b"SELECT 1\0"), READY),
        "error deserializing column 0",
    ),
    Attack(
        "no columns",
        answer(columns(), BOUND, row(), message(b"C", b"SELECT 1\0"), READY),
        "invalid column",
    ),
    Attack(
        "nothing in a column",
        answer(columns(BOOL), BOUND, row(None), message(b"C", b"SELECT 1\0"), READY),
        "error deserializing column 0",
    ),
    Attack(
        "columns below 0", answer(columns(BOOL), BOUND, message(b"D", b"\xff\xff")), "127.0.0.1"
    ),
    Attack(
        "column beyond its row",
        answer(
            columns(BOOL),
            BOUND,
            message(b"D", b"\0\1\x7f\xff\xff\xff"),
            message(b"C", b"SELECT 1\0"),
            READY,
        ),
        "127.0.0.1",
    ),
    Attack(
        "row of 2 GiB",
        answer(columns(BOOL), BOUND, message(b"D", b"", 0x7FFFFFFF)),
        "a message ('D') of 2147483647 bytes",
    ),
    Attack(
        "two rows",
        answer(columns(BOOL), BOUND, row(b"\1") * 2, message(b"C", b"SELECT 2\0"), READY),
        "127.0.0.1",
    ),
    Attack("answers that nobody asked for", say(LET_IN, row(b"\1") * 3), "127.0.0.1"),
    Attack(
        "notices without end",
        then("flood", NOTICE, LET_IN),
        "16 MiB of notices between two answers",
    ),
    Attack(
        "error of 60 kB",
        answer(columns(BOOL), error(b"SERROR", b"CXX000", b"M" + b"x" * 60_000) + READY),
        "(SQLSTATE XX000)",
    ),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    headcount = Headcount(tmp_path_factory.mktemp("lying_sql"))
    target = "{scheme}://{address}/shop"
    field = Field(headcount, "notes-discussion", target, "postgresql", Line.reset)
    yield Outcomes(field, ATTACKS)
    headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)
