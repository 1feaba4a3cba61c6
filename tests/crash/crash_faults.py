"""What goes wrong, and at which call: drawn from a seed, so that a seed repeats it."""

import errno
import os
from dataclasses import dataclass
from random import Random


class Crash(BaseException):
    """The process is gone. No `except Exception` and no `suppress(OSError)` catches this."""


ERRORS = {"disk full": errno.ENOSPC, "disk fails": errno.EIO}
KILLS = ("killed before", "killed after", "killed within", "power cut")
KINDS = (*ERRORS, "short write", *KILLS)


@dataclass(frozen=True, slots=True)
class Fault:
    """One of `KINDS` at a call, counted from 1.

    Attributes:
        kind: What happens.
        at: At which call; an error that this call cannot have, at the next that can.
        share: How much of a write is done, from 0 to 1.
        stays: Whether a disk that is full, or fails, stays so.

    """

    kind: str
    at: int
    share: float
    stays: bool


def drawn(random: Random, calls: int) -> Fault:
    """A fault at one of this many calls: more often at the first, because all begin with those."""
    return Fault(
        random.choice(KINDS),
        1 + int(calls * random.random() ** random.choice((1, 2, 4))),
        random.random(),
        random.random() < 0.5,
    )


class Faults:
    """The calls of a process, one of which goes wrong.

    Attributes:
        calls: How many were made.
        fired: Whether it has gone wrong.

    """

    def __init__(self) -> None:
        self.start(None)

    def start(self, fault: Fault | None) -> None:
        """Begin a process; None: nothing goes wrong in it."""
        self._fault = fault
        self.calls = 0
        self.fired = False
        self._is_dead = self._is_full = False
        self._call = ""

    def before(self, call: str, *, allocates: bool = False) -> None:
        """Come to a call; raises what it raises."""
        if self._is_dead:
            raise Crash
        self.calls += 1
        self._call = call
        fault = self._fault
        if fault is None or self.calls < fault.at or (self.fired and not fault.stays):
            return
        if fault.kind in ERRORS and call != "write":
            if allocates or fault.kind == "disk fails":
                self.fired = True
                raise self._error(fault)
        elif fault.kind in ("killed before", "power cut") and not self.fired:
            self._die()

    def writing(self, length: int) -> tuple[int, OSError | None]:
        """How many bytes of a write are done, and the error after them."""
        fault = self._fault
        if fault is None or self.calls < fault.at or (self.fired and not fault.stays):
            return length, None
        part = int(length * fault.share)
        if fault.kind in ERRORS:
            if fault.kind == "disk full" and part and not self._is_full:
                self._is_full = True  # what still fits is written, and the next write fails
                return part, None
            self.fired = True
            return 0, self._error(fault)
        if fault.kind == "short write" and not self.fired:
            self.fired = True
            return max(part, 1), None
        return (part, None) if fault.kind == "killed within" else (length, None)

    def after(self) -> None:
        """Leave a call."""
        fault = self._fault
        if fault is None or self.fired or self.calls < fault.at:
            return
        if fault.kind == "killed after" or (
            fault.kind == "killed within" and self._call == "write"
        ):
            self._die()

    def _die(self) -> None:
        self.fired = self._is_dead = True
        raise Crash

    @staticmethod
    def _error(fault: Fault) -> OSError:
        number = ERRORS[fault.kind]
        return OSError(number, os.strerror(number))
