"""Passwords of users on their way to other machines."""

from collections.abc import Iterable, Sequence

from headcount.errors import InputError
from headcount.plan.gate import is_own


def clear_warnings(
    server: str, addresses: Iterable[str], *, is_tls: bool, is_allowed: bool, remedy: str
) -> Sequence[str]:
    """A warning about passwords that anybody on the way can read; empty if there is no danger.

    Args:
        server: The server as the user named it.
        addresses: Its addresses, as `ip:port`.
        is_tls: Whether the connection is encrypted before a password is sent.
        is_allowed: Whether the user accepts clear text.
        remedy: How to encrypt the connection.

    Raises:
        InputError: The password would leave this machine in clear, and nobody accepted that.

    """
    if is_tls or all(is_own(address) for address in addresses):
        return ()
    if not is_allowed:
        raise InputError(
            f"the users' password would travel in clear text to {server}: {remedy}, or accept it "
            "with --client clear_password=on"
        )
    return (
        f"warning: the users' password travels in clear text to {server}; change it after the run",
    )
