"""Counters of other machines in a run: their sources, names and origins."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from headcount.bundle.environment import CounterOrigin
from headcount.counters import address as addresses
from headcount.counters.latest import Latest
from headcount.counters.open import open_far, open_source
from headcount.counters.query import FarQuery
from headcount.counters.source import Source
from headcount.counters.ssh.source import SshSource
from headcount.errors import InputError
from headcount.plan.sources import split_source

SUT = "sut"


@dataclass(frozen=True)
class Opened:
    """Open sources of counters, and the login to the server's machine if one is among them."""

    sources: Sequence[Source] = ()
    server: SshSource | None = None


@contextmanager
def open_sources(
    sources: Sequence[str], *, local: bool, query: FarQuery | None = None
) -> Iterator[Opened]:
    """Open the plan's sources of counters, each read once; they are closed on exit.

    `local` says that the system under test is on this machine, which then has its counters already;
    `query` is its server, which is followed if the system under test is reached over SSH. Raises
    InputError, TargetError or SystemLimitError for the first source that cannot be read.
    """
    with ExitStack() as stack:
        found: list[Source] = []
        server = None
        for name, address in named_addresses(sources, local=local):
            source: Source
            if address.kind == "local":
                source = open_source(address.text, name)
            else:
                far = open_far(address, name, query if name == SUT else None)
                if name == SUT and isinstance(far, SshSource):
                    server = far
                source = Latest(far)
            stack.callback(source.close)
            found.append(source)
        yield Opened(found, server)


def named_addresses(sources: Sequence[str], *, local: bool) -> list[tuple[str, addresses.Address]]:
    """Each source's side in the bundle, and its address.

    Without a name of its own the first source is the system under test, unless that is this
    machine; the others are named after their machine.
    """
    split = [split_source(text) for text in sources]
    parsed = [(name, addresses.parse(address)) for name, address in split]
    taken = {name for name, _ in parsed if name is not None}
    if local and SUT in taken:
        raise InputError(
            f'the name "{SUT}" is taken: the system under test is on this machine, which is '
            "already read; give the source another name, or none"
        )
    found: list[tuple[str, addresses.Address]] = []
    for given, address in parsed:
        name = given
        if name is None:
            name = address.place if local or SUT in taken else SUT
            if name in taken:
                raise InputError(
                    f'two sources of counters have the name "{name}"; give them names, for example '
                    f"--source first={address.text}"
                )
            taken.add(name)
        found.append((name, address))
    return found


def counter_origins(sources: Sequence[Source]) -> list[CounterOrigin]:
    """The origins of other machines' counters, as known now."""
    return [counter_origin(source) for source in sources if isinstance(source, Latest)]


def counter_origin(source: Latest) -> CounterOrigin:
    """The origin of a source's counters, as known now."""
    origin = source.origin
    clock = origin.clock
    return CounterOrigin(
        side=source.name,
        address=origin.address,
        program=origin.program,
        host=origin.host,
        system=origin.system,
        clock_offset_s=None if clock is None else round(clock.seconds, 6),
        clock_error_s=None if clock is None else round(clock.error_s, 6),
    )
