"""What a plan's `[server]` table may set for `lab:postgresql`, and what it does."""

from collections.abc import Mapping

from headcount.lab.setting import ON_OFF, PROFILE, Setting

POSTGRESQL: Mapping[str, Setting] = {
    "profile": PROFILE,
    "max_connections": Setting(
        "1000",
        (),
        "max_connections",
        "Most sessions, a process each; more are refused. The default of 100 would be the "
        "capacity.",
        most=20_000,
    ),
    "shared_buffers_mib": Setting(
        "128",
        (),
        "shared_buffers",
        "Memory for cached pages, in MiB; a dedicated machine usually gives a quarter of its "
        "memory.",
        most=1_000_000,
    ),
    "work_mem_mib": Setting(
        "4",
        (),
        "work_mem",
        "Memory of each sort and hash table before it spills to disk, in MiB.",
        most=100_000,
    ),
    "max_wal_size_mib": Setting(
        "1024",
        (),
        "max_wal_size",
        "Size of the change log, in MiB, at least 32, after which changed pages are written out. "
        "Less means more writes, more means longer recovery.",
        most=1_000_000,
    ),
    "fsync": Setting(
        "on",
        ON_OFF,
        "fsync",
        "Whether changes are on disk before they count. Off is fast, and a power failure loses the "
        "whole database.",
    ),
    "synchronous_commit": Setting(
        "on",
        ("on", "off"),
        "synchronous_commit",
        "Whether a commit waits for the disk; with off a power failure loses up to half a second "
        "of commits.",
    ),
    "full_page_writes": Setting(
        "on",
        ON_OFF,
        "full_page_writes",
        "Whether the first change of a page after a checkpoint logs the whole page, against disks "
        "that write half of it.",
    ),
    "wal_compression": Setting(
        "off", ON_OFF, "wal_compression", "Whether to compress those whole pages."
    ),
    "jit": Setting(
        "on",
        ON_OFF,
        "jit",
        "Whether to compile queries that look expensive: helps long ones, may slow medium ones.",
    ),
    "parallel_workers": Setting(
        "2",
        ("0",),
        "max_parallel_workers_per_gather",
        "Processes that may help with one query.",
        most=512,
    ),
    "autovacuum": Setting(
        "on",
        ON_OFF,
        "autovacuum",
        "Whether to remove dead rows during the run. Off is steadier for minutes and slower later.",
    ),
    "track_io_timing": Setting(
        "off",
        ON_OFF,
        "track_io_timing",
        "Whether views show how long PostgreSQL waits for reads and writes.",
    ),
    "tls": Setting(
        "off",
        ON_OFF,
        "ssl",
        "Whether to offer TLS, with a certificate as for Apache.",
    ),
}
UNITS = {"_mib": "MB"}
"""Suffix of settings that are sizes, and PostgreSQL's word for MiB."""


def parameters(settings: Mapping[str, str]) -> list[str]:
    """The lines of postgresql.conf for them."""
    lines = []
    for key, one in POSTGRESQL.items():
        if one.is_stock:
            continue
        unit = next((word for end, word in UNITS.items() if key.endswith(end)), "")
        lines.append(f"{one.parameter} = {settings[key]}{unit}")
    return lines
