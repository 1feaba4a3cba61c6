"""The names of lab servers' settings in the program's configuration."""

from collections.abc import Iterable, Mapping

from headcount.lab.mail_settings import MAIL
from headcount.lab.postgresql_settings import POSTGRESQL
from headcount.lab.samba_settings import SETTINGS as SAMBA
from headcount.lab.web_settings import APACHE, NGINX

_OF: Mapping[str, Mapping[str, str | None]] = {
    name: {key: None if one.parameter == "none" else one.parameter for key, one in settings.items()}
    for name, settings in (
        ("nginx", NGINX),
        ("apache", APACHE),
        ("samba", SAMBA),
        ("mail", MAIL),
        ("postgresql", POSTGRESQL),
    )
}

_PARTS: Mapping[str, str] = {
    "service imap { client_limit }": "service/imap/client_limit",
    "service imap { process_min_avail }": "service/imap/process_min_avail",
    "service imap-login { process_min_avail }": "service/imap-login/process_min_avail",
    "service lmtp { process_limit }": "service/lmtp/process_limit",
    "smtpd, maxproc of master.cf": "smtpd maxproc",
}
"""Parameters that are part of a block or table, by their settings' names for them."""


def parameters(server: str, keys: Iterable[str]) -> frozenset[str]:
    """The parameters that these settings of a lab server set."""
    known = _OF.get(server, {})
    found = (known.get(key) for key in keys)
    return frozenset(_PARTS.get(name, name) for name in found if name is not None)
