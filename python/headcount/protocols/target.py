"""A target: the address of the system under test, taken apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """What a target names on its server.

    Attributes:
        share: The share of a file server, or a pattern of shares.
        folder: Where files of this machine are.
        database: The database of a database server.

    """

    share: str | None = None
    folder: str | None = None
    database: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where the system under test is.

    Attributes:
        text: The target as given.
        protocol: The protocol that the workload uses.
        lab: The lab server, if it is one.
        host: Its name or address; None for a lab server, which gets one when it starts.
        port: Its port; None where `host` is.
        share: See :class:`Place`.
        folder: See :class:`Place`.
        settings: Those of a lab server that were given with its name.
        database: See :class:`Place`.
        both: The two targets of a joined one; host and lab are those of the first.
        is_tls: Whether the address itself asks for TLS.
        addresses: Where `host` leads, as `ip:port`, once that was resolved and load allowed there.
        others: The same for other servers that its users speak to, by their host and port.

    """

    text: str
    protocol: str
    lab: str | None
    host: str | None
    port: int | None
    share: str | None = None
    folder: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    database: str | None = None
    both: "tuple[Target, Target] | None" = None
    is_tls: bool = False
    addresses: tuple[str, ...] = ()
    others: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict, hash=False)
