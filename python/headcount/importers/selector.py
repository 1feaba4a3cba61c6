"""Selectors that find a value in a recorded reply: each is tested on it before it is used."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from itertools import islice
from typing import Any
from urllib.parse import unquote

import jsonpath
from selectolax.lexbor import LexborHTMLParser, LexborNode

from headcount.importers.exchange import MOST_SEARCHED, Exchange
from headcount.importers.journey import LAST, Source
from headcount.importers.names import looks_like_id, singular, variable_name

_BARE_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NO_TOKEN_HEADERS = frozenset(
    {
        "date",
        "expires",
        "content-length",
        "content-type",
        "set-cookie",
        "server",
        "vary",
        "age",
        "via",
        "cache-control",
        "location",
    }
)
MOST_LEAVES = 200_000
MOST_PICK = 50


@dataclass(frozen=True, slots=True)
class Find:
    """The place of a value in a reply, and its name there."""

    source: Source
    name: str
    """Its name as a variable."""
    aliases: frozenset[str]
    """Other names it goes by, in the form of `variable_name`."""
    is_named: bool = True
    """Whether the place itself has a name; a pattern of text has none."""


class Reply:
    """A reply, indexed by its values."""

    def __init__(self, exchange: Exchange) -> None:
        """Index lazily: most replies are never searched."""
        self.exchange = exchange
        self._index: dict[str, list[Find]] | None = None

    def finds(self, value: str) -> list[Find]:
        """The places that hold exactly this value, the best first; each was tested."""
        if self._index is None:
            self._index = {}
            for found_value, find in self._all():
                self._index.setdefault(found_value, []).append(find)
        return [
            find
            for find in self._index.get(value, [])
            if value_at(self.exchange, find.source) == value
        ]

    def pattern(self, value: str, before: str = "") -> Find | None:
        """A pattern that finds the value in the text; `before` must stand right before it."""
        if self.exchange.is_resource or self.exchange.location:
            return None
        source = _pattern(self.exchange.reply[:MOST_SEARCHED], value, before)
        return None if source is None else Find(source, "", frozenset(), is_named=False)

    def message(self, value: str) -> Find | None:
        """A pattern for a number in a sentence that occurs once: `Item 7 has been inserted`."""
        text = self.exchange.reply[:MOST_SEARCHED]
        if not value.isdigit() or self.exchange.is_resource or self.exchange.location:
            return None
        for found in re.finditer(rf"[>\s]([A-Za-z]+ [#№]?){value}( [a-z]+ [a-z]+)", text):
            pattern = f"{re.escape(found[1])}(\\d+){found[2]}".replace("\\ ", " ")
            if len(re.findall(pattern, text)) == 1:
                return Find(Source("regex", pattern), "", frozenset(), is_named=False)
        return None

    def _all(self) -> Iterator[tuple[str, Find]]:
        exchange = self.exchange
        if exchange.is_resource:
            return
        for name, value in exchange.reply_headers:
            if name.lower() not in _NO_TOKEN_HEADERS:
                short = "etag" if name.lower() == "etag" else variable_name(name)
                yield value, Find(Source("header", name), short, frozenset({short}))
        if exchange.json is not None and not exchange.location:
            resource = singular(_last_word(exchange.url.path))
            for count, (parts, value) in enumerate(_json_leaves(exchange.json, ())):
                if count == MOST_LEAVES:
                    break
                yield value, _json_find(parts, resource)
        if exchange.html is not None and not exchange.location:
            yield from _html_finds(exchange.html)
        for name, value in cookies(exchange):
            short = variable_name(name)
            yield value, Find(Source("cookie", name), short, frozenset({short}))
            decoded = unquote(value)  # as the scripts of Angular, Axios and Laravel send it
            if decoded != value:
                source = Source("cookie", name, is_decoded=True)
                yield decoded, Find(source, short, frozenset({short}))


def cookies(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """The cookies that a reply sets, even if a recorder joined several with line ends."""
    for name, header in exchange.reply_headers:
        if name.lower() != "set-cookie":
            continue
        for line in header.split("\n"):
            try:
                jar = SimpleCookie(line)
            except CookieError:
                continue
            yield from ((key, morsel.coded_value) for key, morsel in jar.items())


def value_at(exchange: Exchange, source: Source) -> str | None:
    """What a source finds in a recorded reply, as text; None if nothing."""
    found: list[str] = []
    match source.kind:
        case "json":
            matches = jsonpath.finditer(source.place, exchange.json)
            found = [_text(match.value) for match in matches]
        case "css" if exchange.html is not None:
            nodes = exchange.html.css(source.place)
            found = [
                (node.attributes.get(source.attribute) or "")
                if source.attribute
                else node.text().strip()
                for node in nodes
            ]
        case "header":
            wanted = source.place.lower()
            found = [value for name, value in exchange.reply_headers if name.lower() == wanted]
        case "cookie":
            found = [value for name, value in cookies(exchange) if name == source.place]
            found = [unquote(one) for one in found] if source.is_decoded else found
        case "regex":
            matched = re.finditer(source.place, exchange.reply)
            found = [one[1] if one.re.groups else one[0] for one in matched]
    if source.pick == LAST:
        return found[-1] if found else None
    return found[source.pick - 1] if len(found) >= source.pick else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


Parts = tuple[str | int, ...]


def _json_leaves(value: Any, parts: Parts) -> Iterator[tuple[Parts, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _json_leaves(one, (*parts, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _json_leaves(one, (*parts, index))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield parts, _text(value)


def _json_find(parts: Parts, resource: str) -> Find:
    names = [part for part in parts if isinstance(part, str)]
    key = names[-1] if names else "value"
    owner = singular(names[-2]) if len(names) > 1 else resource
    full = variable_name(f"{owner}_{key}")
    short = variable_name(key)
    is_short = short in ("id", "uuid", "key", "number", "name", "code") and bool(owner)
    return Find(
        Source("json", json_path(parts)),
        full if is_short else short,
        frozenset({full, short, variable_name(owner)} if is_short else {full, short}),
    )


def json_path(parts: Parts) -> str:
    """The JSONPath (RFC 9535) of one value."""
    found = "$"
    for part in parts:
        if isinstance(part, int):
            found += f"[{part}]"
        elif _BARE_KEY.fullmatch(part):
            found += f".{part}"
        else:
            inner = json.dumps(part, ensure_ascii=False)[1:-1].replace('\\"', '"')
            found += "['" + inner.replace("'", "\\'") + "']"
    return found


def _last_word(path: str) -> str:
    return next((one for one in reversed(path.split("/")) if one and not looks_like_id(one)), "")


def _html_finds(tree: LexborHTMLParser) -> Iterator[tuple[str, Find]]:
    counts: dict[str, int] = {}
    for node in tree.css("input[name][value], meta[name][content], button[name][value]"):
        tag, attribute = node.tag, "content" if node.tag == "meta" else "value"
        name = node.attributes.get("name") or ""
        yield from _attribute_find(node, f"{tag}[name={_css(name)}]", attribute, name, counts)
    for node in tree.css("select[name] option[value]"):
        owner: LexborNode | None = node.parent
        while owner is not None and owner.tag != "select":
            owner = owner.parent
        name = (owner.attributes.get("name") or "") if owner is not None else ""
        yield from _attribute_find(node, f"select[name={_css(name)}] option", "value", name, counts)
    for count, node in enumerate(tree.css("body *")):
        if count == MOST_LEAVES:
            return
        for attribute in node.attributes:
            if attribute.startswith("data-"):
                short = attribute.removeprefix("data-")
                yield from _attribute_find(node, f"[{attribute}]", attribute, short, counts)
        name = node.attributes.get("id") or ""
        if name and node.child is not None and node.child.next is None and node.tag != "script":
            short = variable_name(name)
            find = Find(Source("css", f"[id={_css(name)}]"), short, frozenset({short}))
            yield node.text().strip(), find


def _attribute_find(
    node: LexborNode, selector: str, attribute: str, name: str, counts: dict[str, int]
) -> Iterator[tuple[str, Find]]:
    if not re.fullmatch(r"[\w-]+", attribute):
        return
    counts[selector] = counts.get(selector, 0) + 1
    value = node.attributes.get(attribute)
    if value and name:
        short = variable_name(name)
        source = Source("css", selector, attribute, counts[selector])
        yield value, Find(source, short, frozenset({short}))


def _css(text: str) -> str:
    """A value in an attribute selector."""
    if re.fullmatch(r"[A-Za-z_][\w-]*", text, re.ASCII):
        return text
    escaped = re.sub(r"[\\\"\x00-\x1f]", lambda found: f"\\{ord(found[0]):x} ", text)
    return f'"{escaped}"'


def _pattern(text: str, value: str, before: str) -> Source | None:
    """The shortest pattern whose context finds the value first, or with the smallest pick."""
    group = _group(value)
    if group is None:
        return None
    best: Source | None = None
    start = -1
    for _ in range(MOST_PICK):
        start = text.find(value, start + 1)
        if start < 0:
            break
        end = start + len(value)
        line = text[max(0, start - 60) : start].rpartition("\n")[2]
        if not line.endswith(before) or (end < len(text) and re.match(group, text[end])):
            continue
        after = text[end : end + 1].strip()
        for context in _contexts(line):
            found = re.escape(context).replace("\\ ", " ") + f"({group})"
            source = _tried(found + re.escape(after), text, value)
            if source is not None and (best is None or 0 < source.pick < best.pick):
                best = source
            if best is not None and best.pick == 1:
                return best
    return best


def _tried(pattern: str, text: str, value: str) -> Source | None:
    """The first place of a value among those that a pattern finds, or the last of several."""
    found = [match[1] for match in islice(re.finditer(pattern, text), MOST_PICK)]
    if value not in found:
        return None
    pick = found.index(value) + 1
    is_last = 1 < pick == len(found) < MOST_PICK
    return Source("regex", pattern, pick=LAST if is_last else pick)


def _contexts(line: str) -> Iterator[str]:
    """The text before a value: its last word, then ever more.

    It stays within the value's tag, and has no long numbers: those belong to the recording.
    """
    tag = line.rfind("<")
    if 0 <= tag <= len(line) - 4:
        line = line[tag:]
    for start in [one.start() for one in re.finditer(r"(?<!\w)(?=[\w\"'<])", line)][::-1]:
        context = line[start:]
        if re.search(r"\d{3}", context):
            return
        if len(context) >= 4 and re.search(r"[A-Za-z]", context):
            yield context


def _group(value: str) -> str | None:
    for group in (r"\d+", r"[\w-]+", r"[\w.~%+=-]+", r"[\w.~%+=:/-]+"):
        if re.fullmatch(group, value, re.ASCII):
            return group
    return None
