"""One story of writing, crashes and going on, all of it from a seed."""

import shutil
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from crash_disk import Disk, patched
from crash_faults import Crash, Faults, drawn
from crash_subjects import SUBJECTS, Subject

from headcount.errors import HeadcountError

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory is the point
AT_REST = 0.15
"""How often the power fails after a process has ended by itself, or by another fault."""
MOST_CRASHES = 16
EVENTFUL = 0.5
"""How often something else happens, too."""
AUDITED = 0.4
"""How often what is left is audited, which takes as long as all else; always at the end."""
_calls: dict[tuple[str, object], int] = {}
"""How many calls a story without a fault takes, by subject and shape."""


@dataclass
class Story:
    """What a seed came to.

    Attributes:
        faults: What went wrong, in order.
        broken: Promises that were broken; the story ends with the first.

    """

    seed: int
    subject: str
    faults: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


@contextmanager
def room() -> Iterator[Path]:
    """A folder in memory, if the machine has one, for one story after the other."""
    where = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="headcount-crash-", dir=where) as made:
        yield Path(made) / "runs"


def story(seed: int, name: str, runs: Path) -> Story:
    """Play the story of a seed."""
    random = Random(seed)
    _empty(runs)
    with _replaced(SUBJECTS[name](runs, random), runs) as (subject, disk):
        key = (name, subject.shape)
        if key not in _calls:
            subject.play()
            disk.end_process()
            _calls[key] = disk.faults.calls
    random.seed(seed)
    _empty(runs)
    played = Story(seed, name)
    with _replaced(SUBJECTS[name](runs, random), runs) as (subject, disk):
        for _ in range(random.randint(1, MOST_CRASHES)):
            if subject.is_eventful is not None:
                subject.is_eventful = random.random() < EVENTFUL
            fault = drawn(random, _calls[key])
            disk.faults.start(fault)
            played.broken += _attempt(subject, disk)
            if disk.faults.fired:
                played.faults.append(fault.kind)
            if (disk.faults.fired and fault.kind == "power cut") or random.random() < AT_REST:
                disk.power_cut(random)
                subject.lose_power()
                if played.faults[-1:] != ["power cut"]:
                    played.faults.append("power cut at rest")
            is_over = not (disk.faults.fired or subject.is_eventful)
            disk.faults.start(None)
            played.broken += subject.broken_promises(is_audited=random.random() < AUDITED)
            if played.broken:
                return played
            if is_over:
                break
        if subject.is_eventful:
            subject.is_eventful = False
        played.broken += _attempt(subject, disk)
        played.broken += [*subject.broken_promises(), *subject.missing()]
    return played


def _attempt(subject: Subject, disk: Disk) -> list[str]:
    """Play until the end, or a crash; what should not have been raised."""
    try:
        subject.play()
    except Crash:
        pass
    except HeadcountError as error:
        if not (subject.is_eventful or disk.faults.fired):
            return [f"raised without a fault: {error}"]
    except Exception:  # noqa: BLE001 - any other is a defect, and reported with its place
        return [traceback.format_exc()]
    finally:
        disk.end_process()
    return []


@contextmanager
def _replaced(subject: Subject, runs: Path) -> Iterator[tuple[Subject, Disk]]:
    disk = Disk(runs, Faults())
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (*patched(disk, *subject.modules), *subject.patches):
            patch.setattr(module, name, value)
        yield subject, disk


def _empty(runs: Path) -> None:
    shutil.rmtree(runs, ignore_errors=True)
    runs.mkdir(parents=True)
