"""Browsers' recordings: HAR 1.2, as Firefox, Chrome, proxies and Playwright write it."""

import math
import re
from base64 import b64decode
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from headcount.errors import InputError
from headcount.importers.body_text import multipart_text
from headcount.importers.exchange import METHODS, Exchange, Headers, header, split_url
from headcount.importers.journey import File
from headcount.importers.log_on import has_digest, without_log_on
from headcount.importers.payload import Payload, payload, with_contents
from headcount.importers.stranger import json_of, rows, table, text

MOST_ENTRIES = 20_000
"""Most requests of a recording: a longer one is more than a journey."""
WHAT = "a browser recording (HAR)"
_TEXTUAL = ("text/", "json", "xml", "javascript", "x-www-form-urlencoded")
_DESTINATIONS = {
    "empty": "fetch",
    "iframe": "document",
    "style": "stylesheet",
    "track": "texttrack",
    "audio": "media",
    "video": "media",
}
"""Destinations of a request, by the header's name for them and the recordings' name."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The requests of a recording in their order, and those that cannot be played, by reason."""

    exchanges: tuple[Exchange, ...]
    left_out: Counter[str]
    log_on: str = ""
    """The name that the browser itself sent with HTTP Basic or Digest authentication."""
    has_digest: bool = False


def recording(path: Path) -> Recording:
    """Read a recording; raises InputError that names the file and the entry."""
    log = table(table(json_of(path, WHAT)).get("log"))
    entries = log.get("entries")
    if not isinstance(entries, list):
        raise InputError(
            f"{path} is not {WHAT}: it has no log.entries; save it with the browser's network "
            "tools, as HAR"
        )
    if len(entries) > MOST_ENTRIES:
        raise InputError(
            f"{path} has {len(entries):,} requests; at most {MOST_ENTRIES:,} can be imported: "
            "record a shorter visit"
        )
    found: list[Exchange] = []
    left_out: Counter[str] = Counter()
    for number, entry in enumerate(entries, 1):
        try:
            one = _exchange(number, table(entry))
        except ValueError as error:
            raise InputError(f"{path}: entry {number} of log.entries: {error}") from error
        if isinstance(one, str):
            left_out[one] += 1
        else:
            found.append(one)
    found.sort(key=lambda one: one.started_s)  # Firefox sorts by page
    kept, log_on = without_log_on(found)
    return Recording(tuple(kept), left_out, log_on, log_on != "" and has_digest(found))


def _exchange(number: int, entry: dict[str, Any]) -> Exchange | str:
    """An entry, or why it cannot be played; raises ValueError if it is damaged."""
    request, response = table(entry.get("request")), table(entry.get("response"))
    address = text(request.get("url"))
    method = text(request.get("method")).upper()
    if reason := _why_not_sent(method, address):
        return reason
    url = split_url(address)
    status = response.get("status")
    if url.scheme in ("ws", "wss") or status == 101:
        return "WebSockets"
    if not isinstance(status, int) or isinstance(status, bool):
        raise ValueError("response.status is not a number")  # noqa: TRY004 - of a file's contents
    if not 100 <= status <= 599:
        return "requests without a reply (cancelled or blocked)"
    headers = _headers(request.get("headers"))
    if method == "OPTIONS" and any(
        name.lower() == "access-control-request-method" for name, _ in headers
    ):
        return "CORS preflights of the browser"
    if method not in METHODS:
        return f"requests with the method {method[:20]}"
    started_s = _moment(text(entry.get("startedDateTime")))
    content = table(response.get("content"))
    mime = text(content.get("mimeType")).lower()
    return Exchange(
        number=number,
        started_s=started_s,
        ended_s=started_s + _duration_s(entry.get("time")),
        method=method,
        url=url,
        headers=headers,
        payload=_payload(table(request.get("postData")), headers),
        status=status,
        reply_headers=_headers(response.get("headers")),
        mime=mime,
        reply=_reply(content, mime),
        kind=_kind(entry, headers),
    )


def _why_not_sent(method: str, address: str) -> str:
    """Why an entry is not a request to a web server; empty if it is one."""
    if method == "CONNECT":  # a proxy's: its address is only a host and a port
        return "requests with the method CONNECT"
    scheme, colon, _ = address.partition(":")
    is_inside = colon and scheme not in ("http", "https", "ws", "wss")
    return "addresses inside the browser" if is_inside else ""


def _kind(entry: dict[str, Any], headers: Headers) -> str:
    """What the browser asked for, from the recording or from a header of the request."""
    found = text(entry.get("_resourceType")).lower() or header(headers, "sec-fetch-dest").lower()
    return _DESTINATIONS.get(found, found)


def _headers(value: Any) -> Headers:
    """Headers without HTTP/2's pseudo-headers."""
    pairs = ((text(one.get("name")), text(one.get("value"))) for one in rows(value))
    return tuple((name, value.strip()) for name, value in pairs if name and name[0] != ":")


def _payload(data: dict[str, Any], headers: Headers) -> Payload:
    mime = text(data.get("mimeType"))
    sent = text(data.get("text"))
    params = rows(data.get("params"))
    if mime.startswith("multipart/") and (sent or params):
        parts = tuple((text(one.get("name")), _part(one)) for one in params)
        sent = _bytes_as_text(sent) or multipart_text(parts)
        length = header(headers, "content-length")
        sent_bytes = int(length) if re.fullmatch(r"[0-9]{1,15}", length) else 0
        missing_bytes = sent_bytes - len(sent.encode("utf-8", "replace"))
        found = payload(sent, mime) if text(data.get("text")) else Payload(parts=parts)
        return with_contents(found, missing_bytes)
    if sent:
        return payload(sent, mime)
    pairs = tuple((text(one.get("name")), text(one.get("value"))) for one in params)
    return Payload(form=pairs or None)


def _part(param: dict[str, Any]) -> str | File:
    """A field of a form in several parts that was recorded by its name, not as text."""
    filename, value = param.get("fileName"), text(param.get("value"))
    if not isinstance(filename, str):
        return value
    kind = text(param.get("contentType")) or "application/octet-stream"
    return File(text(filename), kind, value)


def _bytes_as_text(sent: str) -> str:
    """A UTF-8 body that a proxy wrote byte by byte, decoded; any other unchanged."""
    try:
        return sent.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return sent


def _reply(content: dict[str, Any], mime: str) -> str:
    found = content.get("text")
    if not isinstance(found, str):
        return ""
    if content.get("encoding") != "base64":
        return found
    if mime and not any(one in mime for one in _TEXTUAL):
        return ""
    try:
        return b64decode(found, validate=False).decode("utf-8", "replace")
    except ValueError:
        return ""


def _moment(written: str) -> float:
    """An ISO 8601 time in seconds since 1970; raises ValueError."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError) as error:
        raise ValueError(f'startedDateTime is "{written[:40]}", which is not a time') from error


def _duration_s(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(max(value, 0.0), 3_600_000.0) / 1000
