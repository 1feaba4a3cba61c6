"""Which network interfaces of a log of Linux count."""

from collections.abc import Collection

from headcount.counters.prometheus.mapping import exporters


def counted_links(links: Collection[str]) -> frozenset[str]:
    """The interfaces that add up to the machine's traffic, and whose speed means something.

    Not the loopback, and none stacked on another, which would count the same bytes twice. Virtual
    ones state an arbitrary speed: 10 Mbit/s for any tunnel. Logs say nothing about what stands on
    what, so names decide, as for node_exporter.
    """
    node = next(one for one in exporters() if one.system == "linux")
    return frozenset(node.interface.counted(links))
