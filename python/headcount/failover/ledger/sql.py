"""Rows in a table of PostgreSQL, in Headcount's own schema."""

from headcount import _engine
from headcount.failover.ledger.store import Kept

PATIENCE_S = 5.0
"""How long an answer may take: a write that takes longer was not acknowledged."""
TABLE = "headcount.ledger"


class SqlStore:
    """A session with a database.

    It commits as the users do: with the server's own `synchronous_commit`.
    """

    def __init__(self, target: str) -> None:
        """Log on to the engine's target (JSON); raises TargetError, InputError."""
        self._session = _engine.SqlSession(target, PATIENCE_S)

    def begin(self) -> None:
        """Make an empty table."""
        self._session.ask(
            f"CREATE TABLE IF NOT EXISTS {TABLE} "
            "(writer integer, number bigint, PRIMARY KEY (writer, number))"
        )
        self._session.ask(f"TRUNCATE {TABLE}")

    def write(self, writer: int, number: int) -> None:
        """Insert a row, in a transaction of its own."""
        self._session.ask(f"INSERT INTO {TABLE} VALUES ({writer:d}, {number:d})")  # noqa: S608

    def newest(self, writer: int) -> int:
        """The highest number of a writer; 0 for none."""
        ((number,),) = self._session.ask(
            f"SELECT coalesce(max(number), 0) FROM {TABLE} WHERE writer = {writer:d}"  # noqa: S608
        )
        return int(number or 0)

    def kept(self) -> Kept:
        """All rows."""
        rows = self._session.ask(
            f"SELECT writer, string_agg(number::text, ',') FROM {TABLE} GROUP BY writer"  # noqa: S608
        )
        return {
            int(writer or 0): frozenset(map(int, (numbers or "").split(",")))
            for writer, numbers in rows
        }

    def remove(self) -> None:
        """Drop the table."""
        self._session.ask(f"DROP TABLE IF EXISTS {TABLE}")

    def close(self) -> None:
        """Log off; safe to call twice."""
        self._session.close()
