"""The sentences of a sort experiment, the same on the terminal and on the page."""

import statistics
from collections.abc import Sequence

from headcount.report.sorting.figures import seconds, size, time_interval
from headcount.sort import layout
from headcount.sort.experiment import Measured, Subject
from headcount.sort.placement import Placement
from headcount.sort.setting_figures import Cliff, Figures
from headcount.sort.statistics import Estimate
from headcount.text import plural, share

PAPER_SAVED = "the paper: 57.8 s to 39.7 s, 31%"
MOST_NAMED = 3
"""Most settings named in a sentence; the table marks all."""
PAPER_PLACED = "the paper: 41.4, 34.1, 31.1 and 11.1% with four kinds of disks"


def data(subject: Subject) -> str:
    """What is sorted."""
    keys = subject.layout.keys
    lengths = ", ".join(str(key.length) for key in keys)
    noun = "key" if len(keys) == 1 else plural("key", len(keys))
    cache = "dropped before each sort" if subject.cold else "warm"
    return (
        f"{size(subject.data_bytes)} in {subject.where.folder}: "
        f"{plural('record', subject.records)} of {subject.layout.record_bytes} bytes, {noun} of "
        f"{lengths} bytes, seed {subject.seed}, {plural('thread', subject.threads)}, cache of the "
        f"data {cache}"
    )


def memory(subject: Subject) -> str:
    """What the formula says is needed, and what this sort needs (S-01, S-02)."""
    formula_bytes = subject.layout.formula(subject.records).value
    need_bytes = subject.layout.need_bytes(subject.records, subject.threads)
    paper = layout.PAPER_FORMULA_BYTES / layout.PAPER_USED_BYTES
    return (
        f"To write nothing temporary: {size(formula_bytes)} by the paper's formula (S-01), "
        f"{size(need_bytes)} for this sort; the formula is {formula_bytes / need_bytes:.3f} times "
        f"as much (S-02, the paper: {paper:.3f})"
    )


def outcome(one: Figures) -> list[str]:
    """The results of one setting."""
    trial = one.trials[0].sorted
    sortsize = size(one.setting.sortsize_bytes)
    if one.fits:
        text = f"Sort size {sortsize}: everything fits, nothing temporary was written"
    else:
        passes = "one pass" if trial.passes == 1 else f"{trial.passes} passes"
        text = (
            f"Sort size {sortsize}: it does not fit; {plural('run', trial.budget.runs)}, merged in "
            f"{passes}, {size(one.temporary_bytes)} written to work files in "
            f"{', '.join(str(where.folder) for where in one.setting.work)}"
        )
    lines = [text]
    if one.used_bytes is not None and trial.baseline_bytes is not None:
        lines.append(
            f"Memory: {size(one.used_bytes)} at most, above {size(trial.baseline_bytes)} of the "
            "program itself"
        )
    lines.append(
        f"Time to the last write: {_estimate(one.exit_s)}; with everything on the disk: "
        f"{_estimate(one.durable_s)}; {_repeated(len(one.trials))}"
    )
    lines.append(phases(one))
    return lines


def phases(one: Figures) -> str:
    """Where the time went: medians, so that one disturbed sort does not count."""
    sorts = [trial.sorted for trial in one.trials]
    parts = [
        ("read", [sort.read_s for sort in sorts]),
        ("sort", [sort.sort_s for sort in sorts]),
        ("write runs", [sort.runs_s for sort in sorts]),
        ("write output" if one.fits else "merge", [sort.merge_s for sort in sorts]),
        ("sync", [sort.sync_s for sort in sorts]),
    ]
    texts = [f"{name} {seconds(statistics.median(times))}" for name, times in parts if any(times)]
    cpu = seconds(statistics.median(sort.cpu_s for sort in sorts))
    first = sorts[0]
    moved = f"read {size(first.read_bytes)}, wrote {size(first.written_bytes)}"
    return f"Medians: {', '.join(texts)}; CPU {cpu}; {moved}"


def best(found: Sequence[Figures]) -> str:
    """The fastest setting, and those that do not differ from it (S-11)."""
    first = next(one for one in found if one.standing == "best")
    text = f"Fastest: {label(first)} with {_estimate(first.exit_s)}"
    alike = [label(one) for one in found if one.standing == "no different"]
    if alike:
        others = f"{len(alike)} others" if len(alike) > MOST_NAMED else ", ".join(alike)
        text += f"; no different within the noise: {others}"
    if any(one.standing == "unknown" for one in found):
        text += "; sorts were not repeated, so this may be chance: give --repeat"
    return text


def label(one: Figures) -> str:
    """A setting by its name."""
    limit = one.setting.memory_bytes
    beside = "" if limit is None else f" with {size(limit)} of memory"
    return f"{size(one.setting.sortsize_bytes)}{beside}"


def cliff(one: Cliff) -> str:
    """The time saved once everything fits into memory (S-06)."""
    beside = "" if one.memory_bytes is None else f" ({size(one.memory_bytes)} of memory)"
    fits, before = size(one.fits.setting.sortsize_bytes), label(one.best_spill)
    return (
        f"From {fits} on everything fits{beside}. The fastest that fits, {label(one.best_fit)}, "
        f"beside the fastest that writes runs, {before}: {_saved(one.saved)} ({PAPER_SAVED})"
    )


def placement(one: Placement) -> list[str]:
    """The time saved by runs on another disk (S-09)."""
    lines = []
    if one.gain is not None:
        lines.append(
            f"Runs in {one.folders} ({one.disk}) instead of beside the data: {_saved(one.gain)} "
            f"({PAPER_PLACED})"
        )
    if one.same is not None:
        lines.append(f"Expect no difference: {one.same}")
    return lines


def caveats(subject: Subject, measured: Measured) -> list[str]:
    """What a reader must know to judge the figures."""
    lines = [f"Of the data: {subject.layout.origin}."]
    if not subject.verify:
        lines.append("The output was not verified.")
    if measured.interrupted:
        lines.append("Interrupted: the figures cover only what was measured until then.")
    lines += [f"Kept: {path}" for path in measured.kept]
    return lines


def _saved(gain: Estimate) -> str:
    if gain.low is None or gain.high is None:
        return f"{share(gain.value)} of the time saved, measured once"
    known = f"95% interval {share(gain.low)} to {share(gain.high)}"
    if gain.low <= 0 <= gain.high:
        return f"no difference beyond the noise ({known})"
    if gain.value < 0:
        return f"{share(-gain.value)} more time ({known} saved)"
    return f"{share(gain.value)} of the time saved ({known})"


def _estimate(one: Estimate) -> str:
    known = time_interval(one)
    return seconds(one.value) + (f" (95% interval {known})" if known else "")


def _repeated(times: int) -> str:
    return "measured once" if times == 1 else f"geometric means of {times} sorts"
