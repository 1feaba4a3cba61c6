"""Files of the kernel that modules change: which, to what, and what puts them back."""

from pathlib import Path

import pytest

from headcount.pilot.interrupts import System, interrupts, is_balanced, network_irqs, spread
from headcount.pilot.settings import (
    BACKGROUND_BYTES,
    MEMORY,
    MOST_BYTES,
    WRITEBACK,
    Settings,
    memory,
    shares,
    writeback,
)

INTERRUPTS = """\
            CPU0       CPU1       CPU2       CPU3
   8:          0          0          0          0  IO-APIC   8-edge      rtc0
  26:     900000          0          0          0  PCI-MSI 1572864-edge  eth0-TxRx-0
  27:     100000         10          0          0  PCI-MSI 1572865-edge  eth0-TxRx-1
  28:          0          0          0          0  PCI-MSI 1572866-edge  eth0-config
  40:     800000          5          0          0  PCI-MSI 2572866-edge  nvme0q1
 LOC:    8412841    5555555    5555555    5555555  Local timer interrupts
 ERR:          0
"""
"""A network card with two queues, both of which hit the first of four CPUs."""


def folder(place: Path, files: dict[str, str]) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text)
    return place


def group(place: Path, low: str = "0", above: str = "0") -> tuple[Path, Path]:
    """The root of a hierarchy of version 2, and the group of a service in it."""
    root = folder(place / "cgroup", {"cgroup.controllers": "memory\n"})
    folder(root / "system.slice", {"memory.low": f"{above}\n", "memory.current": "9000\n"})
    own = {"memory.low": f"{low}\n", "memory.current": "5000\n", "cpu.weight": "100\n"}
    return root, folder(root / "system.slice" / "web.service", own)


def values(found: Settings) -> dict[str, tuple[str, str]]:
    """What is written to each file, and what puts it back, by the names of the last folders."""
    return {
        "/".join(Path(one.file).parts[-2:]): (one.wanted(), one.original) for one in found.found
    }


def test_memory_of_the_group_is_protected_as_far_as_it_is_used(tmp_path: Path) -> None:
    root, own = group(tmp_path, low="1000", above="3000")
    found = memory({"unified": str(own)}, root)
    assert not found.obstacles
    assert values(found) == {
        "web.service/memory.low": ("5000", "1000"),
        # No group has more than those above it: its neighbours keep what they had.
        "system.slice/memory.low": ("8000", "3000"),
    }
    (own / "memory.current").write_text("4000\n")  # pages were taken away, and should come back
    assert values(found)["web.service/memory.low"] == ("5000", "1000")
    (own / "memory.current").write_text("7000\n")
    assert values(found)["system.slice/memory.low"] == ("10000", "3000")


def test_obstacles_to_protecting_memory_are_named(tmp_path: Path) -> None:
    root, own = group(tmp_path, low="max")
    assert memory({"unified": str(own)}, root).obstacles == {
        MEMORY: "all of its memory is protected already"
    }
    assert "no control group of its own" in memory({}, root).obstacles[MEMORY]
    old = folder(tmp_path / "old", {"memory.soft_limit_in_bytes": "9223372036854771712\n"})
    beside = folder(tmp_path / "unified", {"memory.pressure": ""})
    groups = {"memory": str(old), "unified": str(beside)}
    assert "version 1" in memory(groups, tmp_path).obstacles[MEMORY]


def test_protection_is_never_lowered(tmp_path: Path) -> None:
    root, own = group(tmp_path, low="800000")
    assert values(memory({"unified": str(own)}, root))["web.service/memory.low"] == (
        "800000",
        "800000",
    )
    (one,) = shares([own])
    assert (one.wanted(), one.original, one.back) == ("1000", "100", one.file)


def vm(place: Path, *four: str) -> Path:
    names = ("dirty_background_bytes", "dirty_background_ratio", "dirty_bytes", "dirty_ratio")
    return folder(place / "vm", dict(zip(names, four, strict=True)))


def test_early_writeback_is_put_back_under_the_name_that_was_set(tmp_path: Path) -> None:
    place = vm(tmp_path, "0\n", "10\n", "500000000\n", "0\n")
    background, most = writeback(place).found
    assert (background.file, background.wanted()) == (
        f"{place}/dirty_background_bytes",
        str(BACKGROUND_BYTES),
    )
    # dirty_background_bytes does not take back the 0 that it has.
    assert (background.back, background.original) == (f"{place}/dirty_background_ratio", "10")
    assert (most.file, most.wanted()) == (f"{place}/dirty_bytes", str(MOST_BYTES))
    assert (most.back, most.original) == (f"{place}/dirty_bytes", "500000000")


def test_limits_of_writeback_that_are_low_already_are_left(tmp_path: Path) -> None:
    few = writeback(vm(tmp_path, "1000\n", "0\n", "4000\n", "0\n"))
    assert few == Settings(obstacles={WRITEBACK: "the kernel's limits are already that low"})
    (most,) = writeback(vm(tmp_path, "1000\n", "0\n", "0\n", "20\n")).found
    assert most.back.endswith("dirty_ratio")
    assert "no such setting" in writeback(tmp_path / "gone").obstacles[WRITEBACK]


def system(place: Path, *, virtio: bool = False) -> System:
    """A machine with that card, loopback, and a bridge, which is not a device."""
    proc = folder(place / "proc", {"interrupts": INTERRUPTS})
    for irq in (26, 27, 28, 40):
        folder(proc / "irq" / str(irq), {"smp_affinity_list": "0-3\n"})
    folder(proc / "1", {"comm": "systemd\n"})
    net = place / "sys/class/net"
    card = place / "sys/devices/pci0000:00/0000:00:03.0"
    for irq in ("26", "27", "28"):
        folder(card / "msi_irqs", {irq: "msix\n"})
    device = folder(card / "virtio2", {}) if virtio else card
    for name in ("lo", "br0", "eth0"):
        (net / name).mkdir(parents=True)
    (net / "eth0" / "device").symlink_to(device)
    return System(proc, place / "sys")


@pytest.mark.parametrize("virtio", [False, True])
def test_interrupts_of_the_card_that_occur_are_spread(tmp_path: Path, *, virtio: bool) -> None:
    machine = system(tmp_path, virtio=virtio)
    assert network_irqs(machine) == [26, 27]
    found = interrupts(machine)
    assert values(found) == {
        "26/smp_affinity_list": ("1", "0-3"),
        "27/smp_affinity_list": ("2", "0-3"),
    }


def test_interrupts_leave_the_cpu_that_is_hit_most() -> None:
    counts = {5: {0: 10, 1: 900}, 6: {0: 20, 1: 2000}, 7: {0: 0, 1: 1}}
    assert spread([5], counts) == {5: 0}
    assert spread([5, 6, 7], counts) == {6: 0, 5: 1, 7: 0}
    assert spread([5], {5: {0: 7}}) == {}  # there is no other CPU
    assert spread([], counts) == {}


def test_obstacles_to_moving_interrupts_are_named(tmp_path: Path) -> None:
    machine = system(tmp_path)
    folder(machine.proc / "77", {"comm": "irqbalance\n"})
    assert is_balanced(machine.proc)
    assert interrupts(machine) == Settings(
        obstacles={"interrupts": "irqbalance places them: stop it first"}
    )
    nothing = interrupts(System(tmp_path / "gone", tmp_path / "gone"))
    assert "the kernel does not let" in nothing.obstacles["interrupts"]


def test_one_card_with_a_single_interrupt(tmp_path: Path) -> None:
    machine = system(tmp_path)
    old = folder(tmp_path / "sys/devices/old", {"irq": "27\n"})
    (tmp_path / "sys/class/net/eth0/device").unlink()
    (tmp_path / "sys/class/net/eth0/device").symlink_to(old)
    assert network_irqs(machine) == [27]
    (machine.proc / "irq/27/smp_affinity_list").unlink()
    assert not interrupts(machine).found
