"""Maps metrics of an exporter to our counters: data, a file per exporter.

A counter's value is made of terms, sums of the series of a metric:

========  ===============================================================================
gauge     the terms' sum as it is
rate      how much the terms' sum grew in a second
share     how much the sum of ``of`` grew for each unit that the sum of ``over`` grew
ratio     the sum of ``of`` over the sum of ``over``, as they are
count     how many values the label ``by`` has
========  ===============================================================================

With ``by`` the series are grouped by a label first. The machine's figure is then made of all
groups together (``sum``), or is the ``mean`` or the ``max`` of the groups' figures; with ``per``
each group has a figure of its own, too.
"""

import re
import tomllib
from collections.abc import Collection, Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

_MOST_KEPT = 100
"""Sets of metrics whose counters are kept; a log has a few."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(_Data):
    """A sum of series.

    Attributes:
        metric: Its name; if versions of the exporter differ, all names, the newest first.
        where: Labels that series must have, each with the values that count.
        without: Labels and the values that do not count.
        factor: Factor of each series, to convert units or to subtract.
        optional: Whether a missing metric counts as nothing instead of making the figure absent.

    """

    metric: tuple[str, ...]
    where: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    without: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    factor: float = 1.0
    optional: bool = False


class Mapped(_Data):
    """How one counter of the catalogue is made.

    Attributes:
        name: The counter.
        kind: See the module.
        of: What is summed.
        over: What it is divided by.
        by: The label that groups the series.
        across: How the groups are combined to the machine's figure; ``none`` if it has none.
        per: Whether groups have figures of their own, and of what kind.
        limit: Upper bound of the figure: clocks of the two readings differ a little.
        needs: Metrics that must be above zero for the figure to mean anything.
        complement: The figure is 1 minus the value: idle time becomes busy time.
        positive: A figure that is not above zero is unknown.

    """

    name: str
    kind: Literal["gauge", "rate", "share", "ratio", "count"]
    of: tuple[Term, ...] = Field(min_length=1)
    over: tuple[Term, ...] = ()
    by: str | None = None
    across: Literal["sum", "mean", "max", "none"] = "sum"
    per: Literal["device", "interface"] | None = None
    limit: float | None = None
    needs: tuple[str, ...] = ()
    complement: bool = False
    positive: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> "Mapped":
        if (self.kind in {"share", "ratio"}) != bool(self.over):
            raise ValueError(f"{self.name}: only shares and ratios have `over`")
        if (self.by is None) and (self.kind == "count" or self.per or self.across != "sum"):
            raise ValueError(f"{self.name}: `by` is missing, the label that distinguishes groups")
        return self


class Groups(_Data):
    """Which disks or interfaces count.

    Attributes:
        part: A pattern for names of parts of others, such as partitions: they have no figures.
        stacked: A pattern for names of those stacked on others, which would count twice.
        used: Metrics one of which must be above zero for a group to have figures of its own.
        always: Groups that have figures of their own in any case.

    """

    part: str = "(?!)"
    stacked: str = "(?!)"
    used: tuple[str, ...] = ()
    always: tuple[str, ...] = ()

    def whole(self, names: Collection[str]) -> list[str]:
        """Those that are not parts of others."""
        return [name for name in names if not re.fullmatch(self.part, name)]

    def counted(self, names: Collection[str]) -> list[str]:
        """Those that add up to the machine's figures; all but parts if all look stacked."""
        whole = [name for name in self.whole(names) if name not in self.always]
        return [name for name in whole if not re.fullmatch(self.stacked, name)] or whole


class Host(_Data):
    """Where the machine's name stands: a label of a metric."""

    metric: str
    label: str


class Exporter(_Data):
    """One exporter.

    Attributes:
        name: What people call it.
        system: The system it runs on.
        prefix: What names of its metrics begin with.
        signs: Metrics of which each of its pages has at least one.
        clock: Metrics with the machine's time in seconds since 1970.
        host: Where the machine's name stands.
        device: Which disks count.
        interface: Which network interfaces count.
        volume: Which file systems count.
        counter: The counters.

    """

    name: str
    system: Literal["linux", "windows"]
    prefix: str
    signs: tuple[str, ...]
    clock: tuple[str, ...] = ()
    host: Host
    device: Groups = Groups()
    interface: Groups = Groups()
    volume: Groups = Groups()
    counter: tuple[Mapped, ...]

    @cached_property
    def _made_of(self) -> dict[frozenset[str], tuple[Mapped, ...]]:
        return {}

    def made_of(self, names: frozenset[str]) -> tuple[Mapped, ...]:
        """The counters of which no metric is missing on a page with these.

        Cached, because all pages of one machine have the same metrics.
        """
        if names not in self._made_of:
            if len(self._made_of) >= _MOST_KEPT:
                self._made_of.clear()
            self._made_of[names] = tuple(
                counter
                for counter in self.counter
                if all(
                    term.optional or not names.isdisjoint(term.metric)
                    for term in (*counter.of, *counter.over)
                )
            )
        return self._made_of[names]

    @cached_property
    def metrics(self) -> frozenset[str]:
        """Every metric that is read."""
        return frozenset(self._named())

    def _named(self) -> Iterator[str]:
        yield from self.signs
        yield from self.clock
        yield self.host.metric
        for groups in (self.device, self.interface):
            yield from groups.used
        for counter in self.counter:
            yield from counter.needs
            for term in (*counter.of, *counter.over):
                yield from term.metric


@cache
def exporters() -> tuple[Exporter, ...]:
    """All exporters that are known."""
    folder = files("headcount.counters.prometheus").joinpath("exporters")
    return tuple(
        Exporter.model_validate(tomllib.loads(folder.joinpath(f"{name}.toml").read_text("utf-8")))
        for name in ("node", "windows")
    )


def exporter_of(metrics: Collection[str]) -> Exporter | None:
    """The exporter that wrote a page with these metrics; None for any other program."""
    return next((each for each in exporters() if any(sign in metrics for sign in each.signs)), None)
