"""keepalived: an address that a node has as long as it is well, by VRRP (RFC 5798)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headcount.lab.installed import Packages, command_output, find
from headcount.lab.setting import ON_OFF, Setting

PACKAGES = Packages("keepalived", "keepalived")
SETTINGS: Mapping[str, Setting] = {
    "advert_ms": Setting(
        "1000",
        (),
        "advert_int",
        "Time from one sign of life of the node with the address to the next, in ms and steps of "
        "10; the other takes over 3 to 4 of them after the last. 1000 is keepalived's default.",
        most=40_950,  # RFC 5798 5.2.7: 4095 hundredths of a second
    ),
    "check_s": Setting(
        "1",
        (),
        "interval",
        "Time from one check of the service to the next, in s; 1 is keepalived's default, and the "
        "least before its version 2.3.",
        most=600,
    ),
    "check_fall": Setting("1", (), "fall", "Failed checks until a node gives up.", most=100),
    "check_rise": Setting(
        "1", (), "rise", "Checks that succeed until a node is well again.", most=100
    ),
    "preempt": Setting(
        "on",
        ON_OFF,
        "nopreempt",
        "Whether the address goes back to the first node as soon as that is well again.",
    ),
    "last_advert": Setting(
        "on",
        ON_OFF,
        "vrrp_higher_prio_send_advert",
        "Whether a node that gives up the address to another that has it, too, says so once more, "
        "so that the other repeats where the address is. keepalived's default is off: after a cut, "
        "users may look for the address at the wrong node for a minute.",
    ),
}
DEVICE = "eth0"
ROUTER = 51
"""The id in the manual's examples; nobody else is on the segment."""
PRIORITIES = (150, 100)
"""The priorities of the first and the second node."""
CONFIGURATION = """\
global_defs {{
  router_id {name}
  script_user root
  vrrp_higher_prio_send_advert {last_advert}
}}
vrrp_script service {{
  script "{place}/{check}"
  interval {check_s}
  fall {check_fall}
  rise {check_rise}
}}
vrrp_instance service {{
  version 3
  state {state}
  interface {device}
  virtual_router_id {router}
  priority {priority}
  advert_int {advert_s}
{nopreempt}  virtual_ipaddress {{
    {floating} dev {device}
  }}
  track_script {{
    service
  }}
  notify_backup "{place}/{release}"
  notify_fault "{place}/{release}"
  notify_stop "{place}/{release}"
  notify_master_rx_lower_pri "{place}/{release}"
}}
"""
"""Version 3, because advertisements of version 2 are whole seconds apart. All else has
keepalived's defaults."""
CHECK, RELEASE = "check", "release"
"""The names of the scripts."""


@dataclass(frozen=True)
class Member:
    """One of two nodes that may have the address.

    Attributes:
        name: The node's.
        number: 0 for the first, 1 for the second.
        floating: The address that moves, with its prefix: `10.78.1.100/24`.
        check: A script that succeeds while the service works.
        release: A script that runs when the address has left the node, or should have.

    """

    name: str
    number: int
    floating: str
    check: str
    release: str


def write(home: Path, place: Path, member: Member, settings: Mapping[str, str]) -> None:
    """Write its configuration and scripts into a folder; raises OSError.

    `place` is that folder under the name that keepalived uses.
    """
    for name, text in ((CHECK, member.check), (RELEASE, member.release)):
        (home / name).write_text(text, "utf-8")
        (home / name).chmod(0o700)
    preempt = settings["preempt"] == "on"
    text = CONFIGURATION.format(
        name=member.name,
        place=place,
        check=CHECK,
        release=RELEASE,
        check_s=settings["check_s"],
        last_advert="true" if settings["last_advert"] == "on" else "false",
        check_fall=settings["check_fall"],
        check_rise=settings["check_rise"],
        # A node that must not preempt may not start as the owner, either (keepalived.conf(5)).
        state="MASTER" if preempt and member.number == 0 else "BACKUP",
        device=DEVICE,
        router=ROUTER,
        priority=PRIORITIES[member.number],
        advert_s=f"{max(10, int(settings['advert_ms'])) / 1000:.2f}",
        nopreempt="" if preempt else "  nopreempt\n",
        floating=member.floating,
    )
    (home / "keepalived.conf").write_text(text, "utf-8")


def command(found: str, place: Path) -> list[str]:
    """The command that runs it in the foreground, without its load balancer."""
    files = ["-f", str(place / "keepalived.conf"), "-p", str(place / "keepalived.pid")]
    files += ["-r", str(place / "vrrp.pid")]
    return [found, "--dont-fork", "--log-console", "--no-syslog", "--log-detail", "--vrrp", *files]


def program() -> str:
    """The path of keepalived; raises NotInstalledError."""
    return find(
        "keepalived", PACKAGES.advice("an address that moves between nodes needs keepalived")
    )


def version(found: str) -> str:
    """The version of keepalived, as `2.2.7`; raises SystemLimitError if it does not run."""
    match = re.search(r"Keepalived v(\S+)", command_output([found, "--version"]))
    return match[1] if match else "unknown"
