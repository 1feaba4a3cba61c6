"""Paths and queries as a request has them: percent-encoded, with marks as they are."""

from urllib.parse import quote

from headcount.importers.journey import split_marks

RESERVED = "!$%&'()*+,/:;=?@[]~"
"""Characters that mean something in a path or its query, and `%` of what is encoded already."""


def escaped_path(path: str) -> str:
    """A path with its query, without characters that no request can have in it.

    >>> escaped_path("/pets/big dogs?name=Ren\u00e9#top")
    '/pets/big%20dogs?name=Ren%C3%A9'
    """
    path = path.partition("#")[0]
    escaped = _each_part(path, RESERVED)
    return escaped if escaped.startswith("/") else f"/{escaped}"


def query_pair(name: str, value: str) -> str:
    """A parameter of a query.

    >>> query_pair("q", "a&b c")
    'q=a%26b%20c'
    """
    return f"{_each_part(name, '')}={_each_part(value, '')}"


def _each_part(text: str, safe: str) -> str:
    parts = split_marks(text)
    return "".join(part if index % 2 else quote(part, safe) for index, part in enumerate(parts))
