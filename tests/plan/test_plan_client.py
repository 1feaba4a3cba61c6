"""The plan's `[client]` table: who the users of a file server are, and how they speak to it."""

from typing import Any

import pytest
from plan_cases import plan, smb_plan

from headcount.errors import InputError
from headcount.protocols.smb import SmbClient, smb_client

DEFAULTS = {
    "user": "user{n:05}",
    "domain": "",
    "first_user": 0,
    "folder": "headcount\\user{n:05}",
    "shares": 0,
    "dialects": ["2.1", "3.0.2", "3.1.1"],
    "signing": "offered",
    "algorithms": ["aes-gmac", "aes-cmac", "hmac-sha256"],
    "encryption": "offered",
    "verify": True,
    "durable": False,
}


def test_defaults_are_those_of_a_windows_client() -> None:
    assert smb_client({}).model_dump() == DEFAULTS
    assert list(DEFAULTS) == list(SmbClient.model_fields)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("user", "u{n}", "u{n}"),
        ("user", "ada", "ada"),
        ("domain", "EXAMPLE", "EXAMPLE"),
        ("first_user", "200", 200),
        ("folder", "load\\tests\\u{n:03}", "load\\tests\\u{n:03}"),
        ("shares", "3", 3),
        ("dialects", "3.1.1", ["3.1.1"]),
        ("dialects", "3.0.2, 2.1", ["3.0.2", "2.1"]),
        ("signing", "required", "required"),
        ("signing", "off", "off"),
        ("algorithms", "aes-cmac,hmac-sha256", ["aes-cmac", "hmac-sha256"]),
        ("encryption", "required", "required"),
        ("verify", "off", False),
        ("verify", "on", True),
        ("durable", "on", True),
    ],
)
def test_each_key(key: str, text: str, value: Any) -> None:
    assert smb_client({key: text}).model_dump() == DEFAULTS | {key: value}
    assert smb_plan(client={key: text}).client == {key: text}


@pytest.mark.parametrize(
    ("key", "text", "part"),
    [
        ("singing", "off", 'singing: there is no such key; did you mean "signing"?'),
        ("usr", "ada", 'usr: there is no such key; did you mean "user"?'),
        ("encrypt", "off", 'encrypt: there is no such key; did you mean "encryption"?'),
        ("zzz", "1", "zzz: there is no such key"),
        ("user", "", "user:"),
        ("user", "user{m}", 'user: "user{m}" is not a pattern of names: it may have one number'),
        ("user", "{n}{n}", "user: "),
        ("first_user", "-1", "first_user:"),
        ("first_user", "some", "first_user:"),
        ("folder", "user{n}", 'folder: the folder of each user is "user{n}"; it must be inside'),
        ("folder", "headcount/user{n}", "as in headcount\\user{n:05}"),
        ("folder", "headcount\\all", "folder:"),
        ("folder", "h{n}\\user", "folder:"),
        ("folder", "\\user{n}", "folder:"),
        ("folder", "headcount\\user{x}", "it may have one number"),
        ("shares", "-1", "shares:"),
        ("shares", "1.5", "shares:"),
        ("dialects", "3.0", "dialects.0: Input should be '2.1', '3.0.2' or '3.1.1'"),
        ("dialects", "2.1,3", "dialects.1:"),
        ("dialects", "", "dialects.0:"),
        ("signing", "on", "signing: Input should be 'off', 'offered' or 'required'"),
        ("algorithms", "md5", "algorithms.0:"),
        ("encryption", "yes", "encryption:"),
        ("verify", "maybe", 'verify: it is "maybe"; it can be on or off'),
    ],
)
def test_a_mistake_is_named_with_its_key(key: str, text: str, part: str) -> None:
    for use in (smb_client, lambda given: smb_plan(client=given)):
        with pytest.raises(InputError) as caught:
            use({key: text})
        assert str(caught.value).startswith("[client] has a mistake:\n  ")
        assert part in str(caught.value)


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        smb_plan(client={"singing": "off", "verify": "maybe"})
    assert str(caught.value).startswith("[client] has 2 mistakes:\n  ")


def test_shares_need_a_pattern_of_their_names() -> None:
    assert smb_plan(client={"shares": "3"}).client == {"shares": "3"}
    one = "smb://127.0.0.1/data"
    assert smb_plan(target=one, client={"shares": "1"}).target == one
    with pytest.raises(InputError, match=r"3 shares need a target with a pattern") as caught:
        smb_plan(target=one, client={"shares": "3"})
    assert str(caught.value).endswith(f"such as smb://server/home{{n:05}}; it is {one}")


def test_the_lab_has_as_many_shares_as_the_client_thinks() -> None:
    both = smb_plan(target="lab:samba", client={"shares": "3"}, server={"shares": "3"})
    assert both.client == both.server == {"shares": "3"}
    assert smb_plan(target="lab:samba", server={"shares": "3"}).client == {}
    assert smb_plan(target="lab:samba", client={"shares": "1"}).server == {}
    for server in ({}, {"shares": "2"}):
        with pytest.raises(InputError, match=r"on a lab server --shares sets both"):
            smb_plan(target="lab:samba", client={"shares": "3"}, server=server)


def test_other_protocols_have_no_such_keys() -> None:
    with pytest.raises(InputError, match=r"has no \[client\] keys \(--client, --user\)"):
        plan(client={"user": "ada"})


@pytest.mark.parametrize(
    ("make", "target", "message"),
    [
        (plan, "lab:samba", 'speaks "app", which the target "lab:samba" does not'),
        (plan, "smb://127.0.0.1/data", "its targets look like app://host:port"),
        (smb_plan, "lab:app", 'speaks "smb", which the target "lab:app" does not'),
        (smb_plan, "app://127.0.0.1:1", "its targets look like smb://host/share"),
    ],
)
def test_a_target_of_another_protocol_is_refused(make: Any, target: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make(target=target)
    assert message in str(caught.value)
