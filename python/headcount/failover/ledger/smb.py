"""Rows in files of an SMB server, in the folder of the data set, which is Headcount's own.

Each writer has a file. A row is its number, at an offset of its own: it was written if that number
is there. Rows that were never written leave zeros.
"""

import struct

from headcount import _engine
from headcount.errors import TargetError
from headcount.failover.ledger.store import Kept

PATIENCE_S = 5.0
"""How long an answer may take: a write that takes longer was not acknowledged."""
ROW = struct.Struct("<Q")
NAME = "writer-"
"""Prefix of a writer's file name; its number follows."""


class SmbStore:
    """A session with an SMB server, as the first user.

    A row is acknowledged when the server has answered WRITE, as for users' files. Nothing is
    flushed.
    """

    def __init__(self, target: str) -> None:
        """Log on to the engine's target (JSON).

        Raises TargetError; InputError if the folder of the data set lacks Headcount's marker.
        """
        self._records = _engine.SmbRecords(target, PATIENCE_S)

    def begin(self) -> None:
        """Make an empty folder."""
        self._records.clear()

    def write(self, writer: int, number: int) -> None:
        """Write a row at its place."""
        self._records.write(f"{NAME}{writer}", (number - 1) * ROW.size, ROW.pack(number))

    def newest(self, writer: int) -> int:
        """The number of the last row; 0 for none."""
        found = self._records.read(f"{NAME}{writer}", ROW.size)
        return int(ROW.unpack(found)[0]) if len(found) == ROW.size else 0

    def kept(self) -> Kept:
        """All rows; raises TargetError for a row that differs from what was written there."""
        names = [name for name in self._records.names() if name.startswith(NAME)]
        return {int(name.removeprefix(NAME)): self._rows(name) for name in names}

    def remove(self) -> None:
        """Delete the folder."""
        self._records.remove()

    def close(self) -> None:
        """Log off; safe to call twice."""
        self._records.close()

    def _rows(self, name: str) -> frozenset[int]:
        found = self._records.read(name)
        whole = len(found) // ROW.size * ROW.size
        rows = set()
        for place, (number,) in enumerate(ROW.iter_unpack(found[:whole]), start=1):
            if number not in (0, place):
                raise TargetError(
                    f"the server damaged what was written: row {place} of {name} says {number}"
                )
            if number:
                rows.add(number)
        return frozenset(rows)
