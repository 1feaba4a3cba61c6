"""A step made from a request, with placeholders for replaced values."""

import json
import re
from collections.abc import Callable
from typing import Any

from headcount.importers.body_text import FORM, MULTIPART, form_text, multipart_text
from headcount.importers.exchange import Exchange, header
from headcount.importers.journey import CLOSE, OPEN, File, Step
from headcount.importers.payload import Payload
from headcount.importers.sent import (
    Fill,
    filled_headers,
    filled_path,
    filled_payload,
    own_headers,
)
from headcount.importers.toml_text import can_be_toml

JSON_TYPE = "application/json"
_BARE_NUMBER = re.compile(f'"{OPEN}([^{CLOSE}]*):number{CLOSE}"')


def request_step(
    exchange: Exchange, name: str, fill: Fill, hidden: Callable[[str], str] = str
) -> Step:
    """The step that repeats a request; `hidden` removes secrets from text bodies."""
    step = Step(
        name=name,
        op=exchange.method.lower(),
        path=filled_path(exchange.path, fill),
        headers=filled_headers(own_headers(exchange), fill),
    )
    body = filled_payload(exchange.payload, fill)
    if body.text is not None:
        body = Payload(text=hidden(body.text), content_type=body.content_type)
    elif exchange.payload == Payload() and step.op in ("post", "put", "patch"):
        kind = header(exchange.headers, "content-type")
        if kind and not kind.startswith("multipart/"):
            step.headers["Content-Type"] = kind
    put_payload(step, body)
    return step


def put_payload(step: Step, body: Payload) -> None:
    """Give a step its body, in the form that reads best."""
    if body.form is not None:
        if len(dict(body.form)) == len(body.form):
            step.form = dict(body.form)
        else:
            step.body, step.content_type = form_text(body.form), FORM
    elif body.parts is not None:
        if _is_table(body.parts):
            step.multipart = dict(body.parts)
        else:
            step.body, step.content_type = multipart_text(body.parts), MULTIPART
    elif body.has_json:
        put_json(step, body.json, body.content_type)
    elif body.text is not None:
        step.body, step.content_type = body.text, body.content_type


def _is_table(parts: tuple[tuple[str, str | File], ...]) -> bool:
    """Whether a table can express the parts of a form."""
    has_bare_types = any(isinstance(one, File) and one.filename is None for _, one in parts)
    return len(dict(parts)) == len(parts) and not has_bare_types


def put_json(step: Step, value: Any, content_type: str = JSON_TYPE) -> None:
    """Give a step JSON: as a table, or as text if TOML cannot express it, such as null."""
    is_usual = content_type.partition(";")[0].strip().lower() == JSON_TYPE
    if is_usual and isinstance(value, dict | list) and can_be_toml(value):
        step.json = value
        return
    text = json.dumps(value, ensure_ascii=False)
    step.body = _BARE_NUMBER.sub(f"{OPEN}\\1{CLOSE}", text)
    step.content_type = content_type
