"""PostgreSQL servers that serve until users come, and lie to those."""

import ssl
from collections.abc import Callable, Iterator
from functools import partial

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
from liar import Gone, Line
from sql_messages import (
    BOOL,
    BOUND,
    INT4,
    INT8,
    LET_IN,
    NO_PARAMETERS,
    PARSED,
    READY,
    TEXT,
    begin,
    columns,
    error,
    message,
    row,
    taken,
)

from headcount.lab import certificate
from processes import Headcount

TABLES = "discussion = { documents = 10, categories = 2, body_size = 10, people = 50 }"
DOCUMENT = (INT8, INT8, INT4, INT4, INT4, INT8, INT4, TEXT, TEXT)
GOOD = row(
    *(number.to_bytes(size) for number, size in ((1 << 40, 8), (1 << 40, 8), (0, 4), (1, 4))),
    bytes(4),
    bytes(8),
    bytes(4),
    b"subject",
    b"body",
)
DONE = message(b"C", b"SELECT 1\0")
ANSWER = BOUND + GOOD + DONE + READY
USERS = b"headcount.documents d WHERE d.id"
"""In the statement of users, and in no other."""
ANSWERS: dict[bytes, tuple[bytes, bytes]] = {
    b"pg_namespace": (columns(BOOL), b""),
    b"pg_backend_pid": (columns(TEXT, INT4, TEXT), row(b"15.1", bytes(4), b"")),
    b"pg_settings": (columns(TEXT, TEXT), b""),
    b"count(*) FROM headcount.people": (columns(INT8), row((50).to_bytes(8))),
    b"count(*) FILTER": (columns(INT8), row((10).to_bytes(8))),
    USERS: (columns(*DOCUMENT), GOOD),
}
"""What is described, and the rows, by a part of the statement."""
REFUSED = error(b"SERROR", b"VERROR", b"C42501", b"Mnot for you")
Lie = Callable[[Line], None]


class Database:
    """A server that serves, but lies when users prepare or execute their statement."""

    def __init__(
        self, lie: Lie, *, described: bytes = b"", tls: ssl.SSLContext | None = None
    ) -> None:
        self._lie, self._described, self._tls = lie, described, tls

    def __call__(self, line: Line) -> None:
        if self._tls is None:
            begin(line)
        else:
            line.take(8)
            line.send(b"S")
            line.secure(self._tls)
            line.take(int.from_bytes(line.take(4)) - 4)
        line.send(LET_IN)
        texts: dict[bytes, bytes] = {}
        while True:
            self._serve(line, texts)

    def _serve(self, line: Line, texts: dict[bytes, bytes]) -> None:
        """Answer all to the next Sync or Query."""
        text, reply, is_at_once = b"", b"", False
        while True:
            tag, body = taken(line)
            if tag == b"X":
                raise Gone
            if tag == b"Q":
                is_asked = body.startswith((b"SELECT", b"SHOW"))
                line.send(REFUSED if is_asked else message(b"C", b"DONE\0"), READY)
                return
            if tag == b"P":
                name, text, _ = body.split(b"\0", 2)
                texts[name] = text
                described = (USERS in text and self._described) or _answer(text)[0]
                reply = PARSED + NO_PARAMETERS + described
            elif tag == b"B":
                text = texts[body.split(b"\0")[1]]
                is_at_once = bool(reply)  # prepared, described and executed in one round trip
                reply = b""
            elif tag == b"S":
                break
        if is_at_once:
            described, rows = _answer(text)
            line.send(PARSED, BOUND, described, rows, DONE, READY)
        elif reply:
            line.send(reply, READY)
        elif USERS in text:
            self._lie(line)
        else:
            line.send(BOUND, _answer(text)[1], DONE, READY)


def _answer(text: bytes) -> tuple[bytes, bytes]:
    found = (answer for part, answer in ANSWERS.items() if part in text)
    return next(found, (message(b"n"), b""))


def say(*parts: bytes) -> Database:
    """Answer users with this, and go on."""
    return Database(lambda line: line.send(*parts))


def then(do: str, text: bytes, *first: bytes) -> Database:
    def lie(line: Line) -> None:
        line.send(*first)
        getattr(line, do)(text)

    return Database(lie)


def silent(line: Line) -> None:
    line.send(BOUND)
    line.wait()


def garbage(line: Line) -> None:
    """Say in clear what should be encrypted."""
    line.raw.sendall(b"x" * 64)
    line.wait()


NOTICE = message(b"N", b"SNOTICE\0C00000\0M" + b"x" * 9000 + b"\0\0")
NOBODY = row(*[None] * len(DOCUMENT))
FATAL = error(b"SFATAL", b"VFATAL", b"C57P01", b"Mgoing down")
NO_PLACE = "where it has no place"
lie = partial(Attack, in_load=True, code=1)

ATTACKS = [
    lie("wrong tag", say(BOUND, message(b"?"), READY), f"a message ('?') {NO_PLACE}"),
    lie("row of 2 GiB", say(BOUND, message(b"D", b"", 0x7FFFFFFF)), "('D') of 2147483647 bytes"),
    lie("length of 3", say(BOUND, message(b"D", b"", 3)), "a message of a length under 4"),
    lie("nothing in a column", say(BOUND, NOBODY, DONE, READY), "column 0: a value is NULL"),
    lie("short column", say(BOUND, row(*[b"1"] * 9), DONE, READY), "deserializing column 0"),
    lie("few columns", say(BOUND, row(b"1"), DONE, READY), "a row of 1 columns, and described 9"),
    lie(
        "column beyond its row",
        say(BOUND, message(b"D", b"\0\x09\x7f\xff\xff\xff"), DONE, READY),
        "in the middle of a part",
    ),
    lie(
        "older document", say(BOUND, GOOD.replace(b"\1\0\0\0\0\0", bytes(6)), DONE, READY), "but 0"
    ),
    lie("row before the bind", say(GOOD, BOUND, DONE, READY), f"a message ('D') {NO_PLACE}"),
    lie("ready twice", say(ANSWER, READY), f"a message ('Z') {NO_PLACE}"),
    lie("answers twice", say(ANSWER, ANSWER), f"a message ('2') {NO_PLACE}"),
    lie("error of nobody's", say(ANSWER, REFUSED), "an error that answers nothing: not for you"),
    lie("two errors", say(REFUSED, REFUSED, READY), "an error that answers nothing: not for you"),
    lie("ends after an error", say(REFUSED, FATAL), "going down (SQLSTATE 57P01)"),
    lie("end that nobody asked for", say(ANSWER, FATAL), "going down (SQLSTATE 57P01)"),
    lie("no end of the statement", say(BOUND, GOOD, READY), f"a message ('Z') {NO_PLACE}"),
    lie("error without end", say(message(b"E", b"SERROR")), "in the middle of a part"),
    lie("COPY", say(BOUND, message(b"G", b"\0\0\0")), "the server begins a COPY"),
    lie("logs on again", say(message(b"R", bytes(4))), f"a message ('R') {NO_PLACE}"),
    lie("silent after the bind", Database(silent), "nothing was answered at all"),
    lie("drips", then("drip", b"x", BOUND, message(b"D", b"", 60_000)), "nothing was answered"),
    lie("notices without end", then("flood", NOTICE, BOUND), "16 MiB of notices between two"),
    lie("rows without end", then("flood", NOBODY, BOUND), "256 MiB in one answer"),
    lie("resets", Database(Line.reset), "onnection"),
    lie(
        "another type", Database(silent, described=columns(*[TEXT] * 9)), "sends type 25 where int8"
    ),
    lie("no columns", Database(silent, described=message(b"n")), "invalid column `0`"),
]


@pytest.fixture(scope="module")
def attacks_over_tls(tmp_path_factory: pytest.TempPathFactory) -> list[Attack]:
    folder = tmp_path_factory.mktemp("lying_sql_tls")
    certificate.make(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / certificate.CERTIFICATE, folder / certificate.KEY)
    return [
        lie("closes TLS", Database(Line.close, tls=context), "the server closed the connection"),
        lie("clear text in TLS", Database(garbage, tls=context), "corrupt message"),
        lie(
            "wrong tag in TLS",
            Database(lambda line: line.send(message(b"?")), tls=context),
            f"a message ('?') {NO_PLACE}",
        ),
    ]


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Field]:
    folder = tmp_path_factory.mktemp("lying_sql_load")
    path = folder / "read.toml"
    path.write_text(workload("sql", '{ name = "read", op = "read-document" }', TABLES), "utf-8")
    headcount = Headcount(folder)
    options = ("--client", "verify=off")
    target = "{scheme}://{address}/shop"
    yield Field(headcount, str(path), target, "postgresql", say(ANSWER), options)
    headcount.close()


@pytest.fixture(scope="module")
def outcomes(field: Field, attacks_over_tls: list[Attack]) -> Outcomes:
    return Outcomes(field, [*ATTACKS, *attacks_over_tls])


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_each_lie_to_users_gets_one_clear_message(outcomes: Outcomes, attack: Attack) -> None:
    assert_met(outcomes, attack)


def test_lies_after_a_real_handshake_get_clear_messages(
    outcomes: Outcomes, attacks_over_tls: list[Attack]
) -> None:
    for attack in attacks_over_tls:
        assert_met(outcomes, attack)


def test_no_bundle_contains_the_password(outcomes: Outcomes) -> None:
    assert_kept_nothing(outcomes)


def test_an_honest_server_has_no_failures(outcomes: Outcomes) -> None:
    assert_served(outcomes)
