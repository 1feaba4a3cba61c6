"""A recording as a journey: one host, pages with their resources, think times, captured values."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from headcount.errors import InputError
from headcount.importers.correlation import Link, links, name_links
from headcount.importers.curl_commands import Commands
from headcount.importers.exchange import Exchange, header, origin
from headcount.importers.field_names import put_ids_in_names
from headcount.importers.har import Recording
from headcount.importers.journey import (
    Capture,
    Correlation,
    Entry,
    File,
    Journey,
    Made,
    Page,
    Pause,
    Scenario,
    Source,
    Step,
    mark,
)
from headcount.importers.names import free_name, step_name, variable_name, workload_name
from headcount.importers.payload import Payload
from headcount.importers.request_step import request_step
from headcount.importers.selector import cookies, value_at
from headcount.importers.sent import Sent
from headcount.importers.typed import Typed, typed_values

SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0
"""Bounds of a think time; longer absences count as the longest."""
_OFTEN = 5
MOST_REDIRECTS = 10
"""Redirects that a step follows, as everywhere else."""
_TOKEN = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[\w.~+/=-]{16,}")
"""A long word of letters and digits is often valid for one visit only."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass
class Action:
    """A request, the redirects it led to, and the resources of the page it brought."""

    chain: list[int]
    """Indices of exchanges: the request, then what the browser was sent on to."""
    resources: list[int] = field(default_factory=list)


def recorded_journey(recording: Recording, name: str = "", target: str = "") -> Journey:
    """The journey of a recording; raises InputError if there is nothing to play.

    `target` is the origin to play, by default that of the first page.
    """
    target = target or main_origin(recording.exchanges)
    kept = [one for one in recording.exchanges if one.origin == target]
    if not kept:
        raise InputError(f"nothing of {target} was recorded; visit it, also with https:// or www.")
    host = urlsplit(target).hostname or "site"
    name = name or workload_name(host)
    found_links = links(kept)
    captured = [sent for link in found_links for _, sent in link.uses]
    typed = typed_values(kept, name.replace("-", "_"), captured)
    found_links = [one for one in found_links if not _is_typed(one, typed)]
    # A value that only a redirect's own request sends is not captured: the engine handles those.
    needed = {
        link.reply for link in found_links if any(index != link.reply + 1 for index, _ in link.uses)
    }
    actions = _actions(kept, needed)
    found_links = _still_sent(found_links, actions)
    name_links(found_links, {variable.name for variable in typed.variables})
    maker = _Maker(kept, actions, found_links, typed)
    scenario = Scenario("visit", maker.entries())
    return Journey(
        name=name,
        title=f"A visit to {host}",
        target=target,
        log_on=recording.log_on,
        has_digest=recording.has_digest,
        again=maker.again(),
        log_ins=frozenset(maker.names[index] for index in typed.log_ins),
        has_new_visitors=any(True for one in kept for _ in cookies(one)),
        scenarios=[scenario],
        variables=typed.variables,
        correlations=maker.correlations(),
        left_out=_left_out(recording, target) + maker.left_out,
    )


def commands_journey(given: Commands, name: str = "") -> Journey:
    """The journey of commands: each is a step of one scenario, with nothing captured."""
    journey = recorded_journey(Recording(given.exchanges, Counter()), name)
    journey.left_out += given.left_out
    host = urlsplit(journey.target).hostname or "site"
    journey.title = f"Requests to {host}"
    journey.notes.append(
        "cURL shows no replies: add `capture` where a step needs a value from one."
    )
    return journey


def main_origin(exchanges: Sequence[Exchange]) -> str:
    """The host of the recording: that of its first page, else that of most requests."""
    if not exchanges:
        raise InputError(
            "the recording has no request that can be played; record again, with the network tools "
            "open before the first page"
        )
    pages = [one.origin for one in exchanges if one.is_page and one.status < 300]
    if pages:
        return pages[0]
    counts = Counter(one.origin for one in exchanges)
    return max(counts, key=lambda one: counts[one])


def _is_typed(link: Link, typed: Typed) -> bool:
    return all(typed.fill(sent) is not None for _, sent in link.uses)


def _actions(kept: Sequence[Exchange], sources: set[int]) -> list[Action]:
    """What the user did: redirects and resources join the request that they belong to."""
    found: list[Action] = []
    joined: set[int] = set()
    for index, exchange in enumerate(kept):
        if index in joined:
            continue
        if exchange.is_resource and found:
            page = _page_of(found, kept)
            if page is not None:
                page.resources.append(index)
                continue
        chain = [index]
        while (following := _followed(kept, chain[-1], sources, joined)) is not None:
            chain.append(following)
            joined.add(following)
        found.append(Action(chain))
    return found


def _followed(
    kept: Sequence[Exchange], index: int, sources: set[int], joined: set[int]
) -> int | None:
    """The request that followed a redirect; None if there is none, or a capture needs the reply."""
    exchange = kept[index]
    if not exchange.location or index in sources:
        return None
    try:
        leads = urlsplit(urljoin(exchange.url.geturl(), exchange.location))
    except ValueError:  # the server did not write an address
        return None
    if origin(leads) != exchange.origin:
        return None
    for other in range(index + 1, min(index + 20, len(kept))):
        url = kept[other].url
        if other not in joined and (url.path or "/", url.query) == (leads.path or "/", leads.query):
            return other
    return None


def _page_of(found: Sequence[Action], kept: Sequence[Exchange]) -> Action | None:
    return next((one for one in reversed(found) if kept[one.chain[-1]].is_page), None)


def _still_sent(found: Sequence[Link], actions: Sequence[Action]) -> list[Link]:
    """The links whose values a step sends, without redirects' requests: the engine sends those."""
    first = {action.chain[0] for action in actions} | {
        index for action in actions for index in action.resources
    }
    for link in found:
        link.uses = [(index, sent) for index, sent in link.uses if index in first]
    return [link for link in found if link.uses]


class _Maker:
    """Makes the entries of a scenario from what was found."""

    def __init__(
        self, kept: Sequence[Exchange], actions: Sequence[Action], found: list[Link], typed: Typed
    ) -> None:
        self.kept, self.actions, self.links, self.typed = kept, actions, found, typed
        self.fills = {(index, sent): link for link in found for index, sent in link.uses}
        self.names: dict[int, str] = {}
        self.left_out: list[str] = []
        self.made: dict[str, str] = {}
        """Names of the numbers that the application made in the browser, by their values."""
        self._label()

    def _label(self) -> None:
        taken: set[str] = set()
        for action in self.actions:
            for index in (action.chain[0], *action.resources):
                exchange = self.kept[index]
                log_in = index in self.typed.log_ins and exchange.method == "POST"
                name = step_name(exchange.method, exchange.path, is_log_in=log_in)
                self.names[index] = free_name(name, taken).replace("_", "-")
                taken.add(free_name(name, taken))
            for index in action.chain[1:]:
                self.names[index] = self.names[action.chain[0]]

    def entries(self) -> list[Entry]:
        """The steps, pages and pauses in their order."""
        found: list[Entry] = []
        ended_s: float | None = None
        for action in self.actions:
            first = self.kept[action.chain[0]]
            if ended_s is not None and first.started_s - ended_s >= SHORTEST_PAUSE_S:
                found.append(Pause(_rounded(first.started_s - ended_s)))
            steps = self._page(action)
            found.append(Page(steps[0].name, steps) if len(steps) > 1 else steps[0])
            all_of_it = (*action.chain, *action.resources)
            ended_s = max(ended_s or 0.0, *(self.kept[index].ended_s for index in all_of_it))
        return [*(Made(name, mark("uuid")) for name in self.made.values()), *found]

    def _page(self, action: Action) -> list[Step]:
        """The step of a page, and those of resources that it cannot fetch by their paths."""
        page, apart = self._step(action.chain), []
        for index in action.resources:
            step = self._step([index])
            is_page = page.op in ("get", "post") and page.expect is None
            if is_page and step == Step(step.name, "get", step.path):
                page.resources += [step.path] if step.path not in page.resources else []
                self.names[index] = f"{page.name}, resource"
            else:
                apart.append(step)
        return [page, *apart]

    def _made(self, sent: Sent, started_s: float) -> str | None:
        """A value that a page's script computes: the time, or a number for a request or a thing."""
        if re.fullmatch(r"\d{13}", sent.value) and abs(int(sent.value) / 1000 - started_s) < 60:
            return mark("now_ms")
        if not _UUID.fullmatch(sent.value):
            return None
        if sent.place == "header":
            return mark("uuid")
        if sent.value not in self.made:
            taken = {link.name for link in self.links} | {one.name for one in self.typed.variables}
            taken |= set(self.made.values())
            self.made[sent.value] = free_name(variable_name(_thing(sent)), taken)
        return mark(self.made[sent.value])

    def _step(self, chain: Sequence[int]) -> Step:
        first, last = self.kept[chain[0]], self.kept[chain[-1]]

        def fill(sent: Sent) -> str | None:
            link = self.fills.get((chain[0], sent))
            if link is not None:
                return mark(link.name, _form(link.source, sent))
            filled = self.typed.fill(sent) or self._made(sent, first.started_s)
            if filled is None and not first.is_resource and _TOKEN.fullmatch(sent.value):
                use = self._use(chain[0], sent)
                self.left_out.append(f"{use} is sent as recorded: no reply contains it")
            return filled

        step = request_step(first, self.names[chain[0]], fill, self.typed.hidden)
        put_ids_in_names(step, [link for link in self.links if self._is_sent(link, chain[0])])
        step.expect = None if last.status in (200, 304) else last.status
        if len(chain) > 1 and step.op == "get":
            step.redirects = MOST_REDIRECTS  # a plain get follows none
        for link in self.links:
            if link.reply in chain:
                step.captures.append(Capture(link.name, link.source))
        if len(chain) > 1:
            step.comments.append(f"leads to {self.typed_path(last)}")
        self._note_cookies(first)
        self._note_files(chain[0])
        return step

    @staticmethod
    def _is_sent(link: Link, index: int) -> bool:
        return any(one == index and sent.place == "path" for one, sent in link.uses)

    def typed_path(self, exchange: Exchange) -> str:
        """The path of an exchange, for a comment: without its query, which may hold secrets."""
        return exchange.url.path or "/"

    def _note_cookies(self, exchange: Exchange) -> None:
        """List cookies that no recorded reply set."""
        given = {name for one in self.kept for name, _ in cookies(one)}
        sent = next((value for name, value in exchange.headers if name.lower() == "cookie"), "")
        for pair in sent.split(";"):
            name = pair.partition("=")[0].strip()
            line = f"the cookie {name}, which no reply of the recording set"
            if name and name not in given and line not in self.left_out:
                self.left_out.append(line)

    def _note_files(self, index: int) -> None:
        """List a form with files whose body, or whose files, the browser did not record."""
        exchange = self.kept[index]
        for _, part in exchange.payload.parts or ():
            if isinstance(part, File) and part.missing_bytes:
                size = len(part.content)
                instead = "as many" if size == part.missing_bytes else f"{size:,}"
                self.left_out.append(
                    f"the {part.missing_bytes:,} bytes of {part.filename}, which "
                    f"{self.names[index]} sends: browsers do not record them; {instead} of a text "
                    "are sent instead"
                )
        kind = header(exchange.headers, "content-type")
        if kind.startswith("multipart/") and exchange.payload == Payload():
            self.left_out.append(
                f"the body of {self.names[index]}, a form with files: browsers "
                "do not record it; use headcount record, or write it as multipart = {...}"
            )

    def correlations(self) -> list[Correlation]:
        """What was captured, from where and for what."""
        return [
            Correlation(
                link.name,
                self.names[link.reply],
                link.source,
                tuple(dict.fromkeys(self._use(index, sent) for index, sent in link.uses)),
            )
            for link in self.links
        ]

    def again(self) -> dict[str, list[Capture]]:
        """By step: values that a page gave before, and gives again after their last use."""
        found: dict[str, list[Capture]] = {}
        for link in self.links:
            path, last_use = self.kept[link.reply].url.path, max(index for index, _ in link.uses)
            for action in self.actions:
                page = self.kept[action.chain[-1]]
                is_later = action.chain[0] >= last_use and link.reply not in action.chain
                if is_later and page.url.path == path and value_at(page, link.source) is not None:
                    name = self.names[action.chain[0]]
                    found.setdefault(name, []).append(Capture(link.name, link.source))
        return found

    def _use(self, index: int, sent: Sent) -> str:
        place = sent.place.removesuffix(" number")
        name = "" if sent.place in ("path", "body") else f" {sent.name}"
        return f"{self.names[index]}: {place}{name}"


def _form(source: Source, sent: Sent) -> str:
    """How a captured value is written where it is sent."""
    if sent.place == "json number":
        return ":number"
    if not source.is_decoded:
        return ""
    # In paths and JSON, a filter takes the place of the encoding.
    return "|url-decode" + {"path": "|url", "query": "|url", "json": "|json"}.get(sent.place, "")


def _thing(sent: Sent) -> str:
    """What a number identifies that the browser made."""
    return f"{sent.name} id" if sent.place == "path" else sent.name or "id"


def _rounded(pause_s: float) -> float:
    if pause_s >= 10:
        return float(round(min(pause_s, LONGEST_PAUSE_S)))
    return round(pause_s * 2) / 2


def _left_out(recording: Recording, target: str) -> list[str]:
    others = Counter(one.origin for one in recording.exchanges if one.origin != target)
    found = [
        f"{_requests(count)} to {host}, another host" for host, count in others.most_common(_OFTEN)
    ]
    rest = others.most_common()[_OFTEN:]
    if rest:
        total = sum(count for _, count in rest)
        found.append(f"{_requests(total)} to {len(rest)} more hosts")
    found += [f"{what}: {count}" for what, count in sorted(recording.left_out.items())]
    return found


def _requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count:,} requests"
