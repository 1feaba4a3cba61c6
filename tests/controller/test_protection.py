"""The users' password leaves this machine only over TLS, or if the user accepts clear text."""

from dataclasses import replace

import pytest

from headcount import workloads
from headcount.controller.access.open import allowed_target, target_access
from headcount.controller.access.protection import clear_warnings
from headcount.controller.access.secrets import Secrets
from headcount.errors import HeadcountError, InputError
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse

SECRETS = Secrets(password="secret")  # noqa: S106
REMOTE = ("192.0.2.55:143",)
MAIL = {"domain": "a.example"}
CASES = [
    ("mail-light", "imap", MAIL, "imaps:// or --client starttls=on"),
    ("web-static", "http", {"user": "u{n}"}, "https://"),
    ("ycsb-c", "redis", {}, "rediss:// or --client tls=on"),
]


def test_there_is_no_warning_on_this_machine_or_over_tls() -> None:
    for addresses, is_tls in ((("127.0.0.1:143", "[::1]:143"), False), (REMOTE, True)):
        found = clear_warnings("it", addresses, is_tls=is_tls, is_allowed=False, remedy="")
        assert found == ()


def test_accepting_clear_text_gives_a_warning() -> None:
    (warning,) = clear_warnings("imap://there", REMOTE, is_tls=False, is_allowed=True, remedy="")
    assert warning.startswith("warning: the users' password travels in clear text to imap://there")


@pytest.mark.parametrize(("workload", "scheme", "client", "remedy"), CASES)
def test_no_server_is_contacted_before_the_password_is_safe(
    workload: str, scheme: str, client: dict[str, str], remedy: str
) -> None:
    text = f"{scheme}://127.0.0.1"
    plan = resolve(workloads.load(workload), text, Overrides(client=client))
    # A connection would be refused, or time out.
    target = replace(allowed_target(plan, parse(text)), addresses=("192.0.2.55:9",))
    with pytest.raises(InputError) as raised:
        target_access(plan, target, SECRETS)
    assert f"would travel in clear text to {text}: use {remedy}, or accept it" in str(raised.value)
    accepted = plan.model_copy(update={"client": client | {"clear_password": "on"}})
    local = replace(target, addresses=("127.0.0.1:9",))
    with pytest.raises(HeadcountError, match="no connection"):
        target_access(accepted, local, SECRETS)
