"""The readers in Python of files of strangers, each behind a function that takes bytes.

A reader may refuse what it reads with an error of `headcount.errors`; any other exception is a
defect. A new target is a row of :data:`TARGETS` and a folder of seeds in `fuzz/corpus`.
"""

import contextlib
import functools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from headcount._engine import Histogram
from headcount.bundle import events, hlog, manifest, reader, series, stacks, versus
from headcount.counters import log
from headcount.counters.log import own, perfmon, prometheus, sysstat
from headcount.counters.log.reader import HEAD_BYTES, Reader
from headcount.counters.prometheus import exposition
from headcount.errors import HeadcountError
from headcount.importers import har
from headcount.importers.curl_commands import commands
from headcount.importers.journey import Journey
from headcount.importers.k6 import k6_journey
from headcount.importers.openapi import openapi_journey
from headcount.importers.postman import postman_journey
from headcount.importers.recorded_journey import commands_journey, recorded_journey
from headcount.importers.stranger import text_of
from headcount.importers.workload_text import workload_text
from headcount.plan import cost, disclosure, plan
from headcount.workloads import load as load_workload

Target = Callable[[bytes], None]

SAMPLE = Path(__file__).parents[2] / "fuzz" / "corpus" / "py-plan" / "plan.toml"
"""A plan that can be loaded, for the other files of a bundle."""


@functools.cache
def _folder() -> Path:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")  # noqa: S108  # a folder of our own is made in it
    parent = memory if memory.is_dir() else None
    kept = tempfile.TemporaryDirectory(prefix="headcount-fuzz-", dir=parent)
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def _file(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def _log(one: Reader, name: str) -> Target:
    """One reader of logs of counters, whether or not it would recognise the file."""

    def read(data: bytes) -> None:
        path = _file(name, data)
        one.recognises(path, data[:HEAD_BYTES])
        for recording in one.read(path):
            log.possible(recording)

    return read


def _any_log(data: bytes) -> None:
    log.read(_file("any.log", data))


def _pcp(data: bytes) -> None:
    """The index and a volume of an archive of PCP: the input's first two bytes part them."""
    at = int.from_bytes(data[:2], "little")
    _file("archive.meta", data[2 : 2 + at])
    _file("archive.0", data[2 + at :])
    log.read(_folder() / "archive.meta")


def _in_bundle(name: str, read: Callable[[Path], object]) -> Target:
    """A file of a bundle whose other files are well."""

    def target(data: bytes) -> None:
        folder = _folder() / name.partition(".")[0]
        folder.mkdir(exist_ok=True)
        plan_file = folder / "plan.toml"
        if not plan_file.exists():
            plan_file.write_bytes(SAMPLE.read_bytes())
        (folder / name).write_bytes(data)
        read(folder)

    return target


def _hlog(data: bytes) -> None:
    path = _file("latency.hlog", data)
    hlog.read(path)
    for line in hlog.lines(path):
        if line.histogram is not None:
            hlog.longest(line.histogram)


def _histogram(data: bytes) -> None:
    try:
        found = Histogram.decode(data)
    except ValueError:
        return
    found.encode()


def _exposition(data: bytes) -> None:
    text = data.decode(errors="replace")
    exposition.names(text)
    exposition.parse(text)


def _importer(name: str, journey: Callable[[Path], Journey]) -> Target:
    """A reader of somebody's file, and the workload file that is written of it."""
    return lambda data: workload_text(journey(_file(name, data))) and None


def _curl(path: Path) -> Journey:
    return commands_journey(commands(text_of(path), str(path)))


def _workload(data: bytes) -> None:
    load_workload(str(_file("workload.toml", data)))


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "py-any-log": _any_log,
        "py-cost": lambda data: cost.load_costs(_file("cost.toml", data)) and None,
        "py-disclosure": lambda data: (
            disclosure.load_disclosure(_file("disclosure.toml", data)) and None
        ),
        "py-environment": _in_bundle("environment.json", reader.load),
        "py-events": _in_bundle("events.ndjson", events.read),
        "py-exposition": _exposition,
        "py-histogram": _histogram,
        "py-hlog": _hlog,
        "py-import-curl": _importer("import.sh", _curl),
        "py-import-har": _importer(
            "import.har", lambda path: recorded_journey(har.recording(path))
        ),
        "py-import-k6": _importer("import.js", k6_journey),
        "py-import-openapi": _importer("import.yaml", openapi_journey),
        "py-import-postman": _importer("import.json", postman_journey),
        "py-levels": _in_bundle("levels.json", reader.load),
        "py-manifest": _in_bundle("manifest.json", manifest.read),
        "py-own-log": _log(own, "own.log"),
        "py-pcp": _pcp,
        "py-perfmon": _log(perfmon, "perfmon.csv"),
        "py-plan": lambda data: plan.load(_file("plan.toml", data)) and None,
        "py-prometheus-log": _log(prometheus, "prometheus.json"),
        "py-series": _in_bundle("series.ndjson", series.read),
        "py-stacks": _in_bundle("stacks-001-on-proc.folded.gz", stacks.read),
        "py-sysstat": _log(sysstat, "sysstat.json"),
        "py-verdict": _in_bundle("verdict.json", reader.load),
        "py-versus": _in_bundle("versus.json", versus.read),
        "py-workload": _workload,
    }
)
"""By the name of their folder in `fuzz/corpus`."""


def play(target: Target, data: bytes) -> None:
    """Read one input; raises only what is a defect of the reader."""
    with contextlib.suppress(HeadcountError):
        target(data)
