"""An experiment: makes data once, and sorts them again and again with the settings in turn."""

import contextlib
import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from headcount import _engine
from headcount.errors import EngineError
from headcount.sort.cage import Cage, Hierarchy
from headcount.sort.files import WorkingFile
from headcount.sort.layout import Layout
from headcount.sort.place import Place
from headcount.sort.run import Order, run
from headcount.sort.sort_result import Sorted


@dataclass(frozen=True, slots=True)
class Setting:
    """What differs between the sorts of an experiment.

    Attributes:
        sortsize_bytes: Memory the sort may take.
        memory_bytes: Memory limit of the sort, page cache included; None for the machine's memory.
        work: Folders for runs, which take turns.

    """

    sortsize_bytes: int
    memory_bytes: int | None
    work: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One sort: the round it belongs to, the setting, and what it took."""

    round: int
    setting: Setting
    sorted: Sorted


class Listener(Protocol):
    """Is notified of progress and results."""

    def far(self, what: str, done_bytes: int, total_bytes: int) -> None:
        """The current step has done that much of its work."""

    def measured(self, trial: Trial) -> None:
        """A sort has ended, and its output is right."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What all sorts of an experiment have in common.

    Attributes:
        layout: The records.
        records: Their number.
        seed: Determines the records.
        where: The folder of data and output.
        threads: Threads that sort.
        cold: Whether the cache of the data is dropped before each sort.
        verify: Whether each output is checked.

    """

    layout: Layout
    records: int
    seed: int
    where: Place
    threads: int
    cold: bool
    verify: bool

    @property
    def data_bytes(self) -> int:
        """Bytes of data."""
        return self.records * self.layout.record_bytes


@dataclass(slots=True)
class Measured:
    """The results of an experiment.

    Attributes:
        trials: Every sort that ended, in order.
        checksum: Of the data: number of records, and the sum of their CRC-32.
        interrupted: Whether Ctrl-C ended it early.
        kept: Files that were kept.

    """

    trials: list[Trial] = field(default_factory=list)
    checksum: dict[str, int] = field(default_factory=dict)
    interrupted: bool = False
    kept: list[Path] = field(default_factory=list)


def measure(
    subject: Subject,
    settings: Sequence[Setting],
    rounds: int,
    place: Hierarchy | None,
    keep: tuple[Path, Path] | None,
    listener: Listener,
) -> Measured:
    """Make the data, and sort them with each setting in each round.

    `place` is where groups that limit memory are made, `keep` has the names under which to keep the
    data and the last output. Ctrl-C ends the experiment early, with the sorts measured so far;
    without any, KeyboardInterrupt propagates.
    """
    found = Measured()
    keep_data, keep_output = keep or (None, None)
    with (
        WorkingFile(subject.where, keep_data) as data,
        WorkingFile(subject.where, keep_output) as output,
    ):
        found.checksum = _make(subject, data, listener)
        try:
            for number, setting in _turns(settings, rounds, subject.seed):
                took = _sort(subject, setting, place, (data, output), listener)
                if subject.verify:
                    _check(subject, output, found.checksum, listener)
                trial = Trial(number, setting, took)
                found.trials.append(trial)
                listener.measured(trial)
        except KeyboardInterrupt:
            if not found.trials:
                raise
            found.interrupted = True
        found.kept = [path for file in (data, output) if (path := file.keep()) is not None]
    return found


def _turns(settings: Sequence[Setting], rounds: int, seed: int) -> list[tuple[int, Setting]]:
    """Each setting once a round, in random order, so that drift affects all of them alike."""
    order = random.Random(seed)
    return [
        (number, setting)
        for number in range(rounds)
        for setting in order.sample(list(settings), len(settings))
    ]


def _make(subject: Subject, data: WorkingFile, listener: Listener) -> dict[str, int]:
    layout = subject.layout

    def progress(far: str) -> None:
        state = json.loads(far)
        listener.far("making the data", state["done_bytes"], state["total_bytes"])

    made = _engine.sort_make(
        data.path,
        layout.record_bytes,
        layout.places,
        layout.kind,
        subject.records,
        subject.seed,
        progress,
    )
    checksum: dict[str, int] = json.loads(made)
    return checksum


def _sort(
    subject: Subject,
    setting: Setting,
    place: Hierarchy | None,
    files: tuple[WorkingFile, WorkingFile],
    listener: Listener,
) -> Sorted:
    order = Order(
        layout=subject.layout,
        records=subject.records,
        sortsize_bytes=setting.sortsize_bytes,
        threads=subject.threads,
        work=[one.folder for one in setting.work],
        cold=subject.cold,
    )
    data, output = files
    output.empty()
    with contextlib.ExitStack() as stack:
        cage = None
        if setting.memory_bytes is not None and place is not None:
            cage = Cage(place, f"headcount-sort-{os.getpid()}", setting.memory_bytes)
            stack.callback(cage.close)
        return run(
            order,
            data.handle,
            output.handle,
            cage,
            lambda done, total: listener.far("sorting", done, total),
        )


def _check(
    subject: Subject, output: WorkingFile, checksum: dict[str, int], listener: Listener
) -> None:
    """Check the output; the time that takes is in no figure.

    Raises EngineError unless it has the data in order.
    """

    def progress(far: str) -> None:
        state = json.loads(far)
        listener.far("verifying", state["done_bytes"], state["total_bytes"])

    layout = subject.layout
    found: dict[str, Any] = json.loads(
        _engine.sort_verify(output.path, layout.record_bytes, layout.places, progress)
    )
    if found["disorder"] is not None:
        raise EngineError(f"the output is wrong: record {found['disorder']} is out of order")
    if found["checksum"] != checksum:
        raise EngineError(
            f"the output is wrong: its records have the checksum {found['checksum']}, and those of "
            f"the data {checksum}"
        )
