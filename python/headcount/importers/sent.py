"""The values that a request sends, with their places: they may have come from a reply."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

from headcount.importers.exchange import Exchange
from headcount.importers.names import looks_like_id, singular
from headcount.importers.payload import Payload

BY_BROWSER = frozenset(
    {
        "accept-encoding",
        "accept-language",
        "accept-charset",
        "cache-control",
        "connection",
        "content-length",
        "cookie",
        "dnt",
        "expect",
        "host",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "keep-alive",
        "origin",
        "pragma",
        "priority",
        "proxy-connection",
        "range",
        "referer",
        "sec-gpc",
        "save-data",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "upgrade-insecure-requests",
        "user-agent",
        "via",
        "content-type",
    }
)
"""Headers that a browser sets itself; the content type follows from the kind of body."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A value in a request: `place` is path, query, header, form, json or part."""

    place: str
    name: str
    value: str


_LONG_WORD = re.compile(r"[\w.-]{12,}")
_OF_BROWSER = ("*/*", "text/html,", "image/")
Fill = Callable[[Sent], str | None]
"""Returns the replacement of a value that is sent: a text with marks, or None to keep it."""


def own_headers(exchange: Exchange) -> dict[str, str]:
    """The headers that the application, not the browser, asked for."""
    found = {}
    for name, value in exchange.headers:
        low = name.lower()
        if low == "range" and exchange.status == 206:  # a part of a video: without it, all of it
            found[name] = value
            continue
        if low in BY_BROWSER or low.startswith(("sec-", "access-control-")):
            continue
        if low == "destination":  # WebDAV's: an address on this host
            parts = urlsplit(value)
            found[name] = parts.path or value
            continue
        if low == "accept" and (exchange.is_resource or value.startswith(_OF_BROWSER)):
            continue
        found[name] = value
    return found


def sent_values(exchange: Exchange) -> list[Sent]:
    """Every value that a request sends, in its order."""
    found: list[Sent] = []

    def note(sent: Sent) -> None:
        found.append(sent)

    filled_path(exchange.path, note)
    filled_headers(own_headers(exchange), note)
    filled_payload(exchange.payload, note)
    return found


def filled_path(path: str, fill: Fill) -> str:
    """A path with its query, with values replaced."""
    way, mark, query = path.partition("?")
    parts = way.split("/")
    for index, part in enumerate(parts):
        if part:
            plain = unquote(part)
            before = next(
                (one for one in reversed(parts[:index]) if one and not looks_like_id(one)), ""
            )
            parts[index] = fill(Sent("path", singular(before), plain)) or part
    pairs = query.split("&") if query else []
    for index, pair in enumerate(pairs):
        key, equals, value = pair.partition("=")
        if equals and value:
            filled = fill(Sent("query", unquote_plus(key), unquote_plus(value)))
            pairs[index] = f"{key}={filled or value}"
    return "/".join(parts) + mark + "&".join(pairs)


def filled_headers(headers: dict[str, str], fill: Fill) -> dict[str, str]:
    """Headers with values replaced; in `Bearer TOKEN` only the token."""
    found = {}
    for name, value in headers.items():
        scheme, blank, rest = value.partition(" ")
        if name.lower() == "authorization" and blank:
            filled = fill(Sent("header", name, rest))
            found[name] = f"{scheme} {filled or rest}"
        else:
            found[name] = fill(Sent("header", name, value)) or value
    return found


def filled_payload(payload: Payload, fill: Fill) -> Payload:
    """A body with values replaced."""
    if payload.form is not None:
        pairs = tuple((key, fill(Sent("form", key, value)) or value) for key, value in payload.form)
        return Payload(form=pairs)
    if payload.parts is not None:
        parts = tuple(
            (key, (fill(Sent("part", key, value)) or value) if isinstance(value, str) else value)
            for key, value in payload.parts
        )
        return Payload(parts=parts)
    if payload.has_json:
        filled = _filled_json(payload.json, "", fill)
        return Payload(json=filled, has_json=True, content_type=payload.content_type)
    if payload.text is not None and payload.content_type:
        return Payload(text=_filled_text(payload.text, fill), content_type=payload.content_type)
    return payload


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every text and number of a JSON value, with the name of its key."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


def _filled_json(value: Any, name: str, fill: Fill) -> Any:
    if isinstance(value, dict):
        return {key: _filled_json(one, key, fill) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled_json(one, name, fill) for one in value]
    if isinstance(value, str):
        return fill(Sent("json", name, value)) or value
    if isinstance(value, int | float) and not isinstance(value, bool):
        filled = fill(Sent("json number", name, str(value)))
        return value if filled is None else filled
    return value


def _filled_text(text: str, fill: Fill) -> str:
    """A text body with values replaced among its long words, such as tokens in XML or in JSON."""
    return _LONG_WORD.sub(lambda found: fill(Sent("body", "", found[0])) or found[0], text)
