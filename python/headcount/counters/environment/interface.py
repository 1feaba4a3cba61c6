"""The machine's network interfaces."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.environment.reading import first_line, folders, link_name, number


class Interface(BaseModel):
    """One network interface, without its addresses.

    Attributes:
        name: The kernel's name, such as "eth0".
        state: "up", "down", or "unknown" for interfaces without a carrier, such as the loopback.
        speed_mbit_s: Speed of the link; virtual interfaces often have none.
        duplex: "full" or "half".
        mtu_bytes: Largest packet.
        driver: The kernel's driver.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    state: str | None = None
    speed_mbit_s: int | None = None
    duplex: str | None = None
    mtu_bytes: int | None = None
    driver: str | None = None


def describe_interfaces(root: Path) -> tuple[Interface, ...]:
    """Describe all network interfaces from ``/sys/class/net``."""
    return tuple(
        _describe(folder)
        for folder in folders(root / "sys/class/net")
        # The folder may hold plain files too, such as bonding_masters.
        if (folder / "mtu").exists()
    )


def _describe(folder: Path) -> Interface:
    duplex = first_line(folder / "duplex")
    return Interface(
        name=folder.name,
        state=first_line(folder / "operstate"),
        # -1 where the driver does not know, which is not a number to this reader.
        speed_mbit_s=number(folder / "speed") or None,
        duplex=duplex if duplex != "unknown" else None,
        mtu_bytes=number(folder / "mtu"),
        driver=link_name(folder / "device/driver"),
    )
