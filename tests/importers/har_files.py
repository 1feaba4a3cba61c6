"""Small recordings, written as browsers write them."""

import json
from pathlib import Path
from typing import Any

SITE = "http://shop.example"


def entry(
    path: str,
    *,
    method: str = "GET",
    site: str = SITE,
    status: int = 200,
    reply: Any = "",
    mime: str = "",
    sent: str = "",
    sent_mime: str = "application/x-www-form-urlencoded",
    headers: dict[str, str] | None = None,
    reply_headers: list[tuple[str, str]] | None = None,
    at_s: float = 0.0,
    **more: Any,
) -> dict[str, Any]:
    is_text = isinstance(reply, str)
    content = {
        "mimeType": mime or ("text/html" if is_text else "application/json"),
        "text": reply if is_text else json.dumps(reply),
    }
    request = {
        "method": method,
        "url": site + path,
        "headers": [{"name": key, "value": one} for key, one in (headers or {}).items()],
    }
    if sent:
        request["postData"] = {"mimeType": sent_mime, "text": sent}
    pairs = reply_headers or []
    return {
        "startedDateTime": f"2026-11-28T08:{int(at_s) // 60:02}:{at_s % 60:06.3f}Z",
        "time": 10,
        "request": request,
        "response": {
            "status": status,
            "headers": [{"name": key, "value": one} for key, one in pairs],
            "content": content,
        },
        **more,
    }


def written(folder: Path, *entries: dict[str, Any]) -> Path:
    path = folder / "visit.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": list(entries)}}), "utf-8")
    return path
