"""Our counters, computed from an exporter's pages: from two, or from all of a log at once.

A page's values may be columns for many pages with the same series; so are the counters then.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.counters.columns import Column
from headcount.counters.naming import DEVICE, INTERFACE, instance_name, split_instance
from headcount.counters.prometheus.exposition import Labels, Page
from headcount.counters.prometheus.mapping import Exporter, Groups, Mapped, Term

_ATTRIBUTES = {"device": DEVICE, "interface": INTERFACE}
_SPEED, _USE = "system.network.speed", "system.network.utilization"

Values = float | Column
"""A figure of one page, or of each of many; NaN is absent."""
Pages = Mapping[str, Mapping[Labels, Values]]
"""One page, or many with the same series: samples by metric and labels."""
Mask = bool | np.bool_ | NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Parts:
    """A figure before it is divided: what `of` sums to, and `over`."""

    of: Values
    over: Values = 1.0

    def value(self, counter: Mapped) -> Values:
        with np.errstate(invalid="ignore", divide="ignore"):
            value: Values = np.where(
                np.greater(self.over, 0), np.divide(self.of, self.over), np.nan
            )
        if counter.positive:
            value = _where(np.greater(value, 0), value)
        if counter.complement:
            return np.clip(np.subtract(1.0, value), 0.0, 1.0)
        return value if counter.limit is None else np.minimum(counter.limit, value)


def _where(mask: Mask, value: Values) -> Values:
    """The value where the mask is true, absent elsewhere."""
    return value if mask is True else np.where(mask, value, np.nan)


def host(exporter: Exporter, page: Pages) -> str | None:
    """The machine's own name; None if the page does not have it."""
    for labels in page.get(exporter.host.metric, {}):
        name = dict(labels).get(exporter.host.label)
        if name:
            return name
    return None


def clock(exporter: Exporter, page: Page) -> float | None:
    """The machine's time in seconds since 1970 (UTC); None if the page does not have it."""
    found = clocks(exporter, page)
    return None if found is None else float(found)


def clocks(exporter: Exporter, page: Pages) -> Values | None:
    """The same of each of many pages."""
    times = (value for name in exporter.clock for value in page.get(name, {}).values())
    return next(times, None)


def values(
    exporter: Exporter, previous: Page | None, current: Page, elapsed_s: float
) -> dict[str, float]:
    """All counters that two pages give, as of :func:`columns`."""
    found = columns(exporter, previous, current, elapsed_s)
    return {name: float(value) for name, value in found.items() if not np.isnan(value)}


def columns(
    exporter: Exporter, previous: Pages | None, current: Pages, elapsed_s: Values
) -> dict[str, Values]:
    """All counters that the pages give, under the names of the catalogue; NaN is absent.

    Rates and shares are growth since ``previous``; without it there are none. A counter of the
    exporter that went backwards was reset; figures from it are absent.
    """
    found: dict[str, Values] = {}
    for counter in exporter.made_of(frozenset(current)):
        mask: Mask = True
        if counter.kind in {"rate", "share"}:
            if previous is None:
                continue
            mask = np.greater(elapsed_s, 0)
        for metric in counter.needs:
            mask = mask & _is_above_zero(current, metric)
        if not np.any(mask):
            continue
        made = _of_counter(exporter, counter, _Reading(previous or {}, current, elapsed_s))
        _add(found, {name: _where(mask, value) for name, value in made.items()})
    links = _links(exporter, found)
    for name in [name for name in found if split_instance(name)[0] == _SPEED]:
        del found[name]  # that of a tunnel or bridge is arbitrary
    _add(found, links)
    return found


def _add(found: dict[str, Values], more: Mapping[str, Values]) -> None:
    """Add figures; an absent value does not replace an earlier one of the same name."""
    for name, value in more.items():
        known = ~np.isnan(value)
        if name in found and not known.all():
            found[name] = np.where(known, value, found[name])
        elif known.any():
            found[name] = value


def _links(exporter: Exporter, found: Mapping[str, Values]) -> dict[str, Values]:
    """Share in use of each counted link's busier direction, and of the busiest link."""
    by_name = {split_instance(name): value for name, value in found.items()}
    speeds = {
        link: np.rint(speed)
        for (family, link), speed in by_name.items()
        if family == _SPEED and link is not None
    }
    made: dict[str, Values] = {}
    busier: list[Column] = []
    for link, mask in _counted(exporter.interface, speeds).items():
        speed = made[instance_name(_SPEED, INTERFACE, link)] = _where(mask, speeds[link])
        ways = [
            np.divide(traffic, speed)
            for (family, name), traffic in by_name.items()
            if name == link and family.startswith("system.network.io{")
        ]
        if ways:
            share = np.minimum(1.0, np.fmax.reduce(np.stack(ways)))
            made[instance_name(_USE, INTERFACE, link)] = share
            busier.append(share)
    if busier:
        made[f"{_USE}.busiest"] = np.fmax.reduce(np.stack(busier))
    return made


def _counted(groups: Groups, speeds: Mapping[str, Values]) -> dict[str, Mask]:
    """A mask of pages for each link that counts, which depends on the links with a speed there."""
    if not speeds:
        return {}
    names, shape = list(speeds), np.shape(next(iter(speeds.values())))
    known = np.stack([~np.isnan(np.ravel(speed)) for speed in speeds.values()])
    masks: dict[str, NDArray[np.bool_]] = {}
    for present in np.unique(known, axis=1).T:
        rows = (known == present[:, np.newaxis]).all(axis=0)
        for name in groups.counted([names[place] for place in np.flatnonzero(present)]):
            masks[name] = masks.get(name, np.zeros(known.shape[1], dtype=bool)) | rows
    return {name: mask.reshape(shape) for name, mask in masks.items()}


@dataclass(frozen=True, slots=True)
class _Reading:
    """Two pages, and the sums over them for counters."""

    previous: Pages
    current: Pages
    elapsed_s: Values

    def parts(self, counter: Mapped, group: str | None) -> _Parts | None:
        """The sums of a counter in one group, or in all; None if something is missing."""
        growing = counter.kind in {"rate", "share"}
        of = self._sum(counter.of, counter.by, group, growing=growing)
        if of is None:
            return None
        if counter.kind == "rate":
            with np.errstate(invalid="ignore", divide="ignore"):
                return _Parts(np.divide(of, self.elapsed_s))
        if not counter.over:
            return _Parts(of)
        over = self._sum(counter.over, counter.by, group, growing=growing)
        return None if over is None else _Parts(of, over)

    def groups(self, counter: Mapped) -> list[str]:
        """The values of the label that identifies groups, in the order of the page."""
        series = self._series(counter.of[0])
        found = (dict(labels).get(counter.by or "") for labels in series)
        return list(dict.fromkeys(name for name in found if name is not None))

    def is_used(self, groups: Groups, by: str, group: str) -> Mask:
        """Whether anything ever happened in a group."""
        if not groups.used or group in groups.always:
            return True
        return _any_above_zero(
            value
            for name in groups.used
            for labels, value in self.current.get(name, {}).items()
            if (by, group) in labels
        )

    def _sum(
        self, terms: Iterable[Term], by: str | None, group: str | None, *, growing: bool
    ) -> Values | None:
        total: Values = 0.0
        for term in terms:
            chosen = [
                (labels, value)
                for labels, value in self._series(term).items()
                if group is None or (by, group) in labels
            ]
            amounts = self._growth(term, chosen) if growing else [value for _, value in chosen]
            if not amounts and not term.optional:
                return None
            total += term.factor * sum(amounts)
        return total

    def _growth(self, term: Term, series: Sequence[tuple[Labels, Values]]) -> list[Values]:
        """Growth of each series that was there before; NaN where one went backwards."""
        before = self._named(term, self.previous)
        grown = [value - before[labels] for labels, value in series if labels in before]
        return [_where(np.greater_equal(amount, 0), amount) for amount in grown]

    def _series(self, term: Term) -> dict[Labels, Values]:
        return {
            labels: value
            for labels, value in self._named(term, self.current).items()
            if _fits(term, dict(labels))
        }

    @staticmethod
    def _named(term: Term, page: Pages) -> dict[Labels, Values]:
        return next((dict(page[name]) for name in term.metric if name in page), {})


def _of_counter(exporter: Exporter, counter: Mapped, reading: _Reading) -> dict[str, Values]:
    if counter.by is None:
        return _put(counter.name, reading.parts(counter, None), counter)
    names = reading.groups(counter)
    groups = _groups(exporter, counter)
    if groups is not None:
        names = groups.whole(names)
    if counter.kind == "count":
        return {counter.name: float(len(names))} if names else {}
    parts = {name: reading.parts(counter, name) for name in names}
    found: dict[str, Values] = {}
    for name in names if counter.per and groups else ():
        used = groups is not None and reading.is_used(groups, counter.by, name)
        if np.any(used):
            instance = instance_name(counter.name, _ATTRIBUTES[counter.per or ""], name)
            put = _put(instance, parts[name], counter)
            found |= {one: _where(used, value) for one, value in put.items()}
    counted = groups.counted(names) if groups else names
    return found | _across(counter, [parts[name] for name in counted])


def _across(counter: Mapped, groups: Sequence[_Parts | None]) -> dict[str, Values]:
    """The machine's figure; absent where that of a group is unknown."""
    known = [parts for parts in groups if parts is not None]
    if not known or len(known) < len(groups) or counter.across == "none":
        return {}
    if counter.across == "sum":
        over = sum(parts.over for parts in known) if counter.over else 1.0
        return _put(counter.name, _Parts(sum(parts.of for parts in known), over), counter)
    each = np.stack([np.asarray(parts.value(counter)) for parts in known])
    all_known = ~np.any([np.isnan(parts.of) | np.isnan(parts.over) for parts in known], axis=0)
    if counter.across == "max":
        return {counter.name: _where(all_known, np.fmax.reduce(each))}
    number = np.count_nonzero(~np.isnan(each), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.add.reduce(np.nan_to_num(each)) / number
    return {counter.name: _where(all_known & (number > 0), mean)}


def _put(name: str, parts: _Parts | None, counter: Mapped) -> dict[str, Values]:
    return {} if parts is None else {name: parts.value(counter)}


def _groups(exporter: Exporter, counter: Mapped) -> Groups | None:
    """Which disks, interfaces or file systems count, where a counter is about them."""
    if counter.name.startswith("system.filesystem."):
        return exporter.volume
    if counter.per == "device" or counter.name.startswith("system.disk."):
        return exporter.device
    if counter.per == "interface" or counter.name.startswith("system.network."):
        return exporter.interface
    return None


def _is_above_zero(page: Pages, metric: str) -> Mask:
    return _any_above_zero(page.get(metric, {}).values())


def _any_above_zero(series: Iterable[Values]) -> Mask:
    mask: Mask = False
    for value in series:
        mask = mask | np.greater(value, 0)
    return mask


def _fits(term: Term, labels: dict[str, str]) -> bool:
    return all(labels.get(key) in wanted for key, wanted in term.where.items()) and not any(
        labels.get(key) in unwanted for key, unwanted in term.without.items()
    )
