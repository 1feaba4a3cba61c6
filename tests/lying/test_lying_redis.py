"""Redis servers that lie: each comes to one clear message, in bounded time and memory."""

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

KEYS = """
[keys]
count = 4
value_size = 100
"""
OK = b"+OK\r\n"
INFO = b"redis_version:7.0.15\r\n"


def bulk(text: bytes) -> bytes:
    return b"$%d\r\n%s\r\n" % (len(text), text)


def command(line: Line) -> list[bytes]:
    """The next command: its name and its arguments."""
    words = []
    for _ in range(int(line.take_until(b"\r\n")[1:])):
        size = int(line.take_until(b"\r\n")[1:])
        words.append(line.take(size + 2)[:-2])
    return words


class Store:
    """A server that serves, but for one kind of command."""

    def __init__(self, lie: str = "", *answer: bytes, after: int = 0) -> None:
        """Answer with this to a command of this name, once this many of them were served."""
        self._lie, self._answer, self._after = lie.encode(), answer, after
        self._keys: dict[bytes, bytes] = {}
        self._asked = 0

    def __call__(self, line: Line) -> None:
        while True:
            words = command(line)
            if words[0] == self._lie:
                self._asked += 1
                if self._asked > self._after:
                    self.deceive(line)
                    continue
            line.send(self._served(words))

    def deceive(self, line: Line) -> None:
        if not self._answer:
            line.wait()
        line.send(*self._answer)

    def _served(self, words: list[bytes]) -> bytes:
        name, *rest = words
        if name == b"INFO":
            return bulk(INFO)
        if name == b"GET":
            value = self._keys.get(rest[0])
            return b"$-1\r\n" if value is None else bulk(value)
        if name == b"SET":
            self._keys[rest[0]] = rest[1]
        if name == b"SCAN":
            return b"*2\r\n$1\r\n0\r\n*0\r\n"
        return OK


def greet(*parts: bytes) -> Play:
    """Answer the first command, which logs on, with this and no more."""

    def play(line: Line) -> None:
        command(line)
        line.send(*parts)
        line.wait()

    return play


def hang_up(line: Line) -> None:
    command(line)
    line.send(b"$10\r\nabc")


def then(do: str, text: bytes, first: bytes = b"") -> Play:
    def play(line: Line) -> None:
        command(line)
        line.send(first)
        getattr(line, do)(text)

    return play


slow = partial(Attack, is_slow=True)
loaded = partial(Attack, in_load=True, code=1)
MARKER_SET = 6
"""Commands SET before users come: the marker twice, and the keys."""
MARKER_GET = 1

ATTACKS = [
    slow("silent", Line.wait, "no answer within 30 s"),
    slow("drips", then("drip", b"OK", b"+"), "no answer within 30 s"),
    slow("huge text, then silence", greet(b"$16777216\r\n"), "no answer within 30 s"),
    slow("silent at SCAN", Store("SCAN"), "no answer to SCAN within 30 s"),
    Attack("hangs up", hang_up, "the server closed the connection instead of answering"),
    Attack("endless status", then("flood", b"x", b"+"), "a line that does not end"),
    Attack("text of 2 GiB", greet(b"$2147483647\r\n"), "a reply of 2147483647 bytes"),
    Attack("text below 0", greet(b"$-2\r\n"), "a reply of -2 bytes"),
    Attack("text of no length", greet(b"$\0\r\n"), "instead of a number"),
    Attack("huge text", then("flood", b"x", b"$16777216\r\n"), "longer than the 16777216 bytes"),
    Attack("texts for OK", greet(bulk(b"x" * (4 << 20))), "4194304 bytes instead of OK"),
    Attack("array of 2 Gi", greet(b"*2147483647\r\n"), "a reply of 2147483647 parts"),
    Attack("array below 0", greet(b"*-5\r\n"), "a reply of -5 parts"),
    Attack("arrays in arrays", then("flood", b"*1\r\n"), "arrays in arrays"),
    Attack("wide arrays", greet(b"*4\r\n", *([b"*16000\r\n", b"+\r\n" * 16000] * 4)), "4 parts"),
    Attack("more than it announced", greet(b"$1\r\nabc\r\n"), "longer than the 1 bytes"),
    Attack("answers twice", greet(OK, OK), "more answers came than were asked for"),
    Attack("speaks HTTP", greet(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "does not speak RESP"),
    Attack("speaks TLS", greet(b"\x15\x03\x01\0\x02\x02\x46"), "begins with byte 0x15"),
    Attack("does not speak TLS", lambda line: line.flow(OK), "no TLS handshake", scheme="rediss"),
    Attack(
        "tells the password in colours",
        greet(b"-WRONGPASS \x1b[31m \xe2\x80\xae\nerror: " + SECRET.encode() + b" is wrong\r\n"),
        "WRONGPASS",
        code=2,
    ),
    Attack("error of 60 kB", greet(b"-ERR " + b"x" * 60_000 + b"\r\n"), "ERR xxx"),
    Attack(
        "large INFO", Store("INFO", b"$16000000\r\n" + b"\xff" * 16_000_000 + b"\r\n:1\r\n"), ""
    ),
    Attack("number for INFO", Store("INFO", b":7\r\n"), "the answer to INFO is unexpected"),
    Attack(
        "endless SCAN",
        Store("SCAN", b"*2\r\n$1\r\n7\r\n*0\r\n"),
        "SCAN: the server's list of keys does not end",
    ),
    Attack(
        "SCAN of numbers", Store("SCAN", b"*2\r\n:0\r\n:0\r\n"), "the answer to SCAN is unexpected"
    ),
    Attack("SET without OK", Store("SET", b"$1000000\r\n" + b"x" * 1_000_000 + b"\r\n"), "of OK"),
    loaded("wrong value", Store("GET", bulk(b"x" * 100), after=MARKER_GET), "the value of key"),
    loaded(
        "value of 16 MB", Store("GET", bulk(b"x" * 16_000_000), after=MARKER_GET), "has 16000000"
    ),
    loaded("array of values", Store("GET", b"*4\r\n" + b":1\r\n" * 4, after=MARKER_GET), "4 parts"),
    loaded(
        "values twice", Store("GET", bulk(b"x"), bulk(b"x"), after=MARKER_GET), "more answers came"
    ),
    loaded("silent for users", Store("GET", after=MARKER_GET), "nothing was answered at all"),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    folder = tmp_path_factory.mktemp("lying_redis")
    path = folder / "get.toml"
    path.write_text(workload("redis", '{ name = "get", op = "get" }', KEYS), "utf-8")
    headcount = Headcount(folder)
    yield Outcomes(Field(headcount, str(path), "{scheme}://{address}", "redis", Store()), ATTACKS)
    headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)


def test_an_honest_server_has_no_failures(outcomes: Outcomes) -> None:
    assert_served(outcomes)
