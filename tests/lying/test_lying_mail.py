"""Mail servers that lie, to the command line; others are played to the engine (crates/mail)."""

import base64
from collections.abc import Iterator

import pytest
from attacks import Attack, Field, Outcomes, assert_kept_nothing, assert_met
from liar import Line, Play

from processes import Headcount

GREETING = b"* OK [CAPABILITY IMAP4rev1] ready\r\n"


def later(play: Play) -> Play:
    """Greet the first connections, to either protocol, and lie to clients that log on."""

    def played(line: Line) -> None:
        line.send(b"220 ready\r\n" if line.number == 1 else GREETING)
        if line.number < 2:
            line.wait()
        play(line)

    return played


def greet(*parts: bytes) -> Play:
    """Greet, answer the first command with this, and say no more."""

    def play(line: Line) -> None:
        line.take_until(b"\r\n")
        line.send(*parts)
        line.wait()

    return later(play)


def repeat_password(line: Line) -> None:
    """Tell everybody what the user logs on with."""
    while True:
        tag, *words = line.take_until(b"\r\n").split()
        if words[0] == b"AUTHENTICATE":
            line.send(b"+ \r\n")
            words = base64.b64decode(line.take_until(b"\r\n")).split(b"\0")
        colours = b"\x1b[31m \xc2\x9b31m \xe2\x80\xae "
        line.send(tag, b" NO [AUTHENTICATIONFAILED] ", colours, b" ".join(words), b"\r\n")


def say(*parts: bytes) -> Play:
    def play(line: Line) -> None:
        line.send(*parts)
        line.wait()

    return play


ATTACKS = [
    Attack("silent", Line.wait, "it did not get past the greeting", is_slow=True),
    Attack("silent after its greeting", greet(), "did not get past the logon", is_slow=True),
    Attack("huge text", greet(b'* LIST () "/" {99999999999}\r\n'), "announced 99999999999 bytes"),
    Attack("speaks HTTP", say(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "HTTP/1.1 400 Bad Request"),
    Attack("tells the password in colours", later(repeat_password), "repeats the password", code=2),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcomes]:
    headcount = Headcount(tmp_path_factory.mktemp("lying_mail"))
    target = "{scheme}://{address}"
    options = ("--client", "domain=test.invalid", "--client", "smtp=smtp://{address}")
    field = Field(headcount, "mail-imap-mix", target, "imap", Line.reset, options)
    yield Outcomes(field, ATTACKS)
    headcount.close()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)
