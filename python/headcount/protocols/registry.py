"""Which protocols there are: those of Headcount, and those of installed packages."""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules, resolve_name
from types import MappingProxyType

from headcount import protocols as package
from headcount.errors import InputError
from headcount.installed import added, refusal
from headcount.lab.server import Server
from headcount.protocols.protocol import Protocol, Scheme


@lru_cache(maxsize=1)
def protocols() -> Mapping[str, Protocol]:
    """All protocols by their names: the modules of this package with a `PROTOCOL`, and others'.

    Raises InputError for an installed package whose protocol cannot be loaded.
    """
    names = (module.name for module in iter_modules(package.__path__, f"{package.__name__}."))
    ours = (getattr(import_module(name), "PROTOCOL", None) for name in names)
    others = added("protocols", "protocol", Protocol).values()
    return MappingProxyType({one.name: one for one in (*ours, *others) if one is not None})


def protocol_of(name: str) -> Protocol:
    """The protocol of this name; raises KeyError if there is none."""
    return protocols()[name]


def schemes() -> Mapping[str, tuple[Protocol, Scheme]]:
    """The schemes of targets, and the protocols they stand for."""
    return {
        word: (one, scheme) for one in protocols().values() for word, scheme in one.schemes.items()
    }


def labs() -> Mapping[str, Protocol]:
    """Lab servers and the protocols they speak; a protocol's first one supports all of it.

    Raises InputError for an installed package whose server speaks none of them.
    """
    ours = {name: one for one in protocols().values() for name in one.labs}
    others = {}
    for name, server in _added_labs().items():
        its_protocol = protocols().get(getattr(server, "protocol", ""))
        if its_protocol is None:
            why = f"its protocol must be one of {', '.join(protocols())}"
            raise refusal("lab_servers", name, "lab server", why)
        others[name] = its_protocol
    return {**others, **ours}


def _added_labs() -> Mapping[str, type[Server]]:
    return added("lab_servers", "lab server", type)


def lab_server(name: str) -> type[Server]:
    """The class of a lab server; raises InputError if there is none of this name."""
    known = labs()
    if name not in known:
        raise InputError(f'the lab has no server "{name}"; it has: {", ".join(known)}')
    if name not in known[name].labs:
        return _added_labs()[name]
    found: type[Server] = resolve_name(known[name].labs[name])
    return found


def start_lab(name: str, settings: Mapping[str, str]) -> Server:
    """Start a lab server on a free loopback port.

    Raises InputError for settings it does not have, SystemLimitError when it cannot run here.
    """
    return lab_server(name)(settings)


def lab_target(protocol: Protocol) -> str:
    """The lab target that supports all of a protocol."""
    if protocol.parts is not None:
        return "+".join(lab_target(protocol_of(part)) for part in protocol.parts)
    return f"lab:{next(iter(protocol.labs))}"


def plays(protocol: str, wanted: str) -> bool:
    """Whether a target that speaks one protocol can be given a workload made for another."""
    if protocol == wanted:
        return True
    family = protocol_of(protocol).family
    return family is not None and family == protocol_of(wanted).family


def forms(protocol: str) -> str:
    """The forms of the targets on which a workload of this protocol runs."""
    its = protocol_of(protocol)
    others = (one for one in protocols().values() if one is not its and plays(one.name, protocol))
    return " or ".join(one.form for one in (its, *others))
