"""Bodies that mitmproxy leaves out of a recording: those of PROPFIND, MKCOL and other methods."""

import contextlib
import json
from pathlib import Path
from typing import Any


def add_bodies(har: Path, bodies: Path) -> None:
    """Add the bodies that `proxy_addon` kept, a line of JSON each, to the requests of a recording.

    A missing or incomplete recording is left as it is: its reader reports that.
    """
    if not bodies.exists() or not har.exists():
        return
    kept: dict[tuple[str, str], dict[str, str]] = {}
    for line in bodies.read_text("utf-8").splitlines():
        with contextlib.suppress(ValueError):  # the last line, if the disk was full
            one = json.loads(line)
            kept[one["method"], one["startedDateTime"]] = one
    with contextlib.suppress(ValueError, KeyError, TypeError):
        recording = json.loads(har.read_bytes())
        for entry in recording["log"]["entries"]:
            _add(entry, kept)
        har.write_text(json.dumps(recording), "utf-8")


def _add(entry: dict[str, Any], kept: dict[tuple[str, str], dict[str, str]]) -> None:
    request = entry["request"]
    one = kept.get((request["method"], entry["startedDateTime"]))
    if one is not None and "postData" not in request:
        request["postData"] = {"mimeType": one["mimeType"], "text": one["text"]}
