"""`[mail]` and the client of mail: what is read, what is refused, and what the engine gets."""

from typing import Any

import pytest

from headcount.errors import InputError
from headcount.plan.client import check_client
from headcount.plan.target import parse
from headcount.protocols.mail import PROTOCOL, Post, mail_client, parse_post
from headcount.protocols.mail_profile import Mail
from headcount.protocols.tables import check_tables

MEDIUM: dict[str, Any] = {
    "recipients": {"mean": 4},
    "handled": 0.91,
    "replied": 0.15,
    "replied_to_all": 0.05,
    "forwarded": 0.07,
    "moved": 0.2,
    "deleted": 0.4,
    "attachments_loaded": 0.25,
    "inbox_cap": 125,
    "mix": [
        {"weight": 7, "text": "1KiB"},
        {"weight": 2, "text": "2KiB"},
        {"weight": 1, "text": "1KiB", "attached": "10KiB", "kind": "word"},
    ],
    "start": {"folders": 40, "messages": 5, "inbox": 4, "deleted": 1},
}


def test_the_engine_gets_the_same_names_and_sizes_in_bytes() -> None:
    form = Mail.model_validate(MEDIUM | {"sent_away": 0.6}).engine_form({"a.x": 2.0, "b.x": 1.0})
    assert form["replied"] == 0.15
    assert form["attachments_loaded"] == 0.25
    assert form["mix"][2] == {
        "weight": 1,
        "text_bytes": 1024,
        "attached_bytes": 10240,
        "attached": "word",
    }
    assert form["start"] == {"folders": 40, "messages": 5, "inbox": 4, "deleted": 1, "bytes": 0}
    assert form["destinations"] == [
        {"domain": "a.x", "share": pytest.approx(0.4)},
        {"domain": "b.x", "share": pytest.approx(0.2)},
    ]
    assert "popular" not in form["recipients"]


def test_a_mailbox_and_a_message_in_figures() -> None:
    mail = Mail.model_validate(MEDIUM)
    assert mail.start.total == 40 * 5 + 4 + 1
    assert mail.mean_bytes == pytest.approx((7 * 1024 + 2 * 2048 + 11264) / 10)
    assert "40 folders of 5, 4 in the inbox, 1 deleted" in mail.text
    small = mail.scaled(0.1).start
    assert (small.folders, small.messages, small.inbox, small.deleted) == (4, 5, 1, 1)
    assert mail.scaled(0.001).start.folders == 1
    assert mail.engine_form({})["destinations"] == []


@pytest.mark.parametrize(
    ("text", "post", "address"),
    [
        ("smtp://mail.example", Post("smtp", "mail.example", 25), "mail.example:25"),
        ("submission://m:2587", Post("submission", "m", 2587), "m:2587"),
        ("smtps://[::1]/", Post("smtps", "::1", 465), "[::1]:465"),
        ("lmtp://127.0.0.1:10024", Post("lmtp", "127.0.0.1", 10024), "127.0.0.1:10024"),
    ],
)
def test_addresses_that_take_mail_are_read(text: str, post: Post, address: str) -> None:
    assert parse_post(text) == post
    assert parse_post(text).address == address


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"smtp": "http://x"}, "write it like smtp://host"),
        ({"smtp": "smtp://x:0"}, "the port must be from 1 to 65535"),
        ({"domain": "a b"}, "write the domain alone"),
        ({"destinations": "one.example=x"}, "write domains, with weights"),
        ({"user": "u{m}"}, "not a pattern of names"),
        ({"verify": "lots"}, "verify"),
        ({"delivery_limit": "1ms"}, "from 1s to 1h"),
        ({"strattls": "on"}, "starttls"),
    ],
)
def test_invalid_settings_of_mail_clients_are_refused(given: dict[str, str], part: str) -> None:
    with pytest.raises(InputError) as caught:
        mail_client(given)
    assert part in str(caught.value)


def test_destinations_have_weights() -> None:
    given = {"destinations": "one.example=2, two.example", "verify": "10%"}
    client = mail_client(given)
    assert client.destinations == {"one.example": 2.0, "two.example": 1.0}
    assert client.verify == pytest.approx(0.1)


def test_targets_of_mail() -> None:
    assert (parse("imap://mail.example").port, parse("imaps://[::1]").port) == (143, 993)
    assert parse("imaps://mail.example").is_tls
    assert parse("imap://mail.example").protocol == "mail"
    with pytest.raises(InputError, match="nothing may follow the port"):
        parse("imap://mail.example/inbox")
    with pytest.raises(InputError, match="has no user name and no password"):
        parse("imaps://ada:secret@mail.example")
    with pytest.raises(InputError, match="needs the domain of its users"):
        check_client(parse("imap://mail.example"), {}, {})
    check_client(parse("imap://mail.example"), {"domain": "mail.example"}, {})


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ({}, {"subject_tag": "", "footer": "none"}),
        (
            {"subject_tag": "[EXTERNAL] ", "footer": "Allowed"},
            {"subject_tag": "[EXTERNAL]", "footer": "any"},
        ),
        ({"footer": "Be careful."}, {"subject_tag": "", "footer": {"text": "Be careful."}}),
    ],
)
def test_marks_of_a_gateway_reach_the_engine(given: dict[str, str], form: dict[str, Any]) -> None:
    assert mail_client(given).marks_form() == form


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"subject_tag": "[EXTERN\nAL]"}, "write what stands before the subject"),
        ({"subject_tag": "x" * 101}, "at most 100 characters"),
        ({"footer": " "}, "write off, allowed, or the footer's own text"),
    ],
)
def test_invalid_marks_are_refused(given: dict[str, str], part: str) -> None:
    with pytest.raises(InputError, match=part):
        mail_client(given)


def test_only_classic_steps_need_filled_mailboxes() -> None:
    check_tables(PROTOCOL, [], [{"op": op} for op in ("send", "search", "fetch", "flag")])
    with pytest.raises(ValueError, match=r'the protocol "mail" needs a \[mail\]'):
        check_tables(PROTOCOL, [], [{"op": op} for op in ("send", "process-inbox")])
