"""Forms that a table cannot express, as text: a field comes twice, or a part only has a type."""

from collections.abc import Sequence
from urllib.parse import quote_plus

from headcount.importers.journey import CLOSE, File, split_marks

FORM = "application/x-www-form-urlencoded"
BOUNDARY = "headcount-import-5d1f0c2a9b"
"""Long and odd enough not to appear in a field."""
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"


def form_text(pairs: Sequence[tuple[str, str]]) -> str:
    """A form as browsers send it; values of variables are encoded when it is sent.

    >>> form_text([("tag", "a b"), ("tag", "c&d")])
    'tag=a+b&tag=c%26d'
    """
    return "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)


def multipart_text(parts: Sequence[tuple[str, str | File]]) -> str:
    """Several parts as browsers send them, for the type `MULTIPART`."""
    lines = []
    for name, part in parts:
        place = f'Content-Disposition: form-data; name="{_in_quotes(name)}"'
        lines.append(f"--{BOUNDARY}")
        if isinstance(part, str):
            lines += [place, "", part]
            continue
        if part.filename is not None:
            place += f'; filename="{_in_quotes(part.filename)}"'
        lines += [place, f"Content-Type: {part.content_type}", "", part.content]
    return "\r\n".join([*lines, f"--{BOUNDARY}--", ""])


def _encoded(text: str) -> str:
    parts = split_marks(text)
    return "".join(
        part.replace(CLOSE, f"|url{CLOSE}") if index % 2 else quote_plus(part)
        for index, part in enumerate(parts)
    )


def _in_quotes(text: str) -> str:
    """A name as HTML escapes it between quotes."""
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
