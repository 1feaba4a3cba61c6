"""The files of a private Postfix: its configuration, and who gets mail."""

import string
from collections.abc import Mapping
from pathlib import Path

from headcount.lab import certificate, port

DOMAIN = "test.invalid"
"""The users' domain: not a real one (RFC 2606)."""

MAIN = """\
compatibility_level = 3.6
queue_directory = $home/queue
data_directory = $home/data
command_directory = $commands
daemon_directory = $daemons
mail_owner = postfix
setgid_group = postdrop
multi_instance_enable = no
maillog_file = $log
maillog_file_prefixes = $home, /dev
myhostname = lab.$domain
mydomain = $domain
inet_interfaces = $host
inet_protocols = ipv4
mynetworks = 127.0.0.0/8 10.77.0.0/16
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = $domain
virtual_mailbox_maps = regexp:$home/etc/recipients
virtual_transport = lmtp:inet:[$host]:$lmtp
relay_domains = $destinations
transport_maps = inline:{$transports}
default_transport = error:nothing leaves the lab
relay_transport = error:nothing leaves the lab
smtpd_relay_restrictions = reject_unauth_destination
disable_dns_lookups = yes
smtpd_peername_lookup = no
lmtp_dns_support_level = disabled
smtp_dns_support_level = disabled
smtpd_client_connection_count_limit = 0
default_destination_concurrency_limit = $concurrency
in_flow_delay = $delay
message_size_limit = 52428800
$tls
"""
"""Nothing of this machine's own Postfix, no mail that leaves it, no names to look up. All clients
have one address, so their number is not limited by address. All else has Postfix's defaults."""
TLS = """\
smtpd_tls_security_level = may
smtpd_tls_cert_file = {place}/{certificate}
smtpd_tls_key_file = {place}/{key}
"""

MASTER = """\
$host:$number inet n - n - $smtpd smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - 1000 smtp
lmtp unix - - n - 1000 lmtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
showq unix n - n - - showq
"""


def write(
    home: Path,
    numbers: tuple[int, int],
    sinks: Mapping[str, int],
    settings: Mapping[str, str],
    programs: tuple[str, str],
    keys: Path,
) -> None:
    """Write everything into `etc` of the home; raises OSError.

    `numbers` are the ports of SMTP and of Dovecot's LMTP, `sinks` those of the destinations by
    domain, `programs` the folders of Postfix's commands and daemons, `keys` where certificates are.
    """
    number, lmtp = numbers
    tls = TLS.format(place=keys, certificate=certificate.CERTIFICATE, key=certificate.KEY)
    main = string.Template(MAIN).substitute(
        home=home,
        commands=programs[0],
        daemons=programs[1],
        log=f"{home}/log" if settings["log"] == "on" else "/dev/null",
        domain=DOMAIN,
        host=port.host(),
        lmtp=lmtp,
        destinations=", ".join(sinks),
        transports=", ".join(
            f"{{{domain} = smtp:[{port.host()}]:{sink}}}" for domain, sink in sinks.items()
        ),
        concurrency=settings["delivery_concurrency"],
        delay="1s" if settings["flow_control"] == "on" else "0",
        tls=tls if settings["tls"] == "on" else "",
    )
    if not sinks:
        main = main.replace("transport_maps = inline:{}\n", "transport_maps =\n")
    master = string.Template(MASTER).substitute(
        host=port.host(), number=number, smtpd=settings["smtpd_processes"]
    )
    (home / "etc" / "main.cf").write_text(main, "utf-8")
    (home / "etc" / "master.cf").write_text(master, "utf-8")
    write_recipients(home, settings)


def write_recipients(home: Path, settings: Mapping[str, str]) -> None:
    """Write who gets mail into `etc` of the home; raises OSError."""
    recipients = f"/^{users_pattern(int(settings['users']))}@{DOMAIN.replace('.', '[.]')}$/ ok\n"
    (home / "etc" / "recipients").write_text(recipients, "ascii")


def users_pattern(users: int) -> str:
    """An extended regular expression for the names u00000 to the one before this number.

    >>> users_pattern(250)
    'u(000[0-9]{2}|001[0-9]{2}|0020[0-9]|0021[0-9]|0022[0-9]|0023[0-9]|0024[0-9])'
    """
    if users >= 10**5:
        return "u[0-9]{5}"
    digits = f"{users:05}"
    parts = []
    for place, digit in enumerate(digits):
        rest = len(digits) - place - 1
        parts += [f"{digits[:place]}{lower}{_any(rest)}" for lower in range(int(digit))]
    return f"u({'|'.join(parts)})"


def _any(digits: int) -> str:
    return "" if digits == 0 else "[0-9]" if digits == 1 else f"[0-9]{{{digits}}}"
