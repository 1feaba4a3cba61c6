"""Addresses of sources: valid ones are parsed, others are refused with the reason."""

import pytest

from headcount.counters.address import Address, parse
from headcount.counters.open import open_source
from headcount.counters.proc.source import HostSource
from headcount.errors import InputError


@pytest.mark.parametrize(
    ("text", "address", "place"),
    [
        ("local", Address("local", "local"), "local"),
        (
            "http://10.0.0.7:9100",
            Address("http://10.0.0.7:9100", "http", "10.0.0.7", 9100, None, "/metrics"),
            "10.0.0.7:9100",
        ),
        (
            "https://[fe80::1]:9182/windows?collect[]=cpu",
            Address(
                "https://[fe80::1]:9182/windows?collect[]=cpu",
                "https",
                "fe80::1",
                9182,
                None,
                "/windows?collect[]=cpu",
            ),
            "[fe80::1]:9182",
        ),
        ("ssh://ada@db1", Address("ssh://ada@db1", "ssh", "db1", None, "ada"), "db1"),
        (
            "ssh://ada@corp.example@db1:2222/",
            Address("ssh://ada@corp.example@db1:2222/", "ssh", "db1", 2222, "ada@corp.example"),
            "db1:2222",
        ),
    ],
)
def test_addresses_are_parsed(text: str, address: Address, place: str) -> None:
    assert parse(text) == address
    assert parse(text).place == place


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("db1", "the form is wrong"),
        ("ftp://db1", "the form is wrong"),
        ("ssh://", "the form is wrong"),
        ("ssh://ada:secret@db1", "must not contain a password"),
        ("http://ada@db1:9100", "take no user"),
        ("http://db1:99999", "out of range"),
        ("http://db1:0", "port 0 does not exist"),
        ("http://db1:9100/a b", "contains a space"),
        ("http://db1:9100/größe", "not ASCII; write that as %XX"),
        ("http://db1..example.com/metrics", "is not a host name"),
        ("ssh://-oProxyCommand=reboot", "is not a host name"),
        ("ssh://-x@db1", "is not a user name"),
        ("ssh://db1;reboot", "is not a host name"),
        ("ssh://db1/etc/passwd", "nothing may follow"),
    ],
)
def test_an_invalid_address_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert reason in str(caught.value)
    assert "http://host:port/metrics" in str(caught.value)


def test_this_machine_is_a_source_too() -> None:
    source = open_source("local", "here")
    assert isinstance(source, HostSource)
    assert source.sample().values["system.memory.limit"] > 0
    source.close()
