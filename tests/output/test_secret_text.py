"""What is secret in a text is replaced, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import secret_text
from headcount.bundle.files import Lines, replace
from headcount.controller.access import Secrets
from headcount.counters import address
from headcount.counters.views.find import split_view
from headcount.errors import InputError, TargetError
from headcount.plan import target
from headcount.protocols.mail import parse_post
from headcount.secret_text import (
    holds_secret,
    learn,
    learn_line,
    redacted,
    redacted_json,
    redacted_values,
)
from headcount.text import clean


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("app://u:pw@h", "app://u:***@h"),
        ("file://u:pw@h/..", "file://u:***@h/.."),
        ("redis://:pw@h", "redis://:***@h"),
        ("ssh://u%3Apw@h", "ssh://u%3A***@h"),
        ("ssh://u:p%40w@h", "ssh://u:***@h"),
        ("ssh://u:pw%40h", "ssh://u:***%40h"),
        ("http://u:p@w:x/y?z#@h/m", "http://u:***@h/m"),
        ('the target "http://u:p"w@h" is', 'the target "http://u:***@h" is'),
        ("http:/u:pw@h", "http:/u:***@h"),
        ("smtp=smtp://u:pw@h", "smtp=smtp://u:***@h"),
        ("imap://u:p@h+postgresql://v:q@d/x", "imap://u:***@h+postgresql://v:***@d/x"),
        ("imap://h:143+postgresql://v:q@d/x", "imap://h:143+postgresql://v:***@d/x"),
        ("postgresql://h/db?password=pw", "postgresql://h/db?password=***"),
        ('"http://h/m?a=b&Token=pw".', '"http://h/m?a=b&Token=***".'),
        ("http://h/?token=a&b&c=d", "http://h/?token=***&c=d"),
        ('it is "token=&a((b"; write', 'it is "token=***"; write'),
        ("http://h/?token=&c=d", "http://h/?token=&c=d"),
        ("host=h password = 'a b' user=u", "host=h password = *** user=u"),
        ("PGPASSWORD=pw api_key=k access-key=k", "PGPASSWORD=*** api_key=*** access-key=***"),
        ("Authorization: Basic a b\nnext", "Authorization: ***\nnext"),
        ('it sent "Cookie: a=b; c=d", and', 'it sent "Cookie: ***", and'),
    ],
)
def test_secrets_are_replaced(text: str, safe: str) -> None:
    assert redacted(text) == safe
    assert redacted(safe) == safe


NAMES = (
    *("password", "passwd", "passphrase", "PGPASSWORD", "pwd", "pass", "secret", "client_secret"),
    *("token", "auth_token", "api-key", "access_key", "secret_access_key", "secretkey"),
    *("?auth", "&sig", "?signature", "authorization", "proxy-authorization", "cookie", "{x"),
)
ODD = str.maketrans({"s": "\u017f", "k": "\u212a", "i": "\u0131"})
"""Letters that patterns take for those of ASCII."""


@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.sampled_from([str, str.upper, str.title, lambda name: name.translate(ODD)]),
            st.sampled_from(["=", " = ", ": ", "", "://"]),
            st.sampled_from(["pw", "'a b'", "", "&", "u:p@h/"]),
            st.sampled_from([" ", "\n", "&", "/"]),
        ),
        max_size=3,
    )
)
def test_the_quick_check_misses_no_secret(
    parts: list[tuple[str, Callable[[str], str], str, str, str]],
) -> None:
    text = "".join(f"{spelt(name)}{mark}{value}{end}" for name, spelt, mark, value, end in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secret_text, "_may_match", lambda *_: True)
        everywhere = redacted(text)
    assert redacted(text) == everywhere


@pytest.mark.parametrize(
    "text",
    [
        "ssh://ada@corp.example@db1:2222/",
        "http://10.0.0.7:9100/metrics?collect[]=cpu",
        "https://host:8443/@ada",
        "http://[fe80::1]:9182/a:b@c",
        "https://host/a:b@c",
        "file:///mnt/a:b@c",
        "smb://host:445/home{n:05}",
        "--client auth=command, AUTH=PLAIN, bypass=on, compass=on",
        "write to ada@example.org: 10:30 / 2",
        "give --password-file or set HEADCOUNT_PASSWORD",
    ],
)
def test_other_text_is_not_replaced(text: str) -> None:
    assert redacted(text) == text
    assert not holds_secret(text) or "=" in text


def test_known_secrets_are_replaced_in_every_form() -> None:
    learn('p/w"é x')
    for form in (
        'p/w"é x',
        "p%2Fw%22%C3%A9%20x",
        "p%2Fw%22%C3%A9+x",
        'p/w\\"é x',
        'p/w\\"\\u00e9 x',
    ):
        assert redacted(f"before{form}after") == "before***after"
    assert str(TargetError('it said p/w"é x')) == "it said ***"
    assert clean('it said p/w"é x') == "it said ***"


def test_a_short_word_is_replaced_where_it_stands_alone() -> None:
    Secrets(*("abc", "test"))
    assert redacted("latest test, abc") == "latest ***, abc"


def test_secrets_of_a_command_line_may_have_blanks() -> None:
    learn_line(["run", "--target", "http://ada:two words@h", "--token", "t0ken"])
    assert redacted('"two words" and t0ken') == '"***" and ***'


def test_json_stays_what_it_was() -> None:
    learn("passed")
    learn("s3cret!")
    line = '{"outcome":"passed","at":"http://h:80","by":"a@b","said":"no s3cret!"}'
    assert json.loads(redacted_json(line)) == {**json.loads(line), "said": "no ***"}
    assert redacted_json(line.replace("s3cret!", "x")) == line.replace("s3cret!", "x")
    assert redacted_values({"s3cret! in it": [1, "s3cret!"]}) == {"*** in it": [1, "***"]}


def test_files_of_a_bundle_have_no_secrets(tmp_path: Path) -> None:
    learn("s3cret!")
    replace(tmp_path / "environment.json", '{\n "target": "ssh://u:pw@h s3cret!"\n}')
    lines = Lines(tmp_path / "events.ndjson")
    lines.append('{"message":"said s3cret!"}')
    lines.close()
    assert (tmp_path / "environment.json").read_text() == '{\n "target": "ssh://u:***@h ***"\n}'
    assert (tmp_path / "events.ndjson").read_text() == '{"message":"said ***"}\n'


HINTS = [
    (target.parse, "app://u:{}@h", "--password-file or HEADCOUNT_PASSWORD"),
    (target.parse, "file://u:{}@h/..", "--password-file or HEADCOUNT_PASSWORD"),
    (target.parse, "ftp://u:{}@h", "--password-file or HEADCOUNT_PASSWORD"),
    (target.parse, "u:{}@h", "--password-file or HEADCOUNT_PASSWORD"),
    (target.parse, "imap://h+postgresql://u:{}@h/d", "--password-file or HEADCOUNT_PASSWORD"),
    (target.parse, "postgresql://h/db?password={}", "--password-file or HEADCOUNT_PASSWORD"),
    (address.parse, "ssh://u:{}@host", "it must not contain a password"),
    (address.parse, "http://u:{}@host:9100/metrics", "it must not contain a password"),
    (address.parse, "http://host:9100/metrics?token={}", "it must not contain a password"),
    (split_view, "nginx=http://u:{}@h/status", "without credentials"),
    (split_view, "redis=u:{}@h:6379", "without credentials"),
    (parse_post, "smtp://u:{}@h", "must not contain a user name or a password"),
]


@pytest.mark.parametrize("secret", ["pw", "p@:/?#w", "p%40w"])
@pytest.mark.parametrize(("read", "form", "hint"), HINTS, ids=[one[1] for one in HINTS])
def test_an_address_with_a_secret_is_refused(
    read: Callable[[str], Any], form: str, hint: str, secret: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(form.format(secret))
    assert hint in str(caught.value)
    assert secret not in str(caught.value).replace("password", "").replace("pwd", "")


@pytest.mark.parametrize(
    "piece",
    [
        "//u:1+a://",
        "password='",
        "cookie: 'x",
        "/",
        "http://h:p+x",
        "a@",
        "u:/",
        "token=a&",
        "token=&a=",
    ],
)
def test_time_is_in_proportion_to_the_text(piece: str) -> None:
    text = piece * (400_000 // len(piece)) + "@"
    assert len(redacted(text)) <= len(text) * 4  # the test would end by its timeout otherwise
