"""Files of sysstat's: the daily files of sar, and what `sadf -j` makes of them.

The binary files change with sysstat's version, so that its own program reads them.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.derive import derive
from headcount.counters.log.program import run
from headcount.counters.log.sysstat.figures import figures, unknown
from headcount.counters.log.table import columns_of, samples
from headcount.counters.naming import split_instance
from headcount.counters.recording import Bookmark, Recording
from headcount.errors import InputError

FORMAT = "sysstat (a file of sar's, or the output of sadf -j)"

_MAGIC = (b"\x96\xd5", b"\xd5\x96")
"""What sysstat's files begin with, in either byte order (SA_MAGIC, 0xd596)."""
_MINUTES = 15
"""Time zones are multiples of a quarter of an hour from UTC."""
_SLACK_S = 120
"""How much later than an interval after the file's making its first sample may be."""


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file is sysstat's: by its first bytes, or by the first key of its JSON."""
    return path.is_file() and (head[:2] in _MAGIC or _is_json(head))


def read(path: Path) -> list[Recording]:
    """Read the file: a recording for each machine in it.

    Raises:
        InputError: It is damaged, or was written by a sysstat that the one here cannot read.
        SystemLimitError: sadf is not installed, for a binary file.

    """
    with path.open("rb") as file:
        binary = not _is_json(file.read(4096))
    notes: list[str] = []
    if binary:
        outcome = run(["sadf", "-j", "-C", str(path), "--", "-A"], log=path, package="sysstat")
        # Of a file torn in its last record, which a crash leaves, the others are read.
        text = _complete_json(outcome.text)
        if not text:
            raise InputError(f"{path}: sadf cannot read it: {outcome.complaint}")
        if outcome.complaint:
            notes = [f"sadf reports: {outcome.complaint.splitlines()[0]}"]
    else:
        text = path.read_bytes()
    try:
        hosts = json.loads(text)["sysstat"]["hosts"]
        return [_recording(path, host, notes, binary=binary) for host in hosts]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: not a complete output of sadf ({error}); convert the file again with "
            "`sadf -j FILE -- -A > x.json`"
        ) from error


def _is_json(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and start[1:].lstrip().startswith(b'"sysstat"')


def _complete_json(text: bytes) -> bytes:
    """What sadf wrote, with the brackets it may have left open; empty if it is no JSON even so."""
    for brackets in (b"", b"]}]}}", b"}]}]}}"):
        whole = text.rstrip().rstrip(b",") + brackets
        try:
            json.loads(whole)
        except ValueError:
            continue
        return whole
    return b""


def _recording(
    path: Path, host: Mapping[str, Any], messages: list[str], *, binary: bool
) -> Recording:
    kept = host["statistics"]
    ahead_s, notes = _zone(host, kept)
    times_s = [_time(sample["timestamp"], ahead_s) for sample in kept]
    columns = columns_of([figures(sample) for sample in kept])
    _forget_links_without_speed(columns)
    derive(columns)
    if (cpus := host.get("number-of-cpus")) and kept:
        columns["system.cpu.logical.count"] = np.full(len(kept), float(cpus))
    if any("system" in cpu for sample in kept for cpu in sample.get("cpu-load", ())):
        notes.append(
            "System time includes interrupts, as in sar -u; sadf -j FILE -- -A separates them."
        )
    return Recording(
        source=str(path),
        format="sysstat" if binary else "sysstat JSON",
        host=host.get("nodename"),
        system=str(host.get("sysname", "Linux")).lower(),
        samples=samples(times_s, columns),
        bookmarks=_bookmarks(host, ahead_s),
        notes=(*messages, *notes),
        unknown=tuple(dict.fromkeys(name for sample in kept for name in unknown(sample))),
    )


def _forget_links_without_speed(columns: dict[str, Column]) -> None:
    """Of a link whose speed it does not know, sar always says 0%: such a share is absent."""
    family = "system.network.utilization"
    for name in list(columns):
        if split_instance(name)[0] in {family, f"{family}.busiest"} and not np.nansum(
            columns[name]
        ):
            del columns[name]


def _time(stamp: Mapping[str, Any], ahead_s: float) -> float:
    written = datetime.fromisoformat(f"{stamp['date']}T{stamp['time']}").replace(tzinfo=UTC)
    return written.timestamp() - (0.0 if stamp.get("utc", 1) else ahead_s)


def _zone(host: Mapping[str, Any], kept: list[Mapping[str, Any]]) -> tuple[float, list[str]]:
    """How far the file's times are ahead of UTC in seconds, and what to say about it.

    `sadf -t` and `-T` write local times and not whose. But they write when the file was made, in
    UTC, and its first sample is one interval later.
    """
    local = [sample["timestamp"] for sample in kept if not sample["timestamp"].get("utc", 1)]
    made = host.get("file-utc-time")
    if not local:
        return 0.0, []
    if made:
        first = datetime.fromisoformat(f"1970-01-02T{local[0]['time']}")
        begun = first - timedelta(seconds=float(local[0].get("interval", 0)))
        apart_s = (begun - datetime.fromisoformat(f"1970-01-02T{made}")).total_seconds()
        ahead_s = round(apart_s / (_MINUTES * 60)) * _MINUTES * 60.0
        if abs(apart_s - ahead_s) <= _SLACK_S:
            # From 12 hours behind UTC to 12 ahead; anything further ahead is ambiguous.
            ahead_s = (ahead_s + 12 * 3600) % (24 * 3600) - 12 * 3600
            hours = f"{ahead_s / 3600:+g}"
            return ahead_s, [
                f"The file has local times: UTC{hours} hours, judging by when it was created."
            ]
    note = (
        "The file has local times of an unknown zone; they are read as UTC. "
        "`sadf -j` without -t and -T writes UTC."
    )
    return 0.0, [note]


def _bookmarks(host: Mapping[str, Any], ahead_s: float) -> tuple[Bookmark, ...]:
    """What was written into the file with `sadc -C`, and when the machine was started."""
    comments = [entry["comment"] for entry in host.get("comments") or ()]
    found = [Bookmark(_time(one, ahead_s), str(one.get("com", ""))) for one in comments]
    starts = [entry["boot"] for entry in host.get("restarts") or ()]
    found += [Bookmark(_time(one, ahead_s), "The machine started.") for one in starts]
    return tuple(sorted(found, key=lambda bookmark: bookmark.at_s))
