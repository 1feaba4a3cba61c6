"""Targets: how they are written, where they lead, and who must have agreed."""

import itertools
import socket
from pathlib import Path
from typing import Any

import pytest

from headcount.errors import InputError, TargetError
from headcount.plan.gate import addresses, allowed, is_loopback, is_own
from headcount.plan.target import is_here, parse


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("app://127.0.0.1:7410", "127.0.0.1", 7410),
        ("app://server.example:1/", "server.example", 1),
        ("app://[::1]:65535", "::1", 65535),
        ("app://[2001:db8::7]:80", "2001:db8::7", 80),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    target = parse(text)
    assert (target.protocol, target.lab, target.host, target.port) == ("app", None, host, port)
    assert parse(target.text) == target


@pytest.mark.parametrize(
    ("text", "host", "port", "share"),
    [
        ("smb://files.example/data", "files.example", 445, "data"),
        ("smb://files.example/data/", "files.example", 445, "data"),
        ("smb://127.0.0.1:4450/home folders", "127.0.0.1", 4450, "home folders"),
        ("smb://[::1]/data$", "::1", 445, "data$"),
        ("smb://[2001:db8::7]:1445/d", "2001:db8::7", 1445, "d"),
        ("smb://files/home{n}", "files", 445, "home{n}"),
        ("smb://files/home{n:05}", "files", 445, "home{n:05}"),
        ("smb://files/{n:020}s", "files", 445, "{n:020}s"),
    ],
)
def test_file_servers(text: str, host: str, port: int, share: str) -> None:
    target = parse(text)
    assert (target.protocol, target.lab, target.host, target.port) == ("smb", None, host, port)
    assert target.share == share
    assert parse(target.text) == target


@pytest.mark.parametrize(("name", "protocol"), [("app", "app"), ("samba", "smb")])
def test_a_server_of_the_lab_has_no_address_yet(name: str, protocol: str) -> None:
    target = parse(f"lab:{name}")
    assert (target.protocol, target.lab, target.host, target.port) == (protocol, name, None, None)
    assert target.share is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "targets look like lab:app, app://host:port"),
        ("localhost:7410", "write app://localhost:7410"),
        ("app://localhost", "needs a port; it looks like app://host:port"),
        ("app://::1:7410", "write app://[::1]:7410"),
        ("app://ho st:1", "targets look like"),
        ("app://host:1/path", "nothing may follow the port; it looks like app://host:port"),
        ("app://host:0", "the port must be from 1 to 65535"),
        ("app://host:65536", "the port must be from 1 to 65535"),
        ("apps://host:1", 'no protocol "apps"; did you mean "app"? (there is: app'),
        ("gopher://host:1", 'no protocol "gopher" (there is: app'),
        ("smc://host/data", 'no protocol "smc"; did you mean "smb"?'),
        (r"\\host\data", "write smb://host/data"),
        ("smb:/host/data", "write smb://host/data"),
        ("smb://::1/data", "write smb://[::1]/data"),
        ("smb://host", "must name one share, as in smb://server/data"),
        ("smb://host:445/", "must name one share"),
        ("smb://host/data/folder", "must name one share"),
        ("smb://host/a:b", "must name one share"),
        ("smb://host/ data", "must name one share"),
        ("smb://host/home{m}", "(or a pattern of shares: smb://server/home{n:05})"),
        ("smb://host/home{n:5}", "must name one share"),
        ("smb://host/home{n:021}", "must name one share"),
        ("smb://host/home{n}{n}", "must name one share"),
        ("smb://host/home{n", "must name one share"),
        ("smb://host:0/data", "the port must be from 1 to 65535; it looks like smb://"),
        ("smb://host:65536/data", "the port must be from 1 to 65535"),
        (
            "lab:ap",
            'no server "ap"; did you mean "app"? (it has: lab:app, lab:files, ',
        ),
        ("lab:smb", 'no server "smb"; did you mean "samba"?'),
    ],
)
def test_an_invalid_target_is_refused_with_the_form(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert part in str(caught.value)
    assert text in str(caught.value) or text.removeprefix("lab:") in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["smb://ada:s3cret@host/data", "smb://s3cret@host", "smb://@host", "ftp://ada:s3cret@host"],
)
def test_a_password_in_a_target_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputError, match=r"no user name and no password") as caught:
        parse(text)
    assert "s3cret" not in str(caught.value)


def test_names_are_resolved_to_what_the_engine_takes() -> None:
    assert addresses("127.0.0.1", 7410) == ("127.0.0.1:7410",)
    assert addresses("::1", 445) == ("[::1]:445",)
    assert all(is_loopback(address) for address in addresses("localhost", 7410))


def test_where_a_server_listens_on_all_addresses_is_this_machine() -> None:
    assert addresses("0.0.0.0", 8000) == ("127.0.0.1:8000",)  # noqa: S104
    assert addresses("::", 8000) == ("[::1]:8000",)
    assert is_here(parse("http://0.0.0.0:8000/"))
    assert is_here(parse("http://[::]:8000/"))


@pytest.mark.parametrize("host", ["nobody.invalid", "a..b", "x" * 70])
def test_an_unresolvable_name_is_an_error(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def offline(name: str, *rest: Any, **more: Any) -> Any:
        if name.endswith(".invalid"):  # no test asks a name server
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(name, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    with pytest.raises(TargetError) as caught:
        addresses(host, 1)
    assert f'the name "{host}"' in str(caught.value)
    assert "check the spelling" in str(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.8.9.1:1", "[::1]:1"])
def test_this_machine_needs_no_permission(address: str) -> None:
    assert is_loopback(address)
    host, _, port = address.rpartition(":")
    assert allowed("the target", host.strip("[]"), int(port), None) == (address,)


@pytest.mark.parametrize("address", ["10.0.0.1:1", "[2001:db8::7]:1", "8.8.8.8:1"])
@pytest.mark.parametrize("nobody", [None, "", "  "])
def test_another_machine_needs_its_owners_permission(address: str, nobody: str | None) -> None:
    host, _, port = address.rpartition(":")
    with pytest.raises(InputError, match=r"--authorised-by .*HEADCOUNT_AUTHORISED_BY"):
        allowed("the target", host.strip("[]"), int(port), nobody)
    found = allowed("the target", host.strip("[]"), int(port), "Ada, who runs it")
    assert found == (address,)


def test_a_server_on_this_machine_gets_half_of_the_cores() -> None:
    here = ["lab:app", "app://localhost:1", "app://127.0.0.2:1", "app://[::1]:1"]
    here += ["lab:samba", "smb://localhost/d", "smb://127.0.0.2/d", "smb://[::1]/d"]
    assert all(is_here(parse(text)) for text in here)
    assert not is_here(parse("smb://10.0.0.1/d"))
    assert not is_here(parse("app://10.0.0.1:1"))
    assert not is_here(parse("app://server.example:1"))


def test_addresses_of_this_machine_are_its_own_and_no_others() -> None:
    """As the kernel's table of local addresses has them; TEST-NET-2 is nobody's (RFC 5737)."""
    rows = Path("/proc/net/fib_trie").read_text("ascii").splitlines()
    local = {
        before.split()[-1]
        for before, row in itertools.pairwise(rows)
        if row.strip() == "/32 host LOCAL"
    }
    assert "127.0.0.1" in local
    for address in local:
        assert is_own(f"{address}:80")
    assert is_own("[::1]:80")
    assert not is_own("198.51.100.1:80")
