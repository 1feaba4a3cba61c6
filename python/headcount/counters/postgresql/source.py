"""PostgreSQL's own figures: who waits for what, transactions, blocks and the write-ahead log.

Views: https://www.postgresql.org/docs/current/monitoring-stats.html. Their sums are up to a second
behind, since a backend reports at most once a second.
"""

import time
from collections.abc import Mapping

from headcount import _engine
from headcount.counters.source import Sample
from headcount.errors import HeadcountError

PATIENCE_S = 0.5
"""A busy server may not answer in time; then this second has no figures."""
PAUSE_S = 5.0
"""Time until the next logon after a server has not answered: a logon costs it a process and some
milliseconds of CPU time."""

_WAITS = {
    "lock": "('Lock')",
    "lwlock": "('LWLock', 'BufferPin')",
    "io": "('IO')",
    "client": "('Client')",
    "other": "('IPC', 'Timeout', 'Extension', 'Activity')",
}
_LOCKS = {
    "row": "('transactionid', 'tuple', 'speculative token')",
    "advisory": "('advisory')",
    "relation": "('relation', 'extend', 'page')",
}
"""The objects of locks, by their wait events."""
_CLIENTS = "backend_type = 'client backend'"
_ACTIVE = f"{_CLIENTS} AND state = 'active' AND pid <> pg_backend_pid()"
_ACTIVITY = {
    "postgresql.backends": f"count(*) FILTER (WHERE {_CLIENTS})",
    "postgresql.connection.max": "current_setting('max_connections')",
    "postgresql.backends.active": f"count(*) FILTER (WHERE {_ACTIVE})",
    **{
        f"postgresql.backends.waiting{{postgresql.wait={kind}}}": (
            f"count(*) FILTER (WHERE {_ACTIVE} AND wait_event_type IN {types})"
        )
        for kind, types in _WAITS.items()
    },
    **{
        f"postgresql.locks.waiting{{postgresql.lock={kind}}}": (
            f"count(*) FILTER (WHERE {_ACTIVE} AND wait_event_type = 'Lock' "
            f"AND wait_event IN {events})"
        )
        for kind, events in _LOCKS.items()
    },
}
_DATABASES = {
    "postgresql.commits": "sum(xact_commit)",
    "postgresql.rollbacks": "sum(xact_rollback)",
    "postgresql.deadlocks": "sum(deadlocks)",
    "postgresql.blocks_read": "sum(blks_read)",
    "postgresql.blocks_hit": "sum(blks_hit)",
    "postgresql.temp.io": "sum(temp_bytes)",
}
_LOG = {"postgresql.wal.io": "wal_bytes"}
_SYNCS = {"postgresql.wal.syncs": "wal_sync"}
_CHECKPOINTS = {"postgresql.checkpoints": "checkpoints_timed + checkpoints_req"}
_CHECKPOINTER = {"postgresql.checkpoints": "num_timed + num_requested"}


def questions(version: int) -> list[tuple[str, Mapping[str, str]]]:
    """Views and what is asked of them, by counter, of a major version."""
    asked: list[tuple[str, Mapping[str, str]]] = [
        ("pg_stat_activity", _ACTIVITY),
        ("pg_stat_database", _DATABASES),
    ]
    if version >= 14:
        asked.append(("pg_stat_wal", _LOG if version >= 18 else _LOG | _SYNCS))
    checkpointer = version >= 17
    asked.append(
        ("pg_stat_checkpointer", _CHECKPOINTER)
        if checkpointer
        else ("pg_stat_bgwriter", _CHECKPOINTS)
    )
    return asked


class PostgresqlSource:
    """Counters of a PostgreSQL server, asked for each second over one session.

    Args:
        target: Address and user, as in the engine's target (JSON). Any role may query; one without
            rights sees less.
        name: Whose counters these are.

    """

    def __init__(self, target: str, name: str = "server") -> None:
        """Log on with the first sample."""
        self.name = name
        self._target = target
        self._session: _engine.SqlSession | None = None
        self._version = 0
        self._due_s = float("-inf")
        self._previous: tuple[float, dict[str, float]] | None = None

    def sample(self) -> Sample:
        """Query now; empty if the server does not answer."""
        at_s = time.monotonic()
        if at_s < self._due_s:
            return Sample(at_s)
        try:
            figures = self._figures()
        except (HeadcountError, ValueError):
            self.close()
            self._due_s = at_s + PAUSE_S
            return Sample(at_s)
        values = {name: figures[name] for name in _ACTIVITY if name in figures}
        totals = {name: value for name, value in figures.items() if name not in _ACTIVITY}
        if self._previous is not None:
            values |= _rates(at_s - self._previous[0], self._previous[1], totals)
        self._previous = (at_s, totals)
        return Sample(at_s, values)

    def _figures(self) -> dict[str, float]:
        """Log on if needed, and query."""
        if self._session is None:
            self._session = _engine.SqlSession(self._target, PATIENCE_S)
            ((number,),) = self._session.ask("SHOW server_version_num")
            self._version = int(number or 0) // 10_000
        return _statistics(self._session, self._version)

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
        self._session = self._previous = None


def _statistics(session: _engine.SqlSession, version: int) -> dict[str, float]:
    """Query everything at once: one round trip, in one transaction."""
    asked = questions(version)
    # The SQL has no external input.
    text = ";".join(f"SELECT {', '.join(what.values())} FROM {view}" for view, what in asked)  # noqa: S608
    rows = session.ask(text)
    return {
        name: float(value)
        for (_, what), row in zip(asked, rows, strict=True)
        for name, value in zip(what, row, strict=True)
        if value is not None
    }


def _rates(
    elapsed_s: float, before: Mapping[str, float], now: Mapping[str, float]
) -> dict[str, float]:
    grown = {name: now[name] - before[name] for name in now if name in before}
    if elapsed_s <= 0 or not grown or min(grown.values()) < 0:
        return {}  # the statistics were reset
    return {name: value / elapsed_s for name, value in grown.items()}
