"""What installed packages add to Headcount through entry points.

| group, after `headcount.` | the entry point's name | what it leads to |
|---|---|---|
| `protocols` | any | a `Protocol` of `protocols.protocol`, which the engine has |
| `workloads` | the workload's name | the package in which `NAME.toml` lies |
| `lab_servers` | the server's name | a `Server` of `lab.server`; its `protocol` is a name |
| `sources` | the scheme of its addresses | a function of address and name: a `FarSource` |
| `views` | any | a `Kind` of `counters.views.kinds` |
| `knobs` | the file's name, without `.toml` | the package in which `NAME.toml` lies |
| `exports` | the file's ending, without a dot | a function of a `Bundle`: text or bytes |
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from headcount.errors import InputError


@lru_cache
def added(group: str, noun: str, wanted: type[Any]) -> Mapping[str, Any]:
    """The objects behind the entry points of `headcount.GROUP`, by name.

    `noun` is what errors call one, `wanted` its type. Raises InputError for a package whose entry
    point cannot be loaded, or has another type.
    """
    points = entry_points(group=f"headcount.{group}")
    return MappingProxyType({point.name: _loaded(point, noun, wanted) for point in points})


def refusal(group: str, name: str, noun: str, why: str) -> InputError:
    """The error to raise for an entry point whose object cannot be used."""
    (point, *_) = entry_points(group=f"headcount.{group}", name=name)
    return _error(point, noun, why)


def _loaded(point: EntryPoint, noun: str, wanted: type[Any]) -> Any:
    try:
        found = point.load()
    except Exception as error:  # a foreign module may raise anything
        raise _error(point, noun, str(error)) from error
    if not isinstance(found, wanted):
        raise _error(point, noun, f"{point.value} is not a {wanted.__name__}")
    return found


def _error(point: EntryPoint, noun: str, why: str) -> InputError:
    package = point.dist.name if point.dist else point.module
    return InputError(
        f'the {noun} "{point.name}" of the package {package} cannot be loaded: {why}; update or '
        "remove that package"
    )
