"""Secrets in text: everything that Headcount prints or keeps passes `redacted`.

Passwords come from addresses that people type, from answers of servers, and from `--password-file`
and similar options. This module knows the secrets of options and of the command line exactly, and
recognises others by their place in the text. All of it takes time in proportion to the text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

HIDDEN = "***"
"""Replaces a secret."""
SHORTEST = 4
"""Least length of a secret that is searched for everywhere; shorter ones occur in many words."""
_SHORT_WORD = 8
"""A plain word shorter than this is replaced only as a whole word."""

_LONG_NAMES = r"pass(?:word|wd|phrase)"
_NAMES = (
    r"pwd|pass|secret|client[_-]?secret|token|(?:auth|access|refresh|session|id)[_-]?token|"
    r"api[_-]?key|(?:secret[_-]?)?access[_-]?key|secret[_-]?key"
)
_VALUE = (
    r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|"""
    # It may contain a &, even as its first character, that does not begin another pair.
    r"(?!&[\w.-]{1,40}=)(?=\S)[^\s&]*(?:&(?![\w.-]{1,40}=)[^\s&]*)*"
)
_PAIR = (
    # Also `password` inside a longer name, as in PGPASSWORD=..., and with blanks, as in libpq.
    rf"({_LONG_NAMES}\s{{0,2}}=\s{{0,2}}|(?<![a-z0-9])(?:{_NAMES})=|[?&](?:auth|sig|signature)=)"
    rf"({_VALUE})"
)
_PAIR_MARKS = ("pass", "pwd=", "secret=", "token=", "key=", "?", "&")
"""Every text in which `_PAIR` matches contains one of these."""
_HEADER = (
    r"""((["'])?\b(?:(?:proxy-)?authorization|(?:set-)?cookie)["']?\s{0,2}:\s{0,2}(["'])?)"""
    r"(?=\S)"
)
_HEADER_MARKS = ("author", "cook")
"""The same for `_HEADER`. They leave out i, which re.IGNORECASE also matches to letters that
casefold() does not fold to it."""
_QUERY = rf"[?&;](?:\w{{0,20}}{_LONG_NAMES}|{_NAMES}|auth|sig|signature)=."
_BARE = re.compile(r"[^/@:?#]*:(?!//)")
_JOINED = re.compile(r"[+,;|\s](?:[\w.-]{1,64}=)?[A-Za-z][\w.-]{0,31}:/")
_USER_END = re.compile(r":|%3a|[/?#]", re.IGNORECASE)
_IPV6 = re.compile(r"\[[0-9A-Fa-f:.%]{2,64}\]")
_WEB_PORT = re.compile(r":\d{1,5}(?=[/?#])")
_PLAIN = re.compile(r"[A-Za-z]+|\d+")
_CLOSERS = "\"'`)]}>,.;:"
_OPTIONS = ("--password", "--passwd", "--pass", "--token", "--secret")
"""Options that do not exist, but that people type, followed by a secret."""

_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""The same as `html.escape`, whose module would load the names of all entities at each start."""

_known: dict[str, re.Pattern[str]] = {}


def redacted(text: str) -> str:
    """The text with `***` for each known secret, and for what stands where secrets usually do.

    >>> redacted("redis://:pw@h and ssh://ada@h")
    'redis://:***@h and ssh://ada@h'
    >>> redacted("host=h password='a b' user=u")
    'host=h password=*** user=u'
    """
    if _known:
        text = _without_known(text)
    if "=" in text and _may_match(text, _PAIR_MARKS):
        text = _compiled(_PAIR).sub(_pair, text)
    if ":" in text and _may_match(text, _HEADER_MARKS):
        text = _headers(text)
    if "/" in text and ("@" in text or "%40" in text):
        text = re.sub(r"\S+", _word, text)
    return text


def redacted_values(value: Any) -> Any:
    """A value of JSON with every text in it redacted.

    Field names stay, and so do plain words, even if one is a password: they may be names of kinds
    that programs read, such as `passed`. Keys that are free text are redacted.
    """
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) else redacted(value)
    if isinstance(value, Mapping):
        return {
            redacted(key) if " " in key or "@" in key else key: redacted_values(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [redacted_values(one) for one in value]
    return value


def redacted_json(text: str) -> str:
    """A file or line of JSON with every text in it redacted; unchanged without a secret."""
    if redacted(text) == text:
        return text
    value = json.loads(text)
    safe = redacted_values(value)
    if safe == value:
        return text
    if "\n" in text:
        return json.dumps(safe, ensure_ascii=False, indent=1)
    return json.dumps(safe, ensure_ascii=False, separators=(",", ":"))


def learn(secret: str | None) -> None:
    """Replace this secret from now on wherever it appears, also in its URL and JSON encodings."""
    if secret is None:
        return
    forms = {secret, unquote(secret), unquote_plus(secret)}
    forms |= {written for one in forms for written in (quote(one, safe=""), quote_plus(one))}
    forms |= {quote(secret), quote(secret, safe="/:@"), secret.translate(_ESCAPED)}
    forms |= {repr(secret)[1:-1]}
    forms |= {json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    for one in forms:
        if len(one) >= SHORTEST and one.strip("*") and one not in _known:
            _known[one] = re.compile(_alone(one))


def learn_line(arguments: Sequence[str]) -> None:
    """Learn the secrets in a command line, whose arguments show exactly where they end."""
    for before, argument in zip(("", *arguments), arguments, strict=False):
        for secret in _secrets_in(argument):
            learn(secret)
        if before in _OPTIONS:
            learn(argument)


def forget() -> None:
    """Forget all secrets, as at the start of a process."""
    _known.clear()


def holds_secret(address: str) -> bool:
    """Whether an address contains a password or another secret; learns it if so."""
    found = list(_secrets_in(address, is_address=True))
    for secret in found:
        learn(secret)
    return bool(found)


def _alone(secret: str) -> str:
    escaped = re.escape(secret)
    is_common = len(secret) < _SHORT_WORD and _PLAIN.fullmatch(secret)
    return rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9])" if is_common else escaped


def _without_known(text: str) -> str:
    """A text without the known secrets, whose occurrences may overlap."""
    spans = sorted(one.span() for pattern in _known.values() for one in pattern.finditer(text))
    parts: list[str] = []
    done = 0
    for start, stop in spans:
        if start >= done:
            parts += [text[done:start], HIDDEN]
        done = max(done, stop)
    parts.append(text[done:])
    return "".join(parts)


def _pair(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1:
        return name + HIDDEN
    return name + HIDDEN + _closing(value)


def _closing(value: str) -> str:
    """The end of a secret's match from its closing quote on, to keep; empty without one."""
    tail = value[len(value.rstrip(_CLOSERS)) :]
    place = max(tail.rfind(mark) for mark in "\"'`")
    return tail[place:] if place >= 0 else ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A compiled, case-insensitive pattern; compiling all at start would take 2 ms."""
    return re.compile(pattern, re.IGNORECASE)


def _may_match(text: str, marks: Sequence[str]) -> bool:
    """Whether a text has one of the marks, in any case: patterns are slow on long texts."""
    folded = text.casefold()
    return any(mark in folded for mark in marks)


def _headers(text: str) -> str:
    parts: list[str] = []
    end = 0
    while (found := _compiled(_HEADER).search(text, end)) is not None:
        mark = found[3] or (found[2] if found[0].count(found[2] or "\0") == 1 else None)
        stop = text.find(mark, found.end()) if mark else -1
        if stop < 0:
            stop = text.find("\n", found.end())
        parts += [text[end : found.end()], HIDDEN]
        end = len(text) if stop < 0 else stop
    parts.append(text[end:])
    return "".join(parts)


def _word(found: re.Match[str]) -> str:
    """A word without the passwords of its addresses."""
    word = found[0]
    if "/" not in word or not ("@" in word or "%40" in word):
        return word
    parts: list[str] = []
    done = 0
    for start, stop in _credentials(word):
        if start >= done:
            parts += [word[done:start], HIDDEN]
            done = stop
    parts.append(word[done:])
    return "".join(parts)


def _credentials(text: str, *, to_the_end: bool = False) -> Iterator[tuple[int, int]]:
    """Spans of the passwords of addresses in a word; with `to_the_end`, up to its last @.

    Addresses as people type them: a password may contain an unescaped @, : or /.
    """
    last = _last_at(text, 0, len(text))
    place = text.find("/")
    while 0 <= place < last:
        begin = place + 1
        if text.startswith("/", begin):
            begin += 1
        elif not text.startswith(":", max(place - 1, 0)):
            place = text.find("/", begin)
            continue
        is_web = text[max(place - 6, 0) : place].lower().endswith(("http:", "https:"))
        start = _password_start(text, begin, last, is_web=is_web)
        stop = last if start is None or to_the_end else _password_end(text, start, last)
        if start is not None and stop is not None and start < stop:
            yield start, stop
            begin = stop
        place = text.find("/", begin)


def _password_start(text: str, begin: int, last: int, *, is_web: bool) -> int | None:
    """Start of the password in an address whose user or host is at `begin`; None without one."""
    if _IPV6.match(text, begin):
        return None
    colon = _USER_END.search(text, begin, last)
    if colon is None or colon[0] in "/?#":
        return None
    if is_web and _WEB_PORT.match(text, colon.start()):
        return None  # a port: the path of a URL may contain an @
    return colon.end()


def _password_end(text: str, start: int, last: int) -> int | None:
    """Index of the @ after the password; `text` may join several addresses. None for a port."""
    joined = _JOINED.search(text, start, last)
    if joined is None:
        return last
    if text[start : joined.start()].partition("/")[0].isdecimal():
        return None
    at = _last_at(text, start, joined.start())
    return at if at >= 0 else last


def _last_at(text: str, start: int, stop: int) -> int:
    """Index of the last @, or if there is none, of the last %40; -1 without either."""
    place = text.rfind("@", start, stop)
    return place if place >= 0 else text.rfind("%40", start, stop)


def _secrets_in(text: str, *, is_address: bool = False) -> Iterator[str]:
    """The secrets in an argument of a command line, or in an address alone."""
    spans = [*_credentials(text), *_credentials(text, to_the_end=True)]
    if is_address:
        spans = [span for span in spans if text[span[1]] == "@"]
    bare = _BARE.match(text)
    at = text.rfind("@")
    if bare is not None and is_address and text.startswith("/", bare.end()):
        bare = None  # a folder of another machine
    if bare is not None and at > bare.end() and not text.startswith("@sha256:", at):
        spans.append((bare.end(), at))
    for start, stop in spans:
        yield text[start:stop]
    for found in _compiled(_QUERY if is_address else _PAIR).finditer(text):
        rest = text[text.index("=", found.start()) + 1 :].strip()
        yield rest
        yield rest.strip("\"'")
        yield rest.partition("&")[0]
        yield rest.split()[0]
