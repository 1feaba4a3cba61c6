"""The disclosure of both sides, gathered at the start of a run."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from headcount import __version__, _engine
from headcount.bundle.environment import CounterOrigin, EnvironmentFile, ServerFound, Side
from headcount.bundle.writer import now
from headcount.counters.environment import describe_host


def disclose(
    target: str,
    *,
    local: bool,
    programs: Mapping[str, str],
    settings: Mapping[str, str],
    paths: Iterable[Path] = (),
    counters: Iterable[CounterOrigin] = (),
    server: ServerFound | None = None,
) -> EnvironmentFile:
    """Describe this machine and, if it is the same one, the system under test.

    `paths` are those whose file systems matter; `counters` are the origins of those of other
    machines; `server` describes a server that somebody else started here.
    """
    host = describe_host(__version__, paths).model_dump(mode="json")
    both = {**programs, "headcount": __version__}
    if local:
        sides = [Side(role="both", host=host, programs=both, settings=dict(settings))]
    else:
        sides = [
            Side(role="sut", host=None, programs=dict(programs), settings=dict(settings)),
            Side(role="generator", host=host, programs={"headcount": __version__}, settings={}),
        ]
    return EnvironmentFile(
        headcount=__version__,
        build=_engine.PROFILE,
        started_at=now(),
        target=target,
        sides=sides,
        counters=list(counters),
        server=server,
    )
