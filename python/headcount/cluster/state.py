"""What is known of clusters that are up: files in the user's state folder that only they can read.

A cluster is saved before anything is started, so that `headcount cluster down` finds all of it
whatever happens.
"""

import contextlib
import os
from pathlib import Path

from pydantic import ValidationError

from headcount.cluster.hosts import HostsFile
from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.fields.model import Strict
from headcount.foreign.file import content
from headcount.output.file import raising, write_whole

SUFFIX = ".json"
MOST_BYTES = 16 << 20
FORMAT = 1


class NodeState(Strict):
    """A machine of a cluster.

    Attributes:
        address: Its login; None for the machine on which `up` ran.
        ip: By which the others reach it.
        is_head: Whether the others join it.
        cpus: Given to agents.
        ports: Of its processes.
        python: The program for its login, if one was named.
        folder: Where this cluster's files are.
        build: The folder that was sent; None where this installation is used.
        run: The folder of its node: token, certificate, log.
        temp: The folder of its sockets.
        program: The interpreter that runs Ray.

    """

    address: str | None
    ip: str
    is_head: bool
    cpus: int
    ports: str
    python: str | None
    folder: str
    build: str | None
    run: str
    temp: str
    program: str


class ClusterState(Strict):
    """A cluster.

    Attributes:
        format: Of this file.
        name: What it is called.
        version: Of Headcount.
        build_hash: Names what was sent.
        head: Where it is reached: `10.0.0.1:6379`.
        expires_s: When its certificates do, in seconds since 1970.
        is_up: Whether all of it was started.
        nodes: Its machines.
        hosts: The file that named them.

    """

    format: int = FORMAT
    name: str
    version: str
    build_hash: str
    head: str
    expires_s: float
    is_up: bool
    nodes: list[NodeState]
    hosts: HostsFile

    @property
    def head_node(self) -> NodeState:
        """The machine that the others join; it goes last."""
        return next(one for one in self.nodes if one.is_head)


def folder() -> Path:
    """Where clusters are kept; it need not exist."""
    base = os.environ.get("XDG_STATE_HOME")
    if base:
        state = Path(base)
    elif os.geteuid() == 0:
        state = Path("/var/lib")
    else:
        state = Path.home() / ".local" / "state"
    return state / "headcount" / "clusters"


def path_of(name: str) -> Path:
    """The file of a cluster."""
    return folder() / f"{name}{SUFFIX}"


def save(cluster: ClusterState) -> None:
    """Save a cluster; raises HeadcountError if that is impossible."""
    path = path_of(cluster.name)
    with raising(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        write_whole(path, cluster.model_dump_json(indent=1))
        path.chmod(0o600)


def save_new(cluster: ClusterState) -> None:
    """Save a cluster that is about to start; raises InputError if there is one of its name."""
    path = path_of(cluster.name)
    with raising(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise known_error(cluster.name) from None
    try:
        save(cluster)
    except BaseException:
        forget(cluster.name)
        raise


def known_error(name: str) -> InputError:
    """The error for a cluster that is to start, where there is one of its name."""
    return InputError(
        f'the cluster "{name}" is up already, or was not ended: headcount cluster down {name}'
    )


def forget(name: str) -> None:
    """Delete what is known of a cluster."""
    path_of(name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder().rmdir()


def names() -> list[str]:
    """The names of all known clusters."""
    return sorted(one.stem for one in folder().glob(f"*{SUFFIX}"))


def load(name: str) -> ClusterState:
    """What is known of a cluster; raises InputError."""
    path, known = path_of(name), names()
    if name not in known:
        has = f" (there is: {', '.join(known)})" if known else ""
        raise InputError(f'there is no cluster "{name}"{nearest(name, known)}{has}')
    try:
        return ClusterState.model_validate_json(content(path, MOST_BYTES))
    except ValidationError as error:
        raise InputError(
            f"{path} was not written by this version of Headcount: {error.errors()[0]['msg']}; "
            "end the cluster with the version that started it"
        ) from error


def only(name: str | None) -> ClusterState | None:
    """The cluster of that name, or the only one; None if there is none. Raises InputError."""
    if name is not None:
        return load(name)
    known = names()
    if len(known) > 1:
        raise InputError(f"there are {len(known)} clusters: name one of {', '.join(known)}")
    return load(known[0]) if known else None


def at(head: str) -> ClusterState | None:
    """The cluster that is reached at `host:port`; None if Headcount did not start it."""
    for name in names():
        with contextlib.suppress(InputError):
            found = load(name)
            if found.head == head:
                return found
    return None
