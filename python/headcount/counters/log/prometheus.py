"""Logs of Prometheus: answers of its range queries, and pages of an exporter one after the other.

Range queries: https://prometheus.io/docs/prometheus/latest/querying/api/ (`/api/v1/query_range`, of
type matrix). Several answers may stand one after the other in a file. The metrics must be asked for
as they are, without `rate()`: what grew is worked out here, as of pages that are read live.

Pages: as the exporter gives them, each below a line `# headcount page SECONDS`, which says when it
was read in seconds since 1970.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcount.counters.columns import Builder
from headcount.counters.prometheus import exposition, values
from headcount.counters.prometheus.exposition import Labels, Page
from headcount.counters.prometheus.mapping import Exporter, exporter_of, exporters
from headcount.counters.recording import Recording
from headcount.errors import InputError

FORMAT = "Prometheus (range query responses, or a sequence of exporter pages)"
MARK = "# headcount page "
_ADDED = frozenset({"__name__", "instance", "job"})
"""Labels that Prometheus adds to what an exporter says."""


@dataclass
class _Machine:
    """What the log has of one machine: pages by the time they were read."""

    name: str
    pages: dict[float, dict[str, dict[Labels, float]]] = field(default_factory=dict)

    def put(self, at_s: float, metric: str, labels: Labels, value: float) -> None:
        self.pages.setdefault(at_s, {}).setdefault(metric, {})[labels] = value


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file holds answers of Prometheus' HTTP API, or pages, marked or not."""
    del path
    if head.lstrip().startswith(b"{"):
        plain = head.replace(b" ", b"").replace(b"\n", b"")
        return b'"status":"' in plain and (b'"resultType":' in plain or b'"errorType":' in plain)
    marked = head.startswith(MARK.encode()) or b"\n" + MARK.encode() in head
    return marked or head.startswith((b"# HELP ", b"# TYPE "))


def read(path: Path) -> list[Recording]:
    """Read a log: a recording for each machine (label `instance`, or the pages' own name)."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    notes: list[str] = []
    if text.lstrip().startswith("{"):
        machines, unnamed = _answer_machines(path, text)
        if unnamed:
            notes.append(
                f"skipped series without a name: {unnamed}; query raw metrics, without rate() or "
                "sum()"
            )
    else:
        if MARK not in text:
            raise InputError(
                f"{path} has exporter pages without their times; precede each with a line "
                f'"{MARK}SECONDS": echo "{MARK}$(date +%s)"; curl --silent URL'
            )
        machines, torn = _page_machines(text)
        if torn:
            notes.append(f"skipped unreadable pages: {torn}")
    found = [_recording(path, one, notes) for one in machines]
    known = [one for one in found if one is not None]
    if not known:
        names = " and ".join(each.name for each in exporters())
        raise InputError(f"{path} has no metrics of {names}")
    return known


def _recording(path: Path, machine: _Machine, notes: Iterable[str]) -> Recording | None:
    moments = sorted(machine.pages)
    names = {name for moment in moments for name in machine.pages[moment]}
    exporter = exporter_of(names)
    if exporter is None:
        return None
    samples = Builder()
    host: str | None = None
    was: tuple[float, Page] | None = None
    repeated = 0
    for at_s in moments:
        page = machine.pages.pop(at_s)  # it takes more memory than what is made of it
        if was is not None and page == was[1]:
            repeated += 1  # queried more often than the exporter was scraped: nothing new
            continue
        host = host or values.host(exporter, page)
        elapsed_s = _elapsed_s(exporter, was, (at_s, page))
        found = values.values(exporter, was[1] if was else None, page, elapsed_s)
        was = at_s, page
        if found:
            samples.add(at_s, tuple(found), tuple(found.values()))
    messages = list(notes)
    if repeated:
        messages.append(
            f"{repeated} of {len(moments)} points repeat the previous one and were left out: the "
            "query's step is shorter than the scrape interval"
        )
    unknown = sorted(name for name in names - exporter.metrics if name.startswith(exporter.prefix))
    return Recording(
        source=str(path),
        format=f"Prometheus, {exporter.name}",
        host=host or machine.name or None,
        system=exporter.system,
        samples=samples.columns(),
        notes=tuple(messages),
        unknown=tuple(unknown),
    )


def _elapsed_s(
    exporter: Exporter, was: tuple[float, Page] | None, now: tuple[float, Page]
) -> float:
    """The time between two pages: by the machine's own clock where both have it."""
    if was is None:
        return 0.0
    before_s, after_s = values.clock(exporter, was[1]), values.clock(exporter, now[1])
    if before_s is not None and after_s is not None and after_s > before_s:
        return after_s - before_s
    return now[0] - was[0]


def _answer_machines(path: Path, text: str) -> tuple[list[_Machine], int]:
    """The machines in answers of range queries, and how many series have no name."""
    machines: dict[str, _Machine] = {}
    unnamed = 0
    for series in _series(path, text):
        metric = series.get("metric", {})
        name = metric.get("__name__")
        if name is None:
            unnamed += 1
            continue
        labels = tuple(sorted((k, str(v)) for k, v in metric.items() if k not in _ADDED))
        instance = str(metric.get("instance", ""))
        machine = machines.setdefault(instance, _Machine(instance))
        for at_s, number in _points(path, series):
            if math.isfinite(number):
                machine.put(at_s, name, labels, number)
    return list(machines.values()), unnamed


def _points(path: Path, series: Mapping[str, Any]) -> list[tuple[float, float]]:
    try:
        return [(float(at_s), float(value)) for at_s, value in series.get("values", [])]
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: a series has a point that is not a time and a value") from error


def _series(path: Path, text: str) -> Iterator[Mapping[str, Any]]:
    """The series of each answer in the file."""
    decoder, position = json.JSONDecoder(), 0
    try:
        while rest := text[position:].lstrip():
            answer, used = decoder.raw_decode(rest)
            position = len(text) - len(rest) + used
            yield from _result(path, answer)
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is not a complete response of Prometheus' HTTP API ({error}); save it again, "
            "for example with curl --output"
        ) from error


def _result(path: Path, answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if answer.get("status") != "success":
        reason = answer.get("error", "no reason given")
        raise InputError(f"{path}: Prometheus refused the query: {reason}")
    data = answer.get("data", {})
    if data.get("resultType") != "matrix":
        raise InputError(
            f"{path} is a response of type {data.get('resultType')} for one moment; query a range "
            "with /api/v1/query_range"
        )
    result: list[Mapping[str, Any]] = data.get("result", [])
    return result


def _page_machines(text: str) -> tuple[list[_Machine], int]:
    """The machines whose pages stand one after the other, and how many pages cannot be read."""
    machines: dict[str, _Machine] = {}
    torn = 0
    name = ""
    for chunk in ("\n" + text).split("\n" + MARK)[1:]:
        moment, _, body = chunk.partition("\n")
        exporter = exporter_of(exposition.names(body))
        try:
            at_s = float(moment)
            page = exposition.parse(body)
        except (ValueError, InputError):
            torn += 1
            continue
        if exporter is None:
            continue
        name = values.host(exporter, page) or name
        machine = machines.setdefault(name, _Machine(name))
        machine.pages[at_s] = {metric: dict(series) for metric, series in page.items()}
    return list(machines.values()), torn
