"""A request and its reply, as a browser recorded them."""

from base64 import b64encode
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from headcount.foreign.json_text import json_value
from headcount.importers.payload import Payload

Headers = tuple[tuple[str, str], ...]
METHODS = frozenset(
    {
        *("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"),
        *("PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT"),
    }
)
"""Methods that the engine sends."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SCRIPTS = ("javascript", "ecmascript")
_RESOURCES = frozenset(
    {"stylesheet", "script", "image", "font", "media", "manifest", "texttrack", "imageset"}
)
MOST_SEARCHED = 4 << 20
"""How many characters of a reply are searched for values."""


@dataclass(frozen=True)
class Exchange:
    """A request with its reply; times in seconds since 1970."""

    number: int
    """Its place in the recording, from 1."""
    started_s: float
    ended_s: float
    method: str
    url: SplitResult
    headers: Headers
    payload: Payload
    status: int
    reply_headers: Headers
    mime: str
    reply: str
    """The text of the reply; empty if it is binary or was not recorded."""
    kind: str = field(default="")
    """What the browser asked for: `document`, `xhr`, `image`; empty if it is not recorded."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, without a default port."""
        return origin(self.url)

    @property
    def path(self) -> str:
        """Path and query, as they were sent."""
        query = f"?{self.url.query}" if self.url.query else ""
        return f"{self.url.path or '/'}{query}"

    @property
    def is_page(self) -> bool:
        """Whether it is an HTML page, not something that a page's script requested."""
        return self.kind in ("", "document") and "html" in self.mime

    @property
    def is_resource(self) -> bool:
        """Whether a page needs it to be shown: a picture, a style, a script."""
        if self.method != "GET":
            return False
        if self.kind in _RESOURCES:
            return True
        of_page = self.mime.startswith(("image/", "font/", "audio/", "video/", "text/css"))
        return self.kind in ("", "other") and (of_page or any(one in self.mime for one in _SCRIPTS))

    @property
    def location(self) -> str:
        """Where a redirect leads, as the server wrote it."""
        return header(self.reply_headers, "location") if self.status in REDIRECTS else ""

    @cached_property
    def json(self) -> Any:
        """The value of a JSON reply; None for anything else."""
        if "json" not in self.mime and not self.reply.lstrip().startswith(("{", "[")):
            return None
        try:
            return json_value(self.reply.encode("utf-8"))
        except ValueError:
            return None

    @cached_property
    def html(self) -> LexborHTMLParser | None:
        """The tree of an HTML reply; None for anything else."""
        if "html" not in self.mime or not self.reply or len(self.reply) > MOST_SEARCHED:
            return None
        return LexborHTMLParser(self.reply)


def header(headers: Headers, name: str) -> str:
    """The first header of a name, in lower case; empty without one."""
    return next((value for key, value in headers if key.lower() == name), "")


def origin(url: SplitResult) -> str:
    """Scheme, host and port of an address, without a default port."""
    host = url.netloc.rpartition("@")[2].lower()
    usual = {"http": ":80", "https": ":443"}.get(url.scheme, "")
    return f"{url.scheme}://{host.removesuffix(usual) if usual else host}"


def basic_token(url: SplitResult) -> str:
    """The name and password in an address, as HTTP Basic sends them; empty without a name."""
    if url.username is None:
        return ""
    pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return b64encode(pair.encode("utf-8", "replace")).decode()


def split_url(text: str) -> SplitResult:
    """The parts of an address; raises ValueError if it is not a web server's."""
    parts = urlsplit(text)
    _ = parts.port  # raises if it is not a number
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise ValueError(f'"{text[:80]}" is not the address of a web server')
    return parts
