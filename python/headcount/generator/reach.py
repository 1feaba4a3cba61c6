"""Whether agents on other machines reach the target."""

from collections.abc import Sequence
from ipaddress import ip_address

from headcount.errors import InputError
from headcount.generator.machine import boot_id
from headcount.generator.member import Member
from headcount.plan.target import is_here, parse
from headcount.protocols.target import Target


def check_reach(members: Sequence[Member], target: str, places: Sequence[str] = ()) -> None:
    """Raise InputError if an agent is elsewhere, and only this machine reaches the target.

    At a loopback address, the agent would load its own machine. `places` are where the target
    listens, as `ip:port`, as far as that is known.
    """
    far = next((one for one in members if one.about.get("boot") != boot_id()), None)
    if far is None:
        return
    parsed = parse(target)
    if any(_is_only_here(one) for one in parsed.both or [parsed]) or any(map(_is_loopback, places)):
        raise InputError(
            f"{far.name} does not reach {target}, which is on this machine only: give the address "
            "at which other machines reach it, or leave out --cluster"
        )


def _is_only_here(target: Target) -> bool:
    """Whether only this machine reaches it; a folder may be mounted on all machines."""
    return target.folder is None and is_here(target)


def _is_loopback(place: str) -> bool:
    host = place.rpartition(":")[0].strip("[]").partition("%")[0]
    return ip_address(host).is_loopback
