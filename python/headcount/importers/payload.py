"""What a request sends in its body: a form, JSON, several parts, or any text."""

import contextlib
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

from headcount.foreign.json_text import json_value
from headcount.importers.body_text import FORM
from headcount.importers.journey import File, unmarked, unmarked_value

MOST_FIELDS = 10_000
MOST_FILLED = 64 << 10
"""Most bytes that stand for a file whose contents a recording lacks."""
_USUAL = (FORM, "text/plain", "")
"""Types that scripts and cURL give to JSON if nobody sets another."""
_FILLING = "This text stands for the contents of a file that the recording lacks.\n"


@dataclass(frozen=True, slots=True)
class Payload:
    """A body; at most one of `form`, `json`, `parts` and `text` is there."""

    form: tuple[tuple[str, str], ...] | None = None
    json: Any = None
    has_json: bool = False
    parts: tuple[tuple[str, str | File], ...] | None = None
    text: str | None = None
    content_type: str = ""


def payload(text: str, content_type: str) -> Payload:
    """A body by its content type; one that does not fit its type is a text."""
    kind = content_type.partition(";")[0].strip().lower()
    if not text:
        return Payload()
    if kind.endswith(("/json", "+json")) or (kind in _USUAL and text.lstrip()[:1] in ("{", "[")):
        with contextlib.suppress(ValueError):
            value = unmarked_value(json_value(text.encode("utf-8")))
            return Payload(json=value, has_json=True, content_type=content_type)
    if kind == FORM and "=" in text:
        found = _form(text)
        if found is not None:
            return Payload(form=found)
    elif kind == "multipart/form-data":
        parts = _parts(text, content_type)
        if parts is not None:
            return Payload(parts=parts)
    return Payload(text=text, content_type=content_type)


def with_contents(given: Payload, missing_bytes: int) -> Payload:
    """A form whose empty files get this many bytes in total, at most `MOST_FILLED` each.

    Browsers record a form's length, and all of its contents except its files'.
    """
    parts = list(given.parts or ())
    empty = [
        (index, name, one)
        for index, (name, one) in enumerate(parts)
        if isinstance(one, File) and one.filename and not one.content
    ]
    if not empty or missing_bytes <= 0:
        return given
    share, rest = divmod(missing_bytes, len(empty))
    for turn, (index, name, one) in enumerate(empty):
        size = share + (turn < rest)
        content = (_FILLING * (min(size, MOST_FILLED) // len(_FILLING) + 1))[
            : min(size, MOST_FILLED)
        ]
        parts[index] = name, replace(one, content=content, missing_bytes=size)
    return Payload(parts=tuple(parts))


def _form(text: str) -> tuple[tuple[str, str], ...] | None:
    """The fields of a form; None if it has too many."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return None
    return tuple((unmarked(key), unmarked(value)) for key, value in pairs) or None


def _parts(text: str, content_type: str) -> tuple[tuple[str, str | File], ...] | None:
    head = f"Content-Type: {content_type}\r\n\r\n".encode("utf-8", "replace")
    message = message_from_bytes(head + text.encode("utf-8"), policy=HTTP)
    if not message.is_multipart():
        return None
    found: list[tuple[str, str | File]] = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        if not isinstance(name, str) or not name:
            return None
        raw = part.get_payload(decode=True)
        content = unmarked(raw.decode("utf-8", "replace")) if isinstance(raw, bytes) else ""
        filename = part.get_filename()
        if filename is None:
            found.append((unmarked(name), content))
        else:
            found.append(
                (unmarked(name), File(unmarked(filename), part.get_content_type(), content))
            )
    return tuple(found) or None
