"""What threads wait for, in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.diagnosis import Wait
from headcount.counters.stacks.calls import Kind
from headcount.text import plural

_MOST = 3
"""Most waits that a sentence names; the record has more."""
_PLAIN: dict[Kind, str] = {
    "lock": "a lock",
    "events": "events on connections",
    "accept": "new connections",
    "connect": "a connection to be opened",
    "receive": "data",
    "send": "somebody to take their data",
    "sleep": "the end of a sleep",
    "sync": "data to reach the disk",
    "file": "a folder of the file system",
    "child": "a child process",
    "signal": "a signal",
    "fault": "a page of memory",
    "other": "the kernel",
}
_OF_OBJECTS: dict[tuple[Kind, str], str] = {
    ("lock", "file"): "a lock on the file {}",
    ("connect", "peer"): "a connection to {}",
    ("connect", "unix"): "a connection to {}",
    ("receive", "peer"): "replies of {}",
    ("receive", "unix"): "replies of {}",
    ("receive", "file"): "data of the file {}",
    ("receive", "pipe"): "data from a pipe (descriptor {})",
    ("send", "peer"): "{} to take their data",
    ("send", "unix"): "{} to take their data",
    ("send", "file"): "a write to the file {}",
    ("send", "pipe"): "the reader of a pipe (descriptor {})",
    ("sync", "file"): "the file {} to reach the disk",
    ("file", "file"): "the folder {}",
    ("lock", "folder"): "locks on files in {}",
    ("receive", "folder"): "data of files in {}",
    ("send", "folder"): "writes to files in {}",
    ("sync", "folder"): "files in {} to reach the disk",
    ("file", "folder"): "folders in {}",
}


def wait_words(kind: Kind, what: str | None) -> str:
    """What a thread waits for.

    >>> wait_words("receive", "peer:10.0.0.9:5432"), wait_words("lock", None)
    ('replies of 10.0.0.9:5432', 'a lock')
    """
    sort, _, name = (what or "").partition(":")
    form = _OF_OBJECTS.get((kind, sort))
    if form is not None and name:
        return form.format(name)
    if kind == "send" and what == "client":
        return "clients to take their data"
    if kind == "other" and what:
        return f"the kernel, in {what}"
    return _PLAIN[kind]


@dataclass(frozen=True, slots=True)
class Rests:
    """Mean numbers of threads that wait for nothing that has a name."""

    idle: float
    in_loop: float
    parked: float


def sentence(
    users: int, threads: float, running: float, rests: Rests, waits: Sequence[Wait]
) -> str:
    """What all threads do, in a sentence: the waits first.

    Numbers are means, so they need not be whole.
    """
    named = [
        f"{threads_text(one.threads)} {_verb(one.threads) if not place else ''}for {one.sentence}"
        for place, one in enumerate(waits[:_MOST])
    ]
    what = _listed(named) if named else "none waits for a single thing that has a name"
    others = [
        f"{threads_text(number)} {_be(number)} {text}"
        for number, text in (
            (rests.idle, "idle"),
            (rests.in_loop, "in an event loop (idle, or until a user or another server answers)"),
            (rests.parked, "parked (idle, or kept waiting by the program itself)"),
        )
        if number >= 0.05
    ]
    if running >= 0.05:
        others.append(f"{threads_text(running)} {'runs' if _is_one(running) else 'run'}")
    rest = f"; {', '.join(others)}" if others else ""
    return f"of {_total(threads)} at {plural('user', users)}, {what}{rest}"


def threads_text(number: float) -> str:
    """A mean number of threads: whole from 10 on, and if it is nearly whole.

    >>> [threads_text(x) for x in (38.2, 3.98, 2.46, 0.21)]
    ['38', '4', '2.5', '0.2']
    """
    if number >= 10 or abs(number - round(number)) < 0.05:
        return f"{number:,.0f}"
    return f"{number:.1f}"


def _total(threads: float) -> str:
    text = threads_text(threads)
    return "its only thread" if text == "1" else f"its {text} threads"


def _verb(number: float) -> str:
    return "waits " if _is_one(number) else "wait "


def _be(number: float) -> str:
    return "is" if _is_one(number) else "are"


def _is_one(number: float) -> bool:
    return threads_text(number) == "1"


def _listed(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
