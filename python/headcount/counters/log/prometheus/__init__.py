"""Prometheus logs: answers to range queries, and pages of an exporter one after the other.

Range queries: https://prometheus.io/docs/prometheus/latest/querying/api/ (`/api/v1/query_range`, of
type matrix). Several answers may stand one after the other in a file. The metrics must be queried
raw, without `rate()`: rates are computed here, as for live pages.

Pages: as the exporter gives them, each below a line `# headcount page SECONDS` with the time it was
read, in seconds since 1970.
"""

from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from headcount.counters.log.prometheus.answers import answer_machines
from headcount.counters.log.prometheus.pages import MARK, page_machines
from headcount.counters.log.prometheus.series import Machine, computed
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.counters.log.table import samples
from headcount.counters.prometheus.mapping import exporter_of, exporters
from headcount.counters.recording import Recording
from headcount.errors import InputError
from headcount.foreign.file import opened, text_lines

FORMAT = "Prometheus (range query responses, or a sequence of exporter pages)"


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
    notes: list[str] = []
    machines: list[Machine] | None
    try:
        with TextIOWrapper(opened(path), "utf-8", errors="replace") as file:
            is_answer = file.read(1 << 16).lstrip().startswith("{")
            file.seek(0)
            if is_answer:
                machines, left_out = answer_machines(path, file)
            else:
                pages = text_lines(path, "utf-8", MOST_BYTES, MOST_LINE_BYTES)
                machines, left_out = page_machines(pages)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if is_answer and left_out:
        notes.append(
            f"skipped series without a name: {left_out}; query raw metrics, without rate() or sum()"
        )
    elif left_out:
        notes.append(f"skipped unreadable pages: {left_out}")
    if machines is None:
        raise InputError(
            f"{path} has exporter pages without their times; precede each with a line "
            f'"{MARK}SECONDS": echo "{MARK}$(date +%s)"; curl --silent URL'
        )
    found = [_recording(path, one, notes) for one in machines]
    known = [one for one in found if one is not None]
    if not known:
        names = " and ".join(each.name for each in exporters())
        raise InputError(f"{path} has no metrics of {names}")
    return known


def _recording(path: Path, machine: Machine, notes: Iterable[str]) -> Recording | None:
    names = machine.names
    exporter = exporter_of(names)
    if exporter is None:
        return None
    at_s, series = machine.series()
    points = len(at_s)
    host, times_s, columns = computed(exporter, at_s, series)
    messages = list(notes)
    if len(times_s) < points:
        messages.append(
            f"{points - len(times_s)} of {points} points repeat the previous one and were left "
            "out: the query's step is shorter than the scrape interval"
        )
    some = np.zeros(len(times_s), dtype=bool)
    for column in columns.values():
        some |= ~np.isnan(column)
    if not some.all():
        times_s = times_s[some]
        columns = {name: column[some] for name, column in columns.items()}
    unknown = sorted(name for name in names - exporter.metrics if name.startswith(exporter.prefix))
    return Recording(
        source=str(path),
        format=f"Prometheus, {exporter.name}",
        host=host or machine.name or None,
        system=exporter.system,
        samples=samples(times_s, columns),
        notes=tuple(messages),
        unknown=tuple(unknown),
    )
