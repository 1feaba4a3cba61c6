"""Our counters, computed from two pages with plain numbers: the oracle of the reader's columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headcount.counters.naming import DEVICE, INTERFACE, instance_name, split_instance
from headcount.counters.proc.links import utilisation
from headcount.counters.prometheus.exposition import Labels, Page
from headcount.counters.prometheus.mapping import Exporter, Groups, Mapped, Term

_ATTRIBUTES = {"device": DEVICE, "interface": INTERFACE}
_SPEED = "system.network.speed"


@dataclass(frozen=True, slots=True)
class _Parts:
    """A figure before it is divided: what `of` sums to, and `over`."""

    of: float
    over: float = 1.0

    def value(self, counter: Mapped) -> float | None:
        if self.over <= 0:
            return None
        value = self.of / self.over
        if counter.positive and value <= 0:
            return None
        if counter.complement:
            return min(1.0, max(0.0, 1.0 - value))
        return value if counter.limit is None else min(counter.limit, value)


def host(exporter: Exporter, page: Page) -> str | None:
    """The machine's own name; None where the page does not say it."""
    for labels in page.get(exporter.host.metric, {}):
        name = dict(labels).get(exporter.host.label)
        if name:
            return name
    return None


def clock(exporter: Exporter, page: Page) -> float | None:
    """The machine's time in seconds since 1970 (UTC); None where the page does not say it."""
    times = (value for name in exporter.clock for value in page.get(name, {}).values())
    return next(times, None)


def values(
    exporter: Exporter, previous: Page | None, current: Page, elapsed_s: float
) -> dict[str, float]:
    """All counters that the pages give, under the names of the catalogue.

    Rates and shares are of what grew since ``previous``; without it there are none. A counter of
    the exporter that went backwards was reset in between: what is made of it is absent.
    """
    found: dict[str, float] = {}
    for counter in exporter.made_of(frozenset(current)):
        if counter.kind in {"rate", "share"} and (previous is None or elapsed_s <= 0):
            continue
        if not all(_is_above_zero(current, metric) for metric in counter.needs):
            continue
        found |= _of_counter(exporter, counter, _Reading(previous or {}, current, elapsed_s))
    links = _links(exporter, found)
    others = {name: one for name, one in found.items() if not name.startswith(_SPEED)}
    return others | links


def _links(exporter: Exporter, found: dict[str, float]) -> dict[str, float]:
    """Share in use of each link's busier direction, and the busiest; of the links that count."""
    by_name = {split_instance(name): speed for name, speed in found.items()}
    speeds = {
        link: round(speed)
        for (family, link), speed in by_name.items()
        if family == _SPEED and link is not None
    }
    return utilisation(
        {link: speeds[link] for link in exporter.interface.counted(list(speeds))}, found
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """Two pages, and the sums that a counter is made of."""

    previous: Page
    current: Page
    elapsed_s: float

    def parts(self, counter: Mapped, group: str | None) -> _Parts | None:
        """What a counter comes to in one group, or in all; None where something is missing."""
        growing = counter.kind in {"rate", "share"}
        of = self._sum(counter.of, counter.by, group, growing=growing)
        if of is None:
            return None
        if counter.kind == "rate":
            return _Parts(of / self.elapsed_s)
        if not counter.over:
            return _Parts(of)
        over = self._sum(counter.over, counter.by, group, growing=growing)
        return None if over is None else _Parts(of, over)

    def groups(self, counter: Mapped) -> list[str]:
        """The values of the label that tells groups apart, in the order of the page."""
        series = self._series(counter.of[0])
        found = (dict(labels).get(counter.by or "") for labels in series)
        return list(dict.fromkeys(name for name in found if name is not None))

    def is_used(self, groups: Groups, by: str, group: str) -> bool:
        """Whether anything ever happened in a group."""
        if not groups.used or group in groups.always:
            return True
        return any(
            value > 0
            for name in groups.used
            for labels, value in self.current.get(name, {}).items()
            if (by, group) in labels
        )

    def _sum(
        self, terms: Iterable[Term], by: str | None, group: str | None, *, growing: bool
    ) -> float | None:
        total = 0.0
        for term in terms:
            chosen = [
                (labels, value)
                for labels, value in self._series(term).items()
                if group is None or (by, group) in labels
            ]
            amounts = self._growth(term, chosen) if growing else [value for _, value in chosen]
            if amounts is None:
                return None
            if not amounts and not term.optional:
                return None
            total += term.factor * sum(amounts)
        return total

    def _growth(self, term: Term, series: Sequence[tuple[Labels, float]]) -> list[float] | None:
        """How much each series grew that was there before; None where one went backwards."""
        before = self._named(term, self.previous)
        grown = [value - before[labels] for labels, value in series if labels in before]
        return None if any(amount < 0 for amount in grown) else grown

    def _series(self, term: Term) -> dict[Labels, float]:
        return {
            labels: value
            for labels, value in self._named(term, self.current).items()
            if _fits(term, dict(labels))
        }

    @staticmethod
    def _named(term: Term, page: Page) -> dict[Labels, float]:
        return next((dict(page[name]) for name in term.metric if name in page), {})


def _of_counter(exporter: Exporter, counter: Mapped, reading: _Reading) -> dict[str, float]:
    if counter.by is None:
        return _put(counter.name, reading.parts(counter, None), counter)
    names = reading.groups(counter)
    groups = _groups(exporter, counter)
    if groups is not None:
        names = groups.whole(names)
    if counter.kind == "count":
        return {counter.name: float(len(names))} if names else {}
    parts = {name: reading.parts(counter, name) for name in names}
    found: dict[str, float] = {}
    for name in names if counter.per and groups else ():
        if groups and reading.is_used(groups, counter.by, name):
            instance = instance_name(counter.name, _ATTRIBUTES[counter.per or ""], name)
            found |= _put(instance, parts[name], counter)
    counted = groups.counted(names) if groups else names
    return found | _across(counter, [parts[name] for name in counted])


def _across(counter: Mapped, groups: Sequence[_Parts | None]) -> dict[str, float]:
    """The machine's figure; absent where that of a group is not known."""
    known = [parts for parts in groups if parts is not None]
    if not known or len(known) < len(groups) or counter.across == "none":
        return {}
    if counter.across == "sum":
        over = sum(parts.over for parts in known) if counter.over else 1.0
        return _put(counter.name, _Parts(sum(parts.of for parts in known), over), counter)
    each = [value for parts in known if (value := parts.value(counter)) is not None]
    if not each:
        return {}
    return {counter.name: max(each) if counter.across == "max" else sum(each) / len(each)}


def _put(name: str, parts: _Parts | None, counter: Mapped) -> dict[str, float]:
    value = parts.value(counter) if parts is not None else None
    return {} if value is None else {name: value}


def _groups(exporter: Exporter, counter: Mapped) -> Groups | None:
    """Which disks, interfaces or file systems count, where a counter is about them."""
    if counter.name.startswith("system.filesystem."):
        return exporter.volume
    if counter.per == "device" or counter.name.startswith("system.disk."):
        return exporter.device
    if counter.per == "interface" or counter.name.startswith("system.network."):
        return exporter.interface
    return None


def _is_above_zero(page: Page, metric: str) -> bool:
    return any(value > 0 for value in page.get(metric, {}).values())


def _fits(term: Term, labels: dict[str, str]) -> bool:
    return all(labels.get(key) in wanted for key, wanted in term.where.items()) and not any(
        labels.get(key) in unwanted for key, unwanted in term.without.items()
    )
