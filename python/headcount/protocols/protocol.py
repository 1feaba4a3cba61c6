"""What everything outside the engine asks of a protocol, in one record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from headcount.errors import InputError
from headcount.fields.model import Strict
from headcount.protocols.target import Place, Target

Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of workload files.

    Attributes:
        model: What it may hold.
        about: What it is, for people.

    """

    model: type[Strict]
    about: str


@dataclass(frozen=True, slots=True)
class Scheme:
    """The scheme of a protocol's addresses.

    Attributes:
        port: The default port.
        is_tls: Whether they ask for TLS.

    """

    port: int | None = None
    is_tls: bool = False


def nowhere(text: str, path: str, form: str) -> Place:
    """A server without places: nothing follows its port."""
    if path:
        raise InputError(f'the target "{text}": nothing may follow the port; it looks like {form}')
    return Place()


def no_keys(protocol: str) -> Callable[[Settings], Strict]:
    """Read the `[client]` of a protocol that has none."""

    def read(given: Settings) -> Strict:
        if given:
            raise InputError(f'the protocol "{protocol}" has no [client] keys (--client, --user)')
        return Strict()

    return read


def any_client(_target: Target, _given: Settings, _server: Settings) -> None:
    """Every `[client]` that can be read fits every target."""


def at_its_address(_given: Settings) -> tuple[str, int | None] | None:
    """Connections go to the address of the target's name."""
    return None


def no_others(_given: Settings) -> Sequence[tuple[str, int]]:
    """Users speak to the target alone."""
    return ()


def no_own_step(_options: Mapping[str, Any]) -> bool:
    """Only the operation determines what a step needs."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """A protocol. The engine has the same name for it.

    Attributes:
        name: As workloads name it.
        form: What its targets look like.
        schemes: How its addresses begin.
        labs: Its lab servers, by their names, and their classes (`module:class`, of
            :class:`~headcount.lab.server.Server`); the first supports all of the protocol.
        access: The module that speaks to its servers apart from the load: `of_lab(plan, server)`
            and `of_target(plan, target, secrets)` return a
            :class:`~headcount.controller.access.access.Access`. Empty for users of two servers:
            each is spoken to as its own protocol says.
        ledger: The class that writes numbered rows at its servers and reads them back
            (`module:class`, of :class:`~headcount.failover.ledger.store.Store`); empty if there
            is none.
        usual_workload: The workload whose data set `cleanup` looks for.
        place: Reads what follows the port of an address: the target, the path, the form.
        client: Reads `[client]`; raises InputError with every mistake in it.
        fits: Raises InputError if `[client]` does not fit the target or the lab's `[server]`.
        family: Protocols of one family play the same steps on the same data.
        tables: The tables of a workload that belong to it, by their names.
        needed: Groups of these names: a workload needs one of each group.
        own_ops: Operations that need none of these tables, because steps state all of it.
        is_own_step: The same for steps whose need depends on their options, too.
        handles: Most handles (files, connections) that a user holds at once.
        are_files: Whether handles are files, not connections.
        log_on: Who needs a password: all users, those with a name in `[client]`, or any that the
            server asks for one.
        others: Other addresses of the same server that `[client]` names, as host and port.
        connects: Where connections go instead of the target's host, as host and port (None: the
            target's), if `[client]` says so.
        has_logins: Whether each user may have a name and a password of its own.
        is_clean: Whether a run leaves nothing behind on a server that is not the lab's.
        has_transactions: Whether steps can be a transaction.
        parts: The protocols of the two servers that its users speak to.

    """

    name: str
    form: str
    usual_workload: str
    access: str = ""
    ledger: str = ""
    schemes: Mapping[str, Scheme] = field(default_factory=dict)
    labs: Mapping[str, str] = field(default_factory=dict)
    place: Callable[[str, str, str], Place] = nowhere
    client: Callable[[Settings], Strict]
    fits: Callable[[Target, Settings, Settings], None] = any_client
    family: str | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    needed: tuple[frozenset[str], ...] = ()
    own_ops: frozenset[str] = frozenset()
    is_own_step: Callable[[Mapping[str, Any]], bool] = no_own_step
    handles: int = 1
    are_files: bool = False
    log_on: Literal["all", "named", "any"] = "any"
    others: Callable[[Settings], Sequence[tuple[str, int]]] = no_others
    connects: Callable[[Settings], tuple[str, int | None] | None] = at_its_address
    has_logins: bool = False
    is_clean: bool = False
    has_transactions: bool = False
    parts: tuple[str, str] | None = None
