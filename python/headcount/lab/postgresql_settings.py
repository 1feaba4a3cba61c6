"""What a plan's `[server]` table may set for `lab:postgresql`, and what it does."""

from collections.abc import Mapping

from headcount.lab.setting import ON_OFF, Setting

POSTGRESQL: Mapping[str, Setting] = {
    "max_connections": Setting(
        "1000",
        (),
        "max_connections",
        "Sessions there may be, a process each; more are refused. PostgreSQL's default of 100 "
        "would be the capacity.",
        most=20_000,
    ),
    "shared_buffers_mib": Setting(
        "128",
        (),
        "shared_buffers",
        "Memory in which PostgreSQL keeps pages of tables, in MiB. 128 is its default; on a "
        "machine for it a quarter of the memory is usual.",
        most=1_000_000,
    ),
    "work_mem_mib": Setting(
        "4",
        (),
        "work_mem",
        "Memory of each sort and each hash table before it goes to disk, in MiB.",
        most=100_000,
    ),
    "max_wal_size_mib": Setting(
        "1024",
        (),
        "max_wal_size",
        "Log of changes, in MiB, after which all changed pages are written out. Less is more "
        "writing; more is longer recovery. At least 32.",
        most=1_000_000,
    ),
    "fsync": Setting(
        "on",
        ON_OFF,
        "fsync",
        "Whether changes are on the disk before they count. Off is fast and loses the whole "
        "database with the power.",
    ),
    "synchronous_commit": Setting(
        "on",
        ("on", "off"),
        "synchronous_commit",
        "Whether a commit waits for the disk. Off may lose the last half second of commits with "
        "the power, and nothing else.",
    ),
    "full_page_writes": Setting(
        "on",
        ON_OFF,
        "full_page_writes",
        "Whether the first change of a page after a checkpoint logs all of it, which makes up for "
        "disks that write half a page when the power fails.",
    ),
    "wal_compression": Setting(
        "off", ON_OFF, "wal_compression", "Whether those whole pages are compressed."
    ),
    "jit": Setting(
        "on",
        ON_OFF,
        "jit",
        "Whether queries that look costly are compiled first. That helps long ones, and may cost "
        "middling ones more than it saves.",
    ),
    "parallel_workers": Setting(
        "2",
        ("0",),
        "max_parallel_workers_per_gather",
        "Processes that may help with one query. 0 keeps each query to one processor.",
        most=512,
    ),
    "autovacuum": Setting(
        "on",
        ON_OFF,
        "autovacuum",
        "Whether dead rows are cleared away meanwhile. Off is steadier for minutes, and slower in "
        "the long run.",
    ),
    "track_io_timing": Setting(
        "off",
        ON_OFF,
        "track_io_timing",
        "Whether PostgreSQL measures how long it waits for reads and writes, for its own views.",
    ),
    "tls": Setting(
        "off",
        ON_OFF,
        "ssl",
        "Whether TLS is offered, with a certificate made for the run (P-256), which users trust. "
        "Sessions without TLS are allowed too.",
    ),
}
UNITS = {"_mib": "MB"}
"""How settings end that are sizes, and PostgreSQL's word for MiB."""


def parameters(settings: Mapping[str, str]) -> list[str]:
    """The lines of postgresql.conf for them."""
    lines = []
    for key, one in POSTGRESQL.items():
        unit = next((word for end, word in UNITS.items() if key.endswith(end)), "")
        lines.append(f"{one.parameter} = {settings[key]}{unit}")
    return lines
