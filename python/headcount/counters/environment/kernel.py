"""The kernel and those of its settings that move a server's capacity."""

import os
import platform
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.reading import selected_option
from headcount.counters.proc.files import read_text

SETTINGS = (
    "fs.aio-max-nr",
    "fs.file-max",
    "fs.nr_open",
    "kernel.numa_balancing",
    "kernel.pid_max",
    "kernel.threads-max",
    "net.core.busy_poll",
    "net.core.default_qdisc",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.somaxconn",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.max_map_count",
    "vm.min_free_kbytes",
    "vm.overcommit_memory",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
)
"""Kernel settings (sysctl) that are disclosed."""


class Kernel(BaseModel):
    """The kernel of a machine.

    Attributes:
        release: Such as "6.1.0-18-amd64".
        version: The build, such as "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1".
        mitigations: What the boot parameter ``mitigations=`` says, "off" for instance; None where
            it was not given, which leaves them on. No other boot parameter is shown.
        transparent_hugepages: "always", "madvise" or "never".
        settings: The values of :data:`SETTINGS`; None where the kernel has no such setting.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    release: str | None = None
    version: str | None = None
    mitigations: str | None = None
    transparent_hugepages: str | None = None
    settings: Mapping[str, str | None]


def describe_kernel(root: Path) -> Kernel:
    """Describe the running kernel from uname, ``/proc/sys``, ``/proc/cmdline`` and ``/sys``."""
    parameters = (read_text(os.fspath(root / "proc/cmdline")) or "").split()
    chosen_by_user = [
        word.partition("=")[2] for word in parameters if word.startswith("mitigations=")
    ]
    return Kernel(
        release=platform.release() or None,
        version=platform.version() or None,
        mitigations=chosen_by_user[-1] if chosen_by_user else None,
        transparent_hugepages=selected_option(root / "sys/kernel/mm/transparent_hugepage/enabled"),
        settings={name: _setting(root, name) for name in SETTINGS},
    )


def _setting(root: Path, name: str) -> str | None:
    text = read_text(os.fspath(root / "proc/sys" / name.replace(".", "/")))
    return " ".join(text.split()) if text is not None else None
