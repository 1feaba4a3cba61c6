"""The live source of an exporter's counters."""

import threading
import time
from dataclasses import dataclass

from headcount.counters.address import Address
from headcount.counters.clock import ClockEstimate
from headcount.counters.origin import OLD_S, Origin
from headcount.counters.proc.source import SAMPLER_CPU_TIME
from headcount.counters.prometheus import exposition, values
from headcount.counters.prometheus.exposition import Page
from headcount.counters.prometheus.mapping import Exporter, exporter_of, exporters
from headcount.counters.prometheus.scrape import Answer, Scraper
from headcount.counters.source import Sample
from headcount.errors import InputError, TargetError

_SLACK_S = 0.05
"""The exporter reads its clock while it gathers the page, which takes hundredths of a second."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A page, when our steady clock read it, and the time of the machine's own clock."""

    page: Page
    at_s: float
    page_s: float | None


class PrometheusSource:
    """Counters of a machine that runs node_exporter or windows_exporter.

    Args:
        address: Where its page is.
        name: Whose counters these are.
        old_s: No rates since an older page.

    """

    def __init__(self, address: Address, name: str, old_s: float = OLD_S) -> None:
        """Fetch a page to identify the exporter; raises TargetError without one."""
        self.name = name
        self._address = address
        self._old_s = old_s
        self._scraper = Scraper(address)
        self._clock = ClockEstimate()
        self._previous: _Read | None = None
        self._busy = threading.Lock()
        self._closed = False
        first = self._scraper.ask()
        try:
            self._exporter = _exporter(first, address)
            self._host = values.host(self._exporter, self._take(first).page)
        except TargetError:
            self._scraper.close()
            raise

    @property
    def origin(self) -> Origin:
        """Where the counters come from."""
        return Origin(
            self._address.text,
            self._exporter.name,
            self._host,
            self._exporter.system,
            self._clock.offset,
            self._clock.steps,
        )

    def sample(self) -> Sample:
        """Fetch a page; rates cover the time since the last one by the machine's own clock.

        Raises TargetError without a page.
        """
        with self._busy:
            if self._closed:
                raise TargetError(f"no counters from {self._address.text}: the source was closed")
            answer = self._scraper.ask()
        began_s = time.thread_time()
        now = self._take(answer)
        was = self._previous
        if was is not None and now.at_s - was.at_s >= self._old_s:
            was = None
        elapsed_s = _elapsed_s(was, now) if was is not None else 0.0
        found = values.values(
            self._exporter, was.page if was is not None else None, now.page, elapsed_s
        )
        self._previous = now
        found[SAMPLER_CPU_TIME] = (time.thread_time() - began_s) * 1000
        return Sample(now.at_s, found)

    def close(self) -> None:
        """Close the connection; a thread that waits for a page gets none."""
        self._closed = True
        self._scraper.interrupt()
        with self._busy:
            self._scraper.close()

    def _take(self, answer: Answer) -> _Read:
        try:
            read = exposition.parse(answer.text, self._exporter.metrics)
        except InputError as error:
            raise TargetError(f"no counters from {self._address.text}: {error}") from error
        page_s = values.clock(self._exporter, read)
        at_s = (answer.asked_s + answer.heard_s) / 2
        if page_s is not None and not page_s.is_integer():
            self._clock.observe(answer.asked_s, answer.heard_s, page_s)
            at_s = self._clock.local_s(page_s, answer.asked_s, answer.heard_s)
            return _Read(read, at_s, page_s)
        # Whole seconds, from an exporter that truncates, or from the answer's header.
        whole_s = page_s if page_s is not None else answer.date_s
        if whole_s is not None:
            self._clock.observe(answer.asked_s, answer.heard_s, whole_s, resolution_s=1.0)
        return _Read(read, at_s, None)


def _exporter(answer: Answer, address: Address) -> Exporter:
    found = exporter_of(exposition.names(answer.text))
    if found is not None:
        return found
    known = " and ".join(each.name for each in exporters())
    raise TargetError(
        f"no counters from {address.text}: no known exporter answers there; Headcount knows {known}"
    )


def _elapsed_s(was: _Read, now: _Read) -> float:
    """The time between two pages: by the machine's own clock, unless that was set in between."""
    ours_s = now.at_s - was.at_s
    if was.page_s is None or now.page_s is None:
        return ours_s
    its_s = now.page_s - was.page_s
    return its_s if abs(its_s - ours_s) <= _SLACK_S + 0.1 * ours_s else ours_s
