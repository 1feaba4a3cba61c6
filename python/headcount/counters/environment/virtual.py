"""Hints that a machine is a virtual one or a container."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.reading import first_line
from headcount.counters.proc.files import read_text


class Virtual(BaseModel):
    """Hints of virtualisation: neighbours may be sharing the hardware.

    Attributes:
        hypervisor_flag: Whether the processor reports a hypervisor; None off x86.
        hypervisor: The hypervisor's name, where the kernel shows one (Xen).
        vendor: Who made the machine by its firmware, such as "QEMU" or "Amazon EC2".
        product: The machine's model by its firmware.
        container: What kind of container this is, such as "docker"; None where none shows.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hypervisor_flag: bool | None = None
    hypervisor: str | None = None
    vendor: str | None = None
    product: str | None = None
    container: str | None = None


def describe_virtual(root: Path) -> Virtual:
    """Gather the hints from ``/proc/cpuinfo``, ``/sys`` and the files container managers leave."""
    return Virtual(
        hypervisor_flag=_hypervisor_flag(root),
        hypervisor=first_line(root / "sys/hypervisor/type"),
        vendor=first_line(root / "sys/class/dmi/id/sys_vendor"),
        product=first_line(root / "sys/class/dmi/id/product_name"),
        container=_container(root),
    )


def _hypervisor_flag(root: Path) -> bool | None:
    for line in (read_text(os.fspath(root / "proc/cpuinfo")) or "").splitlines():
        key, _, flags = line.partition(":")
        if key.strip() == "flags":
            return "hypervisor" in flags.split()
    return None


def _container(root: Path) -> str | None:
    named = first_line(root / "run/systemd/container")
    if named is not None:
        return named
    marks = {".dockerenv": "docker", "run/.containerenv": "podman"}
    return next((kind for mark, kind in marks.items() if (root / mark).exists()), None)
