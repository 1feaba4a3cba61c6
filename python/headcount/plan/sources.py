"""Where counters of other machines come from: names and addresses, as plans have them."""

import re

from headcount.errors import InputError

MOST_SOURCES = 32
"""Most sources of one run; each is a thread and a connection."""
OURS = ("generator", "server", "run", "scenarios", "steps", "tasks", "faults")
"""Sides of a bundle that Headcount makes itself."""
_NAMED = re.compile(r"(?:(?P<name>[A-Za-z0-9][\w.-]*)=)?(?P<address>.+)", re.ASCII)


def split_source(text: str) -> tuple[str | None, str]:
    """Split `name=address`, or an address alone; raises InputError.

    >>> split_source("db=ssh://db1")
    ('db', 'ssh://db1')
    >>> split_source("http://10.0.0.7:9100/metrics?collect[]=cpu")
    (None, 'http://10.0.0.7:9100/metrics?collect[]=cpu')
    """
    match = _NAMED.fullmatch(text)
    if match is None:
        raise InputError(f'the source of counters "{text}" has no address; write it like ssh://db1')
    name = match["name"]
    if name in OURS:
        raise InputError(
            f'a source of counters cannot be called "{name}": Headcount uses that name itself'
        )
    return name, match["address"]


def check_sources(sources: list[str]) -> None:
    """Raise InputError if there are too many, or two of one name."""
    if len(sources) > MOST_SOURCES:
        raise InputError(
            f"there are {len(sources)} sources of counters; at most {MOST_SOURCES} are possible"
        )
    names = [name for name, _ in map(split_source, sources) if name is not None]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f'two sources of counters are called "{twice}"; names must differ')
    if len(set(sources)) < len(sources):
        raise InputError("a source of counters is given twice; give it once")
