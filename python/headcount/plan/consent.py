"""Consent to load other machines: given by the user on the command line, never by a file."""

import ipaddress
from urllib.parse import urlsplit

from headcount.plan.gate import require_owner
from headcount.plan.plan import Plan
from headcount.plan.sources import split_source


def with_consent(plan: Plan, authorised_by: str | None) -> Plan:
    """The plan of a file or bundle, with the consent of this command line in place of its own.

    A plan may come from a stranger and must not grant itself anything: neither load on other
    machines, which the gate checks when their names are resolved, nor reading their counters.
    Raises InputError if it would read those of others and nobody has agreed.
    """
    for text in [split_source(source)[1] for source in plan.sources] + plan.views:
        if not _is_here(text):
            require_owner(f"the plan asks another machine for counters ({text})", authorised_by)
    return plan.model_copy(update={"authorised_by": authorised_by})


def _is_here(text: str) -> bool:
    """Whether the address of a source or view is this machine's, as far as its text shows."""
    address = text.partition("=")[2] if "://" not in text.partition("=")[0] else text
    address = address or text
    if address == "local" or address.startswith("/"):
        return True
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:  # a name, which may lead anywhere
        return False
    return ip.is_loopback or ip.is_unspecified
