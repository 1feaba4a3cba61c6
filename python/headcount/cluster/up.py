"""Starting a cluster of Ray on machines that are logged in to, which need nothing but Python."""

import datetime as dt
import posixpath
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

from headcount import __version__
from headcount.cluster import ports, ray_node, state
from headcount.cluster.certificates import Authority
from headcount.cluster.down import end, name_of
from headcount.cluster.far.files import PYTHON, RUN
from headcount.cluster.hosts import HostsFile
from headcount.cluster.hosts import name_of as cluster_name
from headcount.cluster.login import Login
from headcount.cluster.looks import Place, cpus_of, members, places, ports_of, taken_ports
from headcount.cluster.machines import Machines
from headcount.cluster.progress import Progress
from headcount.cluster.shipping import Build
from headcount.cluster.state import ClusterState, NodeState
from headcount.errors import SystemLimitError
from headcount.secret_text import learn

START_S = 90.0
JOIN_S = 60.0
"""How long the head may take to know all nodes."""
TRY_S = 180.0
"""How long a host may take to import a new build, which it compiles then."""
TEMP = "/tmp/hc-"  # noqa: S108 - paths of sockets may have 107 characters, and Ray needs 60
IMPORTS = "import headcount._engine, headcount.cluster.actor"

Note = Callable[[str], None]


class Up:
    """A cluster that starts.

    Args:
        path: The file of hosts.
        hosts: What it says.
        note: Takes lines of progress; any thread calls it.

    """

    def __init__(self, path: Path, hosts: HostsFile, note: Note) -> None:
        """Start nothing yet; raises InputError if the cluster is up, or Ray is missing."""
        self.name = cluster_name(path, hosts)
        self._hosts, self._note = hosts, note
        if self.name in state.names():
            raise state.known_error(self.name)
        self._build = Build()
        self._had_build = False
        self._days = dt.timedelta(days=hosts.cluster.days)

    def start(self) -> ClusterState:
        """Start all of it, or nothing; raises HeadcountError."""
        with Machines(members(self._hosts)) as machines:
            found = places(self._hosts, machines)
            for one in found:
                check_place(one, found[0])
                self._note(f"{one.name}: Python {one.look['python']}, {one.look['cpus']} CPUs")
            cluster = ClusterState(
                name=self.name,
                version=__version__,
                build_hash=self._build.hash,
                head=_head(self._hosts, found),
                expires_s=time.time() + self._days.total_seconds(),
                is_up=False,
                nodes=[self._node(one) for one in found],
                hosts=self._hosts,
            )
            for node in cluster.nodes:
                if (lack := ports.lack(node.ports, node.cpus)) is not None:
                    raise SystemLimitError(f"{name_of(node)}: {lack}")
            state.save_new(cluster)  # another `up` may have begun meanwhile
            try:
                cluster = self._start(cluster, found, machines)
            except BaseException as error:
                self._undo(cluster, error)
                raise
        return cluster

    def _start(self, cluster: ClusterState, found: list[Place], machines: Machines) -> ClusterState:
        nodes = cluster.nodes
        machines.all(lambda number, login: login.ask("prepare", folder=nodes[number].folder))
        far = [one for one in found if one.host is not None]
        # Two hosts may be one machine, which gets the build only once. Containers of one machine
        # look alike, but have folders of their own.
        kinds = {(one.look["boot"], one.look["user"]): one.number for one in reversed(far)}
        first = sorted(kinds.values())
        others = [one.number for one in far if one.number not in first]
        self._had_build = any(
            machines.all(
                lambda number, login: self._has_build(nodes[number], login), first
            ).values()
        )
        for numbers in (first, others):
            machines.all(
                lambda number, login: self._send(nodes[number], found[number], login), numbers
            )
        token = secrets.token_hex(32)
        learn(token)
        authority = Authority(self.name, self._hosts.cluster.days, dt.datetime.now(dt.UTC))

        def start(number: int, login: Login) -> None:
            node = nodes[number]
            names = [node.ip, found[number].look["hostname"]]
            certificate = authority.certificate(found[number].name, names)
            login.ask(
                "start",
                START_S + 30,
                run=node.run,
                temp=node.temp,
                line=ray_node.command(node, cluster.head),
                environment=ray_node.environment(node),
                files=ray_node.files(node, token, authority.text, certificate),
                longest_s=START_S,
            )
            self._note(f"{login.name}: Ray is up")

        head = next(number for number, one in enumerate(nodes) if one.is_head)
        machines.all(start, [head])
        machines.all(start, [number for number in range(len(nodes)) if number != head])
        machines.all(lambda _, login: self._check_joined(cluster, login), [head])
        cluster = cluster.model_copy(update={"is_up": True})
        state.save(cluster)
        return cluster

    def _node(self, place: Place) -> NodeState:
        """The state that a machine will have."""
        host, folder = place.host, posixpath.join(place.look["folder"], self.name)
        build = posixpath.join(folder, self._build.hash) if host is not None else None
        own = secrets.token_hex(6)
        return NodeState(
            address=None if host is None else host.address,
            ip=place.ip,
            is_head=place.is_head,
            cpus=cpus_of(host, place.look["cpus"]),
            ports=ports_of(self._hosts, host),
            python=None if host is None else host.python,
            folder=folder,
            build=build,
            run=posixpath.join(folder, f"{RUN}{own}"),
            temp=f"{TEMP}{own}",
            program=posixpath.join(build, PYTHON) if build else sys.executable,
        )

    def _send(self, node: NodeState, place: Place, login: Login) -> None:
        """Send a machine this build, unless it has it; then test it."""
        if self._has_build(node, login):
            self._note(f"{place.name}: has this build of Headcount already")
        else:
            progress = Progress(place.name, self._build.size_bytes, self._note)
            login.send(self._build, node.folder, place.look["program"], progress.add)
            progress.end()
        line = [node.program, "-P", "-c", IMPORTS]
        tried = login.ask("run", TRY_S + 10, line=line, environment={}, longest_s=TRY_S)
        if tried["code"] != 0:
            last = (tried["err"].strip().splitlines() or ["no message"])[-1]
            raise SystemLimitError(
                f"{place.name} cannot load this build of Headcount: {last}; it needs the same "
                "kind of Linux as this machine"
            )

    def _has_build(self, node: NodeState, login: Login) -> bool:
        return bool(login.ask("has_build", folder=node.folder, build=self._build.hash))

    def _check_joined(self, cluster: ClusterState, login: Login) -> None:
        """Wait until the head knows all nodes; raises SystemLimitError."""
        node, wanted = cluster.head_node, {one.ip for one in cluster.nodes}
        end_s = time.monotonic() + JOIN_S
        missing = wanted
        while time.monotonic() < end_s:
            line = [node.program, "-P", "-c", ray_node.LIST, cluster.head]
            ran = login.ask(
                "run", JOIN_S + 10, line=line, environment=ray_node.access(node), longest_s=JOIN_S
            )
            alive = [ip for ip, _, is_alive, _ in ray_node.nodes_in(ran["out"]) if is_alive]
            missing = wanted - set(alive)
            if not missing and len(alive) >= len(cluster.nodes):
                return
            time.sleep(0.5)
        names = ", ".join(name_of(one) for one in cluster.nodes if one.ip in missing)
        raise SystemLimitError(
            f"the head does not see {names or 'all hosts'} within {JOIN_S:g} s: open ports "
            f"{cluster.head.rpartition(':')[2]} and {node.ports} between all of them"
        )

    def _undo(self, cluster: ClusterState, error: BaseException) -> None:
        why = "interrupted" if isinstance(error, KeyboardInterrupt) else "it failed"
        self._note(f"{why}: ending what was started")
        for one in end(cluster, self._note, keep_files=self._had_build):
            self._note(f"{name_of(one.node)}: {one.why}; there: {one.remedy}")


def check_place(place: Place, first: Place) -> None:
    """Raise SystemLimitError if a machine cannot be part of a cluster."""
    if place.look["architecture"] != first.look["architecture"]:
        raise SystemLimitError(
            f"{place.name} has {place.look['architecture']} CPUs, and {first.name} "
            f"{first.look['architecture']}: all machines of a cluster must have the same kind"
        )
    if (taken := taken_ports(place)) is not None:
        raise SystemLimitError(
            f"{place.name}: another program uses port {taken}; end it, or choose others with "
            "port = and ports = in the hosts file"
        )


def _head(hosts: HostsFile, found: list[Place]) -> str:
    ip = next(one.ip for one in found if one.is_head)
    return f"[{ip}]:{hosts.cluster.port}" if ":" in ip else f"{ip}:{hosts.cluster.port}"
