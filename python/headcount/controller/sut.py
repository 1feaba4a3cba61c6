"""The system under test for the length of a run: started if of the lab, connected, observed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from headcount.bundle.environment import EnvironmentFile
from headcount.controller.access import Access, Prepared, Secrets
from headcount.controller.access.access import NOTHING, Progress, warnings_of
from headcount.controller.access.files import FilesAccess
from headcount.controller.access.open import allowed_target, lab_access, target_access
from headcount.controller.access.pair import PairAccess
from headcount.controller.access.prepare import prepare
from headcount.controller.disclosure import disclose
from headcount.controller.local_server import LocalServer, joined_servers, server_addresses
from headcount.controller.remote_counters import Opened, counter_origins, open_sources
from headcount.controller.run_limits import COLD, limit_settings, run_limits
from headcount.controller.server_found import FarServerFound, check_named
from headcount.counters.generator import GeneratorSource
from headcount.counters.line import LineSource, side_of
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.proc.serving import Place
from headcount.counters.proc.source import HostSource
from headcount.counters.query import FarQuery
from headcount.counters.source import Source
from headcount.counters.views import View, ViewSource, asked_views
from headcount.errors import InputError
from headcount.generator.opening import open_players
from headcount.generator.players import Players
from headcount.lab.kept import Kept
from headcount.lab.node import Node, Nodes, NodeStates, Watched
from headcount.lab.squeeze import Squeeze
from headcount.lab.squeeze.cache import forget
from headcount.lab.squeeze.link import Link
from headcount.plan import gate
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.protocols.pair import split_settings
from headcount.protocols.registry import start_lab
from headcount.protocols.target import Target


@dataclass(frozen=True)
class Sut:
    """A system under test that answers."""

    address: str
    local: bool
    pids: list[int] | None
    access: Access
    lab_settings: Mapping[str, str]
    lab_programs: Mapping[str, str]
    homes: Sequence[Path] = ()
    logs: Mapping[str, Path] = field(default_factory=dict)
    squeeze: Squeeze | None = None
    is_cold: bool = False
    most_users: int = 0
    elsewhere: Sequence[Source] = ()
    server: LocalServer | None = None
    far_server: FarServerFound | None = None
    listens_at: Sequence[str] = ()
    views: Sequence[View] = ()
    is_of_somebody: bool = False
    restart: Callable[[], None] | None = None
    forgets: bool = False
    nodes: Sequence[Node] = ()
    node_states: NodeStates | None = None
    is_followed: bool = False

    def prepare(self, users: int, on_progress: Progress) -> Prepared:
        """Make the data set: initially that of the whole ladder, before limits are in force.

        It is not left in memory if limits are to be felt.
        """
        first = self.squeeze is not None and not self.squeeze.is_enforced
        number = max(users, self.most_users) if first else users
        prepared = prepare(self.access, number, on_progress)
        if self.is_cold and (first or prepared != NOTHING):
            for home in self.homes:
                forget(home)
        if first and self.squeeze is not None:
            self.squeeze.enforce()
        return prepared

    @contextmanager
    def generating(self) -> Iterator[None]:
        """Threads that start within the block are the generator's."""
        with self.squeeze.generating() if self.squeeze else nullcontext():
            yield

    def sources(self) -> list[Source]:
        """The available counters of both sides."""
        places = [Place.of(one) for one in self.listens_at]
        sources: list[Source] = [GeneratorSource("generator", places)]
        if self.server is not None:
            sources.append(self.server.source("sut"))
        elif self.pids is not None and self.is_followed:
            sources.append(ServerSource("sut", partial(list, self.pids)))
        elif self.local:
            sources.append(HostSource("sut", pids=self.pids))
        if self.squeeze is not None and self.squeeze.link is not None:
            sources += _line_sources(self.squeeze.link)
        sources += self.elsewhere
        own = self.access.source()
        if self.views:
            own = ViewSource(self.views, own)
        return [*sources, own] if own is not None else sources

    def players(self, plan: Plan) -> Players:
        """What plays a plan's users on it, with no users yet."""
        target = self.access.engine_target()
        return open_players(plan, target, self.listens_at, self.users_addresses)

    @property
    def users_addresses(self) -> Sequence[str]:
        """Addresses of users: those on no line, then those on each; empty without lines."""
        if self.squeeze is None or self.squeeze.link is None or not self.squeeze.link.lines:
            return ()
        return self.squeeze.link.users_addresses

    def viewed_by(self, views: Sequence[View]) -> "Sut":
        """The same system with these views of itself."""
        return replace(self, views=views)

    @property
    def found(self) -> LocalServer | FarServerFound | None:
        """What was found of a server that somebody else started; None if it was not looked for."""
        return self.server or self.far_server

    @property
    def sentences(self) -> Sequence[str]:
        """For the person who starts a run: which server was found, and what to beware of."""
        found = () if self.found is None else (self.found.sentence(),)
        return (*found, *warnings_of(self.access))

    def environment(self, target: str) -> EnvironmentFile:
        """The disclosure."""
        settings = {**self.access.settings, **self.lab_settings}
        programs = {**self.access.programs, **self.lab_programs}
        paths = [Path(self.address)] if isinstance(self.access, FilesAccess) else []
        return disclose(
            target,
            local=self.local,
            programs=programs,
            settings=settings,
            paths=paths,
            counters=counter_origins(self.elsewhere),
            server=self.found.disclosed() if self.found is not None else None,
        )


@contextmanager
def connect(
    plan: Plan,
    secrets: Secrets,
    needed: frozenset[str] = frozenset(),
    named: Named = NOBODY,
) -> Iterator[Sut]:
    """Connect to the plan's target, or to both if two are joined, and to sources of counters.

    Lab servers are started, and stopped on exit together with their data. They are in a control
    group of their own if possible, with the plan's limits; `needed` are controllers of limits that
    come later (`Squeeze.limit`); `named` is the user's description of the server, on this machine
    or where its counters come from over SSH.
    """
    is_lab = targets.parse(plan.target).lab is not None
    with ExitStack() as stack:
        # A source that cannot be read is an error before a server is started for it.
        opened = Opened()
        if is_lab:
            opened = stack.enter_context(open_sources(plan.sources, local=True))
        sut = stack.enter_context(_squeezed(plan, secrets, needed))
        if named and sut.local:
            sut = replace(sut, server=_named(sut, named))
        if not is_lab:
            query = FarQuery(tuple(Place.of(one) for one in sut.listens_at), named)
            opened = stack.enter_context(open_sources(plan.sources, local=sut.local, query=query))
        far = None
        if opened.server is not None:
            far = FarServerFound(sut.listens_at, opened.server, named)
            check_named(named, opened.server.found)
        elif named and not sut.local:
            raise InputError(
                f"{named.options[0]} names a server on this machine or on one that is reached over "
                "SSH, and this target is on another: add --source ssh://USER@HOST"
            )
        views = asked_views(plan.views)
        sut = replace(sut, elsewhere=opened.sources, far_server=far)
        yield replace(sut, views=views, is_of_somebody=not is_lab)


@contextmanager
def _squeezed(plan: Plan, secrets: Secrets, needed: frozenset[str]) -> Iterator[Sut]:
    if targets.parse(plan.target).lab is None:
        with _connect(plan, secrets) as sut:
            yield sut
        return
    squeeze = Squeeze(run_limits(plan.limits, plan.lines), needed)
    try:
        with squeeze.starting(), _connect(plan, secrets) as sut:
            squeeze.hold(sut.pids or [], sut.homes[0])
            is_cold = not COLD.isdisjoint(plan.limits)
            yield replace(
                sut,
                restart=_held_again(sut, squeeze),
                squeeze=squeeze,
                is_cold=is_cold,
                most_users=max(plan.levels, default=0),
                lab_settings={**sut.lab_settings, **limit_settings(plan.limits, plan.lines)},
            )
    finally:
        squeeze.close()


def _line_sources(link: Link) -> list[Source]:
    """The counters of the lines that carry packets."""
    found = [LineSource(link.figures)] if link.line else []
    own = (LineSource(way.figures, side_of(name)) for name, way in link.lines.items() if way.line)
    return [*found, *own]


def _held_again(sut: Sut, squeeze: Squeeze) -> Callable[[], None] | None:
    """A restart that puts the server back into its group."""
    restart = sut.restart
    if restart is None:
        return None

    def restarted() -> None:
        restart()
        squeeze.hold(sut.pids or [], sut.homes[0])

    return restarted


@contextmanager
def _connect(plan: Plan, secrets: Secrets) -> Iterator[Sut]:
    both = targets.parse(plan.target).both
    if both is None:
        with _connect_one(plan, secrets) as sut:
            yield sut
        return
    second = both[1].protocol
    clients = split_settings(plan.client, second)
    servers = split_settings(plan.server, second)
    with ExitStack() as parts:
        suts = [
            parts.enter_context(_connect_one(_part(plan, target, client, server), its_secrets))
            for target, client, server, its_secrets in zip(
                both, clients, servers, (secrets, secrets.of_second), strict=True
            )
        ]
        yield _joined(*suts)


def _part(plan: Plan, target: Target, client: dict[str, str], server: dict[str, str]) -> Plan:
    return plan.model_copy(update={"target": target.text, "client": client, "server": server})


def _named(sut: Sut, named: Named) -> LocalServer:
    """The server that the user named."""
    if sut.server is None:
        raise InputError(
            f"{named.options[0]} names a server that you started on this machine; this target's "
            "processes are known"
        )
    server = replace(sut.server, named=named)
    check_named(named, server.first)
    return server


def _joined(first: Sut, second: Sut) -> Sut:
    pids = [*(first.pids or []), *(second.pids or [])]
    return Sut(
        f"{first.address} and {second.address}",
        first.local and second.local,
        pids or None,
        PairAccess(first.access, second.access),
        {**first.lab_settings, **second.lab_settings},
        {**first.lab_programs, **second.lab_programs},
        [*first.homes, *second.homes],
        {**first.logs, **second.logs},
        server=joined_servers(first.server, second.server, pids),
        listens_at=[*first.listens_at, *second.listens_at],
    )


@contextmanager
def _connect_one(plan: Plan, secrets: Secrets) -> Iterator[Sut]:
    """Start the server if it is of the lab, check that the load is allowed, say hello.

    A lab server is stopped, and its data deleted, on exit.
    """
    target = targets.parse(plan.target)
    if target.lab is not None:
        server = start_lab(target.lab, plan.server)
        try:
            access = lab_access(plan, server)
            lab_settings, programs = server.settings, server.programs
            pids = server.pids or None
            own = ([server.home], server.logs)
            restart = server.restart if isinstance(server, Kept) else None
            forgets = isinstance(server, Kept) and server.forgets
            nodes = server.nodes if isinstance(server, Nodes) else ()
            yield Sut(
                *(server.address, True, pids, access, lab_settings, programs, *own),
                restart=restart,
                forgets=forgets,
                nodes=nodes,
                node_states=server.node_states if isinstance(server, Watched) else None,
            )
        finally:
            server.stop()
        return
    if target.folder is not None:
        files = FilesAccess(plan, target.folder)
        yield Sut(target.folder, not files.place.is_remote, None, files, {}, {})
        return
    target = allowed_target(plan, target)
    address = target.addresses[0]
    access = target_access(plan, target, secrets)
    # Counters that the user named by the machine's name are not read twice.
    local = gate.is_loopback(address) or (not plan.sources and gate.is_own(address))
    listens_at = server_addresses(plan, target, address)
    found = LocalServer(listens_at) if local else None
    pids = [access.pid] if local and access.pid is not None else None
    if found is not None and not found.first.pids and access.pid is not None:
        found = replace(found, named=Named(pids=(access.pid,), by="named by itself"))
    if found is not None and pids is None:
        pids = list(found.first.pids) or None
    reached = [((target.host, target.port), target.addresses), *target.others.items()]
    where = {f"{host}:{port} is at": ", ".join(at) for (host, port), at in reached}
    yield Sut(address, local, pids, access, where, {}, server=found, listens_at=listens_at)
