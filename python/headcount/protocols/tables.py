"""The tables of workload files that belong to protocols: which exist, which a workload may have."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from pydantic import Field, create_model

from headcount.fields.mistakes import TABLES
from headcount.fields.model import Strict
from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import protocols


@lru_cache(maxsize=1)
def tables_model() -> type[Strict]:
    """A model with a field for each table of any protocol; None if a workload lacks the table."""
    fields: dict[str, Any] = {}
    for protocol in protocols().values():
        for name, table in protocol.tables.items():
            about = f"{table.about} ({_named(whose(name))})"
            fields[name] = (table.model | None, Field(default=None, description=about))
    return create_model("Tables", __base__=Strict, **fields)


def apart(values: Any) -> Any:
    """The keys of a workload file, with its protocol's tables moved into a table of their own."""
    if not isinstance(values, Mapping):
        return values
    if TABLES in values:
        raise ValueError(f"{TABLES}: there is no such key")
    names = tables_model().model_fields
    own = {key: value for key, value in values.items() if key in names}
    return {**{key: value for key, value in values.items() if key not in names}, TABLES: own}


def together(values: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `apart`: the keys of a workload file."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        found |= value if key == TABLES else {key: value}
    return found


def whose(table: str) -> list[str]:
    """The protocols that have a table."""
    return [one.name for one in protocols().values() if table in one.tables]


def check_tables(
    protocol: Protocol, given: Collection[str], steps: Collection[Mapping[str, Any]]
) -> None:
    """Raise ValueError for a table that is another protocol's, or one that these steps need.

    `steps` are the options of all steps.
    """
    for table in given:
        if table not in protocol.tables:
            raise ValueError(f"[{table}] is only for the {_named(whose(table), quoted=True)}")
    is_own = all(step["op"] in protocol.own_ops or protocol.is_own_step(step) for step in steps)
    for group in () if is_own else protocol.needed:
        if group.isdisjoint(given):
            some = " or a ".join(f"[{table}]" for table in protocol.tables if table in group)
            raise ValueError(f'the protocol "{protocol.name}" needs a {some}')


def _named(names: list[str], *, quoted: bool = False) -> str:
    words = [f'"{name}"' if quoted else name for name in names]
    if len(words) == 1:
        return f"protocol {words[0]}"
    return f"protocols {', '.join(words[:-1])} and {words[-1]}"
