"""Targets of two servers that the same users speak to."""

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.client import check_client
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import is_here, parse
from headcount.protocols.pair import split_settings, split_target

BOTH = "imap://mail.example:1143+postgresql://db.example/shop"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (BOTH, ("imap://mail.example:1143", "postgresql://db.example/shop")),
        ("lab:mail?users=9+lab:postgresql", ("lab:mail?users=9", "lab:postgresql")),
        ("http://web.example/a+b", None),
        ("lab:mail", None),
    ],
)
def test_a_plus_sign_joins_two(text: str, parts: tuple[str, str] | None) -> None:
    assert split_target(text) == parts


def test_both_are_read() -> None:
    target = parse(BOTH)
    assert target.protocol == "mail+sql"
    assert target.both == (parse("imap://mail.example:1143"), parse("postgresql://db.example/shop"))
    assert (target.host, target.port, target.lab) == ("mail.example", 1143, None)
    assert not is_here(target)
    assert is_here(parse("imap://mail.example+lab:postgresql"))


def test_settings_of_the_second_have_its_protocol_as_prefix() -> None:
    text = "lab:mail?client_limit=200+lab:postgresql?fsync=off"
    found = workloads.load("notes-maildb")
    plan = resolve(found, text, Overrides(users=1, client={"sql.sslmode": "disable"}))
    assert plan.target == "lab:mail+lab:postgresql"
    assert plan.server == {"client_limit": "200", "sql.fsync": "off"}
    assert split_settings(plan.server, "sql") == ({"client_limit": "200"}, {"fsync": "off"})
    assert split_settings(plan.client, "sql") == ({}, {"sslmode": "disable"})
    assert plan.protocol == "mail+sql"
    assert Plan.model_validate(plan.model_dump()) == plan


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("lab:app+lab:mail", "joins app and mail, which no workload combines"),
        ("lab:mail+lab:mail", "joins mail and mail"),
        ("lab:mail+lab:postgresql+lab:mail", "joins sql and mail"),
        ("lab:mail+lab:postgres", 'did you mean "postgresql"'),
    ],
)
def test_protocols_that_do_not_combine_are_refused(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert part in str(caught.value)


def test_clients_of_both_are_checked() -> None:
    target = parse(BOTH)
    check_client(target, {"domain": "mail.example", "sql.sslmode": "require"}, {})
    with pytest.raises(InputError, match="needs the domain"):
        check_client(target, {"sql.sslmode": "require"}, {})
    with pytest.raises(InputError, match="sslmode"):
        check_client(target, {"domain": "mail.example", "sql.sslmod": "require"}, {})


def test_a_workload_for_one_server_does_not_run_on_two() -> None:
    with pytest.raises(InputError, match="the workload speaks"):
        resolve(workloads.load("notes-mail"), "lab:mail+lab:postgresql", Overrides(users=1))


def test_steps_name_the_second_protocol() -> None:
    found = workloads.load("notes-maildb").model_dump(mode="json", exclude_none=True)
    step = next(s for s in found["scenarios"] if s["name"] == "look-up")["steps"][0]
    assert step["on"] == "sql"
    step["on"] = "smb"
    with pytest.raises(ValueError, match='on = "smb"; it can have on = "sql", or nothing'):
        type(workloads.load("notes-mail")).model_validate(found)
    alone = workloads.load("notes-mail").model_dump(mode="json", exclude_none=True)
    alone["scenarios"][0]["steps"][0]["on"] = "mail"
    with pytest.raises(ValueError, match="it can have no key on"):
        type(workloads.load("notes-mail")).model_validate(alone)
