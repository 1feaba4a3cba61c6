"""The log-on that browsers handle themselves: HTTP Basic and Digest authentication."""

import binascii
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import unquote

from headcount.importers.exchange import Exchange, header
from headcount.importers.journey import unmarked

_DIGEST_NAME = re.compile(r'(?:^|[\s,])username="((?:[^"\\]|\\.)*)"')


def has_digest(exchanges: Sequence[Exchange]) -> bool:
    """Whether a browser answered a server's Digest challenge."""
    return any(
        header(one.headers, "authorization").lower().startswith("digest ") for one in exchanges
    )


def without_log_on(exchanges: Sequence[Exchange]) -> tuple[list[Exchange], str]:
    """The exchanges without the log-on, and the name that was sent; empty if nobody logged on.

    A browser sends name and password with every request once a server has asked for them. A
    workload's user does so from the start, so the refusals that asked are left out.
    """
    name = next((found for found in map(_name, exchanges) if found), "")
    if not name:
        return list(exchanges), ""
    kept = [one for one in exchanges if not _asks(one)]
    return [replace(one, headers=_others(one)) for one in kept], name


def _name(exchange: Exchange) -> str:
    if exchange.url.username:
        return unmarked(unquote(exchange.url.username))
    scheme, _, token = header(exchange.headers, "authorization").partition(" ")
    if scheme.lower() == "digest":
        given = _DIGEST_NAME.search(token)
        return unmarked(re.sub(r"\\(.)", r"\1", given[1])) if given else ""
    if scheme.lower() != "basic":
        return ""
    try:
        plain = b64decode(token, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return unmarked(plain.partition(":")[0])


def _asks(exchange: Exchange) -> bool:
    challenge = header(exchange.reply_headers, "www-authenticate").lower()
    return exchange.status == 401 and (
        challenge.startswith(("basic", "digest")) or not exchange.is_resource
    )


def _others(exchange: Exchange) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, value)
        for key, value in exchange.headers
        if key.lower() != "authorization" or not value.lower().startswith(("basic ", "digest "))
    )
