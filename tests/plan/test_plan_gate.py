"""Load goes to the machines that were checked, and to no other."""

import os
import socket
from typing import Any

import pytest

from headcount import workloads
from headcount.controller.access.http import Site
from headcount.controller.access.http import _target as http_target
from headcount.controller.access.mail import target_office
from headcount.controller.access.open import allowed_target
from headcount.controller.access.redis import Store
from headcount.controller.access.redis import _target as redis_target
from headcount.controller.access.secrets import Secrets
from headcount.errors import InputError
from headcount.plan.gate import allowed
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.protocols.redis import Keys

NAMES = {"here.invalid": ["127.0.0.1", "::1"], "mixed.invalid": ["127.0.0.1", "192.0.2.55"]}


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A name server of the test's own; returns the names that were asked."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def answer(host: str, port: int, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        found = NAMES.get(host, [host])
        return [one for ip in found for one in real(ip, port, *rest, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return asked


def plan(workload: str, target: str, **more: Any) -> Plan:
    return resolve(workloads.load(workload), target, Overrides(**more))


def test_each_address_of_a_name_is_checked() -> None:
    assert allowed("the target", "here.invalid", 80, None) == ("127.0.0.1:80", "[::1]:80")
    with pytest.raises(InputError, match=r"the target 192\.0\.2\.55:80 is not this machine"):
        allowed("the target", "mixed.invalid", 80, None)


@pytest.mark.parametrize("ip", ["127.0.0.1", "::1"])
def test_the_address_at_which_the_server_listens_is_the_first(ip: str) -> None:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with socket.create_server((ip, 0), family=family) as server:
        port = server.getsockname()[1]
        target = f"app://here.invalid:{port}"
        found = allowed_target(plan("app-server", target), parse(target)).addresses
    both = (f"127.0.0.1:{port}", f"[::1]:{port}")
    assert found == (both if ip == "127.0.0.1" else both[::-1])


def test_the_server_that_takes_mail_is_checked_as_the_target_is() -> None:
    client = {"smtp": "smtp://192.0.2.55:2525", "domain": "a.example"}
    target = "imap://127.0.0.1:1143"
    with pytest.raises(InputError, match=r"the server 192\.0\.2\.55:2525 is not this machine"):
        allowed_target(plan("mail-light", target, client=client), parse(target))
    agreed = plan("mail-light", target, client=client, authorised_by="Ada")
    office = target_office(agreed, allowed_target(agreed, parse(target)), Secrets())
    assert (office.imap_at, office.post_at) == (("127.0.0.1:1143",), ("192.0.2.55:2525",))


def test_a_name_is_resolved_once_and_the_engine_gets_its_addresses(names: list[str]) -> None:
    target = "https://here.invalid:8443/shop"
    wanted = plan("web-static", target)
    checked = allowed_target(wanted, parse(target))
    assert names == ["here.invalid"]
    text = http_target(wanted, Site(checked.text, checked.addresses))
    assert '"at": ["127.0.0.1:8443", "[::1]:8443"]' in text


def test_the_address_of_connect_is_checked_and_not_the_name(names: list[str]) -> None:
    elsewhere = {"connect": "192.0.2.55:8443"}
    target = "https://127.0.0.1/shop"
    refused = plan("web-static", target, client=elsewhere)
    with pytest.raises(InputError, match=r"192\.0\.2\.55:8443 is not this machine"):
        allowed_target(refused, parse(target))
    agreed = plan("web-static", target, client=elsewhere, authorised_by="Ada")
    assert allowed_target(agreed, parse(target)).addresses == ("192.0.2.55:8443",)
    assert agreed.workers == len(os.sched_getaffinity(0))
    target = "https://shop.example/shop"
    shared = plan("web-static", target, client={"connect": "127.0.0.1:8443"})
    assert shared.workers == max(1, len(os.sched_getaffinity(0)) // 2)
    here = plan("web-static", target, client={"connect": "here.invalid"})
    checked = allowed_target(here, parse(target))
    assert checked.addresses == ("127.0.0.1:443", "[::1]:443")
    assert "shop.example" not in names
    text = http_target(here, Site(checked.text, checked.addresses))
    assert '"url": "https://shop.example/shop", "at": ["127.0.0.1:443", "[::1]:443"]' in text


def test_without_a_mail_server_mail_goes_to_the_same_addresses(names: list[str]) -> None:
    target = "imaps://here.invalid"
    wanted = plan("mail-light", target, client={"domain": "a.example"})
    office = target_office(wanted, allowed_target(wanted, parse(target)), Secrets())
    assert office.imap == "here.invalid:993"
    assert office.imap_at == ("127.0.0.1:993", "[::1]:993")
    assert office.post_at == ("127.0.0.1:25", "[::1]:25")
    assert names == ["here.invalid"]


def test_redis_over_tls_is_found_at_its_resolved_addresses() -> None:
    target = "rediss://here.invalid"
    wanted = plan("ycsb-a", target)
    keys = wanted.workload.table(Keys)
    assert keys is not None
    store = Store("here.invalid:6379", allowed_target(wanted, parse(target)).addresses)
    assert redis_target(wanted, store, keys)["at"] == ("127.0.0.1:6379", "[::1]:6379")
