"""The catalogue of counters: unit, label and meaning of every name a source can give.

The entries are data: a file for each noun in ``meanings/``. Names are OpenTelemetry's where it
has one (semantic conventions for system, process and network metrics), flattened with the
attributes in braces; the rest are Headcount's own.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from headcount.counters.naming import split_instance

_NOUNS = (
    "cpu",
    "memory",
    "paging",
    "disk",
    "network",
    "pressure",
    "process",
    "cgroup",
    "socket",
    "upstream",
    "windows",
    "app",
    "web",
    "mail",
    "dovecot",
    "sql",
    "samba",
    "haproxy",
    "redis",
    "php_fpm",
    "jvm",
    "agent",
    "line",
    "headcount",
)


class Counter(BaseModel):
    """One family of counters.

    Attributes:
        name: The family's name; see :mod:`headcount.counters.naming`.
        unit: UCUM code; ``"1"`` is a share from 0 to 1, ``"By"`` bytes, ``"{...}"`` a count.
        label: Short name for people, unique in the catalogue.
        meaning: One sentence, two where there is a trap.
        aggregate: The figure of a level to show where there is room for one.
        better: Which way is good for a server that does the same work.
        per: Whether the counter is given for each device, interface or peer as well.

    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str
    unit: str
    label: str
    meaning: str
    aggregate: Literal["mean", "max", "last"]
    better: Literal["lower", "higher", "neither"]
    per: Literal["device", "interface", "peer"] | None = None


@cache
def catalogue() -> Mapping[str, Counter]:
    """Return all counters by family name, in the order of the nouns."""
    folder = files("headcount.counters").joinpath("meanings")
    counters = [
        Counter.model_validate(entry)
        for noun in _NOUNS
        for entry in tomllib.loads(folder.joinpath(f"{noun}.toml").read_text("utf-8"))["counter"]
    ]
    return MappingProxyType({counter.name: counter for counter in counters})


def lookup(name: str) -> Counter | None:
    """Return the entry of a sampled counter, of a device's or interface's too; None if unknown."""
    return catalogue().get(split_instance(name)[0])


def label(name: str) -> str:
    """Return the short name for people of a sampled counter; an unknown one stands for itself.

    >>> label("system.disk.io{disk.io.direction=read,system.device=vda}")
    'Disk read (vda)'
    """
    family, instance = split_instance(name)
    counter = catalogue().get(family)
    if counter is None:
        return name
    return counter.label if instance is None else f"{counter.label} ({instance})"
