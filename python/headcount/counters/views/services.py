"""Dovecot's own account of its services, as ``doveadm service status`` asks for it."""

import re

from headcount.counters import dovecot
from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading

DOVECOT = "/run/dovecot/master"
"""Where Dovecot listens unless its `base_dir` is another."""


_BASE = re.compile(r"^\s*base_dir\s*=\s*(/\S+)", re.MULTILINE)


def dovecot_sockets(configuration: str) -> list[str]:
    """Where Dovecot listens by its configuration."""
    return [f"{base}/master" for base in _BASE.findall(configuration)]


def dovecot_reader(address: str) -> Reader:
    """Ask the first process at the path of its socket; root alone may."""

    def read() -> Reading:
        text = ask.answer(address, dovecot.SERVICES, lambda text: text.endswith(dovecot.END))
        return Reading(dovecot.services(text.decode("utf-8", errors="replace")))

    return read
