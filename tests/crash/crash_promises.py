"""What `docs/bundle.md` promises of a bundle after a crash, checked."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crash_history import SERIAL, History

from headcount.analyse.audit import checksums, clocks, readable, table, totals
from headcount.analyse.audit.evidence import Evidence, gather
from headcount.analyse.audit.result import Result
from headcount.bundle import events, recovery, series
from headcount.bundle import table as parquet
from headcount.plan import plan as plans

WHOLE = ("environment.json", "levels.json", "verdict.json", "manifest.json")
MOVED = "the machine's clock moved"
"""How a finding begins that is none where the clock was stepped."""

Check = Callable[[Evidence], Result]
_load = plans.load
_plans: dict[bytes, plans.Plan] = {}


def load_plan(path: Path, *, follow: bool = True) -> plans.Plan:
    """The plan of a file. It reads each text once: that takes as long as the rest of a bundle."""
    text = path.read_bytes()
    if text not in _plans:
        _plans[text] = _load(path, follow=follow)
    return _plans[text]


def values(folder: Path, name: str) -> list[tuple[dict[str, Any], bool]]:
    """What a reader finds in a file of lines, and whether each ends as a line does."""
    try:
        with open(f"{folder}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - twice as quick
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    found = []
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:  # torn, or zeros
            continue
        if isinstance(value, dict):
            found.append((value, line.endswith(b"\n")))
    return found


def numbers(
    seconds: Iterable[Mapping[str, Any]], happened: Iterable[Mapping[str, Any]]
) -> tuple[list[int], list[int]]:
    """The numbers of seconds, and of events that have one."""
    return (
        [second[SERIAL] for second in seconds],
        [event["number"] for event in happened if "number" in event],
    )


def file_checks(evidence: Evidence) -> list[Result]:
    """The checks of an audit that say whether files are damaged."""
    is_closed = (evidence.folder / series.TABLE).exists()
    lines = parquet.totals_of_lines(evidence.folder) if is_closed else {}
    return [
        checksums.check(evidence),
        readable.check(evidence),
        clocks.check(evidence),
        totals.check(evidence),
        table.check(evidence, lines, parquet.totals_of_table(evidence.folder)),
    ]


def findings(evidence: Evidence, more: Sequence[Check]) -> list[str]:
    """What those checks and more find, but for a clock that was set and files not there yet."""
    found = []
    for one in (*file_checks(evidence), *(check(evidence) for check in more)):
        places = [
            f"{one.check}: {place.file} {place.at}: {place.text}"
            for place in one.places
            if not place.text.startswith(MOVED) and place.text != "is missing"
        ]
        found += places if one.outcome == "failed" else []
    return found


def broken_promises(
    folder: Path, history: History, *, is_audited: bool, more: Sequence[Check] = ()
) -> list[str]:
    """What is wrong with a bundle that a crash left; empty where all holds.

    An audit finds nothing if the power did not fail, also with `more` checks.
    """
    if not (folder / "plan.toml").exists():
        return ["lost the plan"] if history.has_plan else []
    broken, whole = [], {}
    for name in WHOLE:
        try:
            whole[name] = json.loads((folder / name).read_bytes())
        except FileNotFoundError:
            continue
        except ValueError:
            broken.append(f"torn {name}")
    seconds = [value for value, _ in values(folder, series.LINES)]
    happened = [value for value, _ in values(folder, events.FILE)]
    ours = numbers(seconds, happened)
    for ledger, found in zip(history.ledgers, ours, strict=True):
        broken += ledger.broken(found, is_lossy=history.is_lossy)
    levels = [json.dumps(level) for level in whole.get("levels.json", {}).get("levels", [])]
    if levels not in (history.levels, history.levels_under_way):
        broken.append(f"{len(levels)} levels, and {len(history.levels)} were finished")
    if history.is_closed and "manifest.json" not in whole:
        broken.append("closed without a manifest")
    return broken + (_audited(folder, history, ours[0], more) if is_audited else [])


def _audited(
    folder: Path, history: History, seconds: list[int], more: Sequence[Check]
) -> list[str]:
    evidence = gather(folder)
    found = findings(evidence, () if history.is_lossy else more)
    if not history.is_lossy:
        return found
    if not found and (wrong := _wrong(evidence, history, seconds)):
        return [f"an audit finds nothing, and {wrong}"]
    return []


def broken_recovery(folder: Path, history: History, whole: int) -> list[str]:
    """What is wrong with a bundle that was just opened again; the history goes on with the rest.

    `whole` is how many whole lines of seconds and events it had before.
    """
    broken = []
    happened = [value for value, _ in values(folder, events.FILE)]
    seconds = [value for value, _ in values(folder, series.LINES)]
    for ledger, found in zip(history.ledgers, numbers(seconds, happened), strict=True):
        broken += ledger.broken(found, is_lossy=history.is_lossy)
        if found != (whole_ := ledger.whole(found))[: len(found)]:
            broken.append(f"{ledger.what} behind a loss were kept: {found} of {whole_}")
        ledger.adopt(found)
    is_noted = any(event["event"] == recovery.RECOVERED for event in happened)
    if number_of_lines(folder) < whole and not is_noted:
        broken.append("lines were cut off without a word")
    if is_noted and not history.has_lost:
        broken.append("lines were cut off after a kill")
    history.is_lossy = False
    return broken


def number_of_lines(folder: Path) -> int:
    """How many whole lines of seconds and events there are."""
    found = (*values(folder, series.LINES), *values(folder, events.FILE))
    return sum(is_whole for _, is_whole in found)


def _wrong(evidence: Evidence, history: History, seconds: list[int]) -> str:
    """What an audit should have found; empty where nothing is wrong."""
    whole = history.seconds.whole(seconds)
    if seconds != whole[: len(seconds)]:
        return f"of {whole} it has {seconds}"
    for one in evidence.seconds:
        for scenario in one.scenarios:
            if scenario.response.count != scenario.completed:
                return f"second {one.sessions_opened} lacks histograms"
    return ""
