"""Statements of a database client, beside pgbench with the same statement."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from bench import sql
from bench.gate.item import OURS, Item, Metric, Sides
from headcount.lab.postgresql import PostgresqlServer

MOST_ROUNDS = 5
"""Each takes ten seconds."""


@contextmanager
def _open(statement: str, connections: int) -> Iterator[Sides]:
    server = PostgresqlServer(sql.SETTINGS)
    try:
        sides = sql.Sides(server)
        clients: dict[str, Callable[[str, int], sql.Cost]] = {
            OURS: sides.ours,
            "pgbench": sides.pgbench,
        }
        yield Sides(
            {
                name: partial(_take, client, statement, connections)
                for name, client in clients.items()
            }
        )
    finally:
        server.stop()


def _take(
    client: Callable[[str, int], sql.Cost], statement: str, connections: int
) -> Mapping[str, float]:
    found = client(statement, connections)
    return {"CPU": found.us, "time": 1e6 / found.per_s}


def _item(name: str, statement: str, connections: int) -> Item:
    many = f"{connections:,} connection{'s' if connections > 1 else ''}"
    return Item(
        f"sql-{name.lower()}-{connections}",
        f"{name} by key, {many}",
        (Metric(name="CPU", unit="µs"), Metric(name="time", unit="µs")),
        partial(_open, statement, connections),
        most_rounds=MOST_ROUNDS,
    )


ITEMS = tuple(_item(*case) for case in sql.CASES)
