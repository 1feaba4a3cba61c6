"""Opens live sources of counters by their address."""

from headcount.counters import address as addresses
from headcount.counters.origin import OLD_S, FarSource
from headcount.counters.proc.source import HostSource
from headcount.counters.query import FarQuery
from headcount.counters.source import Source


def open_source(address: str, name: str, old_s: float = OLD_S) -> Source:
    """Open a live source and read it once, to find a wrong address now.

    Args:
        address: `local`, `http(s)://host:port/metrics` of node_exporter or windows_exporter, or
            `ssh://user@host:port` of any Linux.
        name: Whose counters these are.
        old_s: Another machine's counters have no rates since an older sample.

    Sampling a source of another machine blocks until it answers, and raises TargetError if it does
    not; :class:`~headcount.counters.latest.Latest` hides that from callers that must not block.

    Raises:
        InputError: This is not the address of a source.
        TargetError: Nothing answers there, or something that cannot be read.
        SystemLimitError: `ssh` is not installed.

    """
    parsed = addresses.parse(address)
    if parsed.kind == "local":
        return HostSource(name)
    return open_far(parsed, name, old_s=old_s)


def open_far(
    address: addresses.Address, name: str, query: FarQuery | None = None, old_s: float = OLD_S
) -> FarSource:
    """Open a source of another machine; see :func:`open_source`.

    `query` is the server to follow there; only SSH shows processes.
    """
    if (opened := addresses.added_sources().get(address.kind)) is not None:
        source: FarSource = opened(address.text, name)
        return source
    if address.kind == "ssh":
        from headcount.counters.ssh.source import SshSource

        return SshSource(address, name, query, old_s)
    # The parser of exporters' pages is slow to load, and most commands do not need it.
    from headcount.counters.prometheus.source import PrometheusSource

    return PrometheusSource(address, name, old_s)
