"""Addresses of requests in a Postman collection: as one text, or in parts."""

import re
from typing import Any

from headcount.importers.stranger import rows, table, text


def address_text(url: Any) -> str:
    """An address as one text, with its path variables filled in; empty where there is none.

    >>> address_text({"host": ["{{base}}"], "path": ["pets", ":id"],
    ...     "variable": [{"key": "id", "value": "7"}]})
    '{{base}}/pets/7'
    """
    if isinstance(url, str):
        return text(url)
    parts = table(url)
    raw = text(parts.get("raw")) or _joined(parts)
    for one in rows(parts.get("variable")):
        key, value = text(one.get("key")), text(one.get("value"))
        if key:
            filled = "/" + value.replace("\\", "\\\\")
            raw = re.sub(rf"/:{re.escape(key)}(?=[/?#]|$)", filled, raw)
    return raw


def _joined(parts: dict[str, Any]) -> str:
    """An address of parts without a `raw`, as some exports have it."""
    host = _list_text(parts.get("host"), ".")
    if not host:
        return ""
    protocol, port = text(parts.get("protocol")), text(parts.get("port"))
    address = f"{protocol}://{host}" if protocol and not host.startswith("{{") else host
    address += f":{port}" if port else ""
    path = _list_text(parts.get("path"), "/").lstrip("/")
    pairs = [
        text(one.get("key")) + ("" if one.get("value") is None else f"={text(one.get('value'))}")
        for one in rows(parts.get("query"))
        if one.get("disabled") is not True
    ]
    query = "&".join(pair for pair in pairs if pair)
    return f"{address}/{path}" + (f"?{query}" if query else "")


def _list_text(value: Any, between: str) -> str:
    if isinstance(value, list):
        # A part of a path may be a table with a type.
        return between.join(text(table(one).get("value", one)) for one in value)
    return text(value)
