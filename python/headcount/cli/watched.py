"""What `headcount watch` was asked to watch, found and opened."""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from headcount.bundle import reader
from headcount.counters.address import Address, parse
from headcount.counters.log import read, there
from headcount.counters.log.own_record import Watched
from headcount.counters.open import open_source
from headcount.counters.origin import Origin
from headcount.counters.proc.listening import ServerSource, listeners, listening_processes
from headcount.counters.source import Source
from headcount.errors import InputError, TargetError
from headcount.foreign.file import has_regular
from headcount.live.feed import Feed, SourceFeed
from headcount.live.replay import Replay
from headcount.live.run import FILES, RUN, RunFeed
from headcount.live.wall import Wall
from headcount.protocols.registry import schemes
from headcount.secret_text import holds_secret
from headcount.text import clean

FORMS = (
    "a server on this machine (http://127.0.0.1:8080, lab:nginx), the folder of a run, or a "
    "counter log"
)


@dataclass(frozen=True, slots=True)
class Opened:
    """What is watched.

    Attributes:
        feeds: Where readings come from.
        sources: What they report on.
        interval_s: Its own interval; None if we choose it.
        points: Samples that exist already.

    """

    feeds: Sequence[Feed]
    sources: Sequence[Watched]
    interval_s: float | None = None
    points: int = 0


def opened(target: str | None, addresses: Sequence[str], wall: Wall) -> Opened:
    """Open what to watch; raises a HeadcountError that says why it cannot be watched."""
    feeds: list[Feed] = []
    sources: list[Watched] = []
    if target is not None:
        path = Path(target)
        if "://" not in target and not target.startswith("lab:"):
            if addresses:
                raise InputError("a run or a log is watched alone; leave out --source")
            return _run_or_log(path)
        server = partial(ServerSource, "local", _finder(target))
        feeds.append(SourceFeed("local", server, wall))
        sources.append(_here())
    for address in addresses or ([] if target is not None else ["local"]):
        parsed = parse(address)
        if parsed.kind == "local" and target is not None:
            continue  # read with the target's counters
        name = _unused_name(parsed, [one.name for one in sources])
        # However long the interval is: rates cover the time between two samples.
        opens = partial(open_source, address, name, inf)
        source = opens()  # reports a wrong address at once
        feeds.append(SourceFeed(name, opens, wall, first=source))
        sources.append(_far(source, address))
    return Opened(feeds, sources)


def _here() -> Watched:
    return Watched(name="local", address="local", host=socket.gethostname(), system="linux")


def _far(source: Source, address: str) -> Watched:
    """The description of a source on another machine."""
    origin: Origin | None = getattr(source, "origin", None)
    if origin is None:
        return _here()
    system: Literal["linux", "windows"] = "windows" if origin.system == "windows" else "linux"
    return Watched(name=source.name, address=address, host=origin.host, system=system)


def _unused_name(address: Address, taken: Sequence[str]) -> str:
    """A short name for a source: its machine, with the port where another has that name."""
    name = address.host or address.place
    if name in taken:
        name = address.place
    if name in taken:
        raise InputError(f"--source {clean(address.text)} is given twice")
    return name


def _run_or_log(path: Path) -> Opened:
    """Open the folder of a run, or a log."""
    if (path / "plan.toml").is_file():
        for name in FILES:
            has_regular(path / name)  # raises for a link or a pipe
        feed = RunFeed(path, partial(reader.under_way, path))
        # Its sides are known only by their samples; most runs lack some.
        return Opened([feed], [Watched(name=RUN, address=str(path))], interval_s=1.0)
    if not there(path):
        raise InputError(f'there is no "{clean(str(path))}" to watch; give {FORMS}')
    replay = Replay(read(path))
    sources = [Watched(name=name, address=str(path), host=name) for name in replay.names]
    return Opened([replay], sources, replay.interval_s, replay.samples)


def _finder(target: str) -> Callable[[], list[int]]:
    """The function that finds a server's processes; raises TargetError if there are none now."""
    if target.startswith("lab:"):
        name = target.removeprefix("lab:").partition("?")[0]
        find = partial(listening_processes, f"/headcount/lab/{name}-")
        if not find():
            raise TargetError(
                f"no lab:{clean(name)} runs on this machine now; watch it while a run has it: "
                f"headcount run ... --target lab:{clean(name)}"
            )
        return find
    if holds_secret(target):
        raise InputError(f"watching needs no user name and no password; give {FORMS}")
    host: str | None = None
    port: int | None = None
    with suppress(ValueError):  # as of an open bracket
        parts = urlsplit(target)
        known = schemes().get(parts.scheme)
        host, port = parts.hostname, parts.port or (known[1].port if known else None)
    if not host or port is None:
        raise InputError(f'"{clean(target)}" has no host and port to watch; give {FORMS}')
    if not _is_here(host):
        place = clean(f"[{host}]" if ":" in host else host)
        raise InputError(
            f"{clean(host)} is not this machine; watch it with --source ssh://{place} "
            f"or --source http://{place}:9100/metrics"
        )
    find = partial(listeners, port)
    if not find():
        raise TargetError(
            f"no process that you may inspect listens on port {port} of this machine; start the "
            "server, or watch as root if it belongs to another user"
        )
    return find


def _is_here(host: str) -> bool:
    """Whether a name or address is this machine's: only those can be bound."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TargetError(f"{clean(host)} cannot be resolved: {error}") from error
    family, kind, _, _, address = found[0]
    with socket.socket(family, kind) as tried:
        try:
            tried.bind(address)
        except OSError:
            return False
    return True
