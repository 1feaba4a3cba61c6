"""The columns that sar and mpstat print, and the fields of sadf that they are."""

from collections.abc import Mapping

FIELDS: Mapping[str, Mapping[str, str]] = {
    "cpu-load": {
        "CPU": "cpu",
        **{f"%{name}": name for name in ("user", "usr", "nice", "system", "sys", "iowait")},
        **{f"%{name}": name for name in ("steal", "irq", "soft", "guest", "gnice", "idle")},
    },
    "process-and-context-switch": {"cswch/s": "cswch"},
    "swap-pages": {"pswpin/s": "pswpin", "pswpout/s": "pswpout"},
    "paging": {"fault/s": "fault", "majflt/s": "majflt"},
    "io/io-reads": {"rtps": "rtps", "bread/s": "bread"},
    "io/io-writes": {"wtps": "wtps", "bwrtn/s": "bwrtn"},
    "memory": {
        **{f"kb{name}": name for name in ("avail", "buffers", "cached", "commit", "dirty", "slab")},
        **{f"kb{name}": name for name in ("memfree", "memused", "swpfree", "swpused")},
        "%memused": "memused-percent",
        "%swpused": "swpused-percent",
    },
    "queue": {name: name for name in ("runq-sz", "ldavg-1", "blocked")},
    "network/net-etcp": {"retrans/s": "retrans"},
    "psi/psi-cpu": {"%scpu": "some_avg"},
    "psi/psi-io": {"%sio": "some_avg", "%fio": "full_avg"},
    "psi/psi-mem": {"%smem": "some_avg", "%fmem": "full_avg"},
    "interrupts": {"INTR": "intr", "all": "all", "intr/s": "value"},
    "disk": {
        "DEV": "disk-device",
        **{name: name for name in ("tps", "aqu-sz", "avgqu-sz", "await")},
        **{f"{name}/s": name for name in ("rkB", "wkB", "rd_sec", "wr_sec")},
        "%util": "util-percent",
    },
    "network/net-dev": {
        "IFACE": "iface",
        **{f"{name}/s": name for name in ("rxpck", "txpck", "rxkB", "txkB")},
        "%ifutil": "ifutil-percent",
    },
    "network/net-edev": {
        "IFACE": "iface",
        **{f"{name}/s": name for name in ("rxerr", "txerr", "rxdrop", "txdrop")},
    },
    "filesystems": {"FILESYSTEM": "filesystem", "%fsused": "%fsused"},
}
"""The columns of each section, and the fields of sadf that they are."""
MARKS: Mapping[str, tuple[str, ...]] = {
    "%idle": ("cpu-load",),
    "cswch/s": ("process-and-context-switch",),
    "pswpin/s": ("swap-pages",),
    "majflt/s": ("paging",),
    "bread/s": ("io/io-reads", "io/io-writes"),
    "kbmemfree": ("memory",),
    "kbswpfree": ("memory",),
    "runq-sz": ("queue",),
    "atmptf/s": ("network/net-etcp",),
    "%scpu": ("psi/psi-cpu",),
    "%sio": ("psi/psi-io",),
    "%smem": ("psi/psi-mem",),
    "INTR": ("interrupts",),
    "DEV": ("disk",),
    "rxpck/s": ("network/net-dev",),
    "rxerr/s": ("network/net-edev",),
    "%fsused": ("filesystems",),
}
"""Columns that only these sections have."""
IDENTITIES = frozenset({"CPU", "INTR", "DEV", "IFACE", "FILESYSTEM"})
"""Columns that say what a row is about: such a section has a row for each."""
