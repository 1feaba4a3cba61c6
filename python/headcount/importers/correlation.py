"""Which of the values that requests send came from earlier replies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from headcount.importers.exchange import Exchange
from headcount.importers.journey import Source
from headcount.importers.names import folded, free_name, variable_name
from headcount.importers.selector import Find, Reply
from headcount.importers.sent import Sent, sent_values

_DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Z]{2})?(?:[,;].*)?")
_CHOSEN = frozenset(
    {
        "page",
        "p",
        "limit",
        "offset",
        "size",
        "perpage",
        "quantity",
        "qty",
        "count",
        "amount",
        "number",
        "v",
        "version",
        "lang",
        "language",
        "locale",
        "sort",
        "order",
        "step",
        "tab",
        "year",
        "month",
        "day",
        "q",
        "query",
        "search",
    }
)
"""Names of values that users and pages choose: a small number there is not from the server."""
_SHORTEST = 4
_ETAG = "etag"
"""The reply's header with the version that `If-Match` names (RFC 9110, 13.1.1)."""
_PARENTS = frozenset({"parent", "parentid", "replyto", "inreplyto"})
"""Names under which a page sends the `id` of something made before."""


@dataclass
class Link:
    """A value that a reply gave, and the requests that send it."""

    reply: int
    """Index of the exchange that gave it."""
    source: Source
    natural_name: str
    uses: list[tuple[int, Sent]] = field(default_factory=list)
    name: str = ""


def links(exchanges: Sequence[Exchange]) -> list[Link]:
    """Every value that came from a reply, by the latest reply before its use.

    Typed values first appear in a request. Resources of pages neither give nor take values.
    """
    replies = [Reply(one) for one in exchanges]
    found: dict[tuple[int, Source], Link] = {}
    typed: set[str] = set()
    chosen: set[tuple[str, str]] = set()
    """Names and small values that requests sent before a reply had them."""
    for index, exchange in enumerate(exchanges):
        if exchange.is_resource:
            continue
        for sent in sent_values(exchange):
            if not sent.value or sent.value in typed:
                continue
            choice = (folded(sent.name), sent.value)
            place = None if choice in chosen else _place(replies[:index], sent)
            if place is None:
                if any(sent.value in _parts(one.location) for one in exchanges[:index]):
                    continue  # a redirect named it
                if is_trivial(sent.value):
                    chosen.add(choice)
                else:
                    typed.add(sent.value)
                continue
            reply, find = place
            link = found.setdefault(
                (reply, find.source), Link(reply, find.source, find.name or _sent_name(sent))
            )
            link.uses.append((index, sent))
    return sorted(found.values(), key=lambda link: link.reply)


def _parts(address: str) -> list[str]:
    """The parts of a path and the values of a query."""
    return [unquote(part) for part in re.split(r"[/?&=]", address)]


def name_links(found: Sequence[Link], taken: set[str]) -> None:
    """Name each link, reusing a name whose earlier value is no longer needed."""
    latest: dict[str, Link] = {}
    for link in found:
        name = variable_name(link.natural_name)
        before = latest.get(name)
        is_over = before is not None and (
            max(use for use, _ in before.uses) <= link.reply and before.reply < link.reply
        )
        if name in taken or (before is not None and not is_over):
            name = free_name(name, taken | latest.keys())
        latest[name] = link
        link.name = name


def is_trivial(value: str) -> bool:
    """Whether equal values are likely to be equal by chance."""
    if len(value) < _SHORTEST or value.lower() in ("true", "false", "null", "none", "undefined"):
        return True
    return bool(
        re.fullmatch(r"-?\d{1,4}(?:\.\d{1,3})?", value)
        or (len(value) <= 40 and re.fullmatch(r"[^\W\d]+(?:[ _/+.-]+[^\W\d]+){0,5}", value))
        or _DATE.fullmatch(value)
        or _LANGUAGE.fullmatch(value)
    )


def _place(replies: Sequence[Reply], sent: Sent) -> tuple[int, Find] | None:
    """The latest reply that holds the value, and where."""
    weak = is_trivial(sent.value)
    if weak and (not any(one.isdigit() for one in sent.value) or folded(sent.name) in _CHOSEN):
        return None
    names = _sent_names(sent)
    if weak and (_DATE.fullmatch(sent.value) or ("header" in sent.place and _ETAG not in names)):
        return None
    for index in reversed(range(len(replies))):
        reply = replies[index]
        finds = reply.finds(sent.value)
        fitting = [one for one in finds if names & {folded(alias) for alias in one.aliases}]
        if weak and not fitting and folded(sent.name) in _PARENTS:
            fitting = [one for one in finds if one.source.place == "$.id"]
        if fitting:
            return index, fitting[0]
        if finds and not weak:
            return index, finds[0]
        pattern = None
        if weak and sent.place in ("path", "query") and _is_after_change(replies, index):
            pattern = reply.message(sent.value)
        pattern = pattern or _pattern_find(reply, sent, weak=weak)
        if pattern is not None:
            return index, pattern
    return None


def _is_after_change(replies: Sequence[Reply], index: int) -> bool:
    """Whether a page is the answer to a submitted form, also through redirects."""
    while index and replies[index].exchange.method == "GET":
        if not replies[index - 1].exchange.location:
            return False
        index -= 1
    return replies[index].exchange.method == "POST"


def _pattern_find(reply: Reply, sent: Sent, *, weak: bool) -> Find | None:
    if sent.value not in reply.exchange.reply:
        return None
    if sent.place == "query":
        for name in (sent.name, quote(sent.name)):
            found = reply.pattern(sent.value, f"{name}=")
            if found is not None:
                return found
    if not weak:
        return reply.pattern(sent.value)
    if sent.place == "path" and sent.name:  # a link with the same word before it
        for before in (f"/{sent.name}/", f"/{sent.name}s/"):
            found = reply.pattern(sent.value, before)
            if found is not None:
                return found
    return None


def _sent_names(sent: Sent) -> set[str]:
    name = folded(variable_name(sent.name))
    if sent.place == "header" and name == "ifmatch":
        return {name, _ETAG}
    if sent.place == "path":
        return {name, f"{name}id"} if name else set()
    return {name, folded(sent.name)}


def _sent_name(sent: Sent) -> str:
    """The name of a value that has none of its own: from the place where it is sent."""
    if sent.place == "path":
        return f"{sent.name}_id" if sent.name else "id"
    if sent.place == "header" and sent.name.lower() == "authorization":
        return "token"
    return sent.name or "token"
