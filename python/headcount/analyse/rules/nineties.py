"""Figures of the study of 1998 for the memory and throughput of a file server (T-21, T-22).

Microsoft Consulting Services, Windows NT Server 4.0 Enterprise File Server Scalability and
Performance (1998). Decimal bytes and megabytes, as there.
"""

from dataclasses import dataclass

CONNECTION_PAGED_BYTES, CONNECTION_NONPAGED_BYTES = 500, 500
"""A TCP connection (File Shares and Sessions Analysis, 1)."""

RESOURCE_PAGED_BYTES, RESOURCE_NONPAGED_BYTES = 100, 8
"""A resource that a client has opened, a net use (2)."""

SHARE_BYTES = 250
"""A share: 200 for the structure, 50 for name and path in the registry, all paged (3)."""


@dataclass(frozen=True, slots=True)
class PoolBytes:
    """Bytes of the two kernel pools of Windows NT 4."""

    paged: int
    nonpaged: int


def pool_bytes(connections: int, resources: int = 0, shares: int = 0) -> PoolBytes:
    """Bytes of NT 4's pools taken by connections, opened resources and shares (T-21).

    >>> pool_bytes(10_000)
    PoolBytes(paged=5000000, nonpaged=5000000)
    """
    paged = (
        connections * CONNECTION_PAGED_BYTES
        + resources * RESOURCE_PAGED_BYTES
        + shares * SHARE_BYTES
    )
    nonpaged = connections * CONNECTION_NONPAGED_BYTES + resources * RESOURCE_NONPAGED_BYTES
    return PoolBytes(paged, nonpaged)


def megabits_per_s(megabytes_per_s: float) -> float:
    """A rate in the bits that links are named by (T-22).

    >>> megabits_per_s(39)
    312
    """
    return megabytes_per_s * 8
