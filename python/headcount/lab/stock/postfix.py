"""Postfix as Debian ships it, set up as an Internet site."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from headcount.lab import certificate
from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

MAIN, TLS, MASTER = "main.cf.debian", "main.cf.tls", "master.cf.dist"
INSTALLED = """\
smtpd_relay_restrictions = permit_mynetworks permit_sasl_authenticated defer_unauth_destination
alias_maps = hash:$home/etc/aliases
alias_database = hash:$home/etc/aliases
relayhost =
mynetworks = 127.0.0.0/8 [::ffff:127.0.0.0]/104 [::1]/128
mailbox_size_limit = 0
recipient_delimiter = +
inet_protocols = all"""
"""What the package adds when it is installed (its postinst)."""
OWN = """\
queue_directory = $home/queue
data_directory = $home/data
maillog_file = $home/log
maillog_file_prefixes = $home
myhostname = lab.$domain
inet_interfaces = $host
mydestination =
virtual_mailbox_domains = $domain
virtual_mailbox_maps = regexp:$home/etc/recipients
virtual_transport = lmtp:inet:[$host]:$lmtp
default_transport = error:nothing leaves the lab
relay_transport = error:nothing leaves the lab"""
ALIASES = "postmaster:    root\n"
"""Files that the package makes if they are missing."""
IN_PRISON = ("localtime", "services", "resolv.conf", "hosts", "host.conf", "nsswitch.conf")
"""Files of /etc that Debian copies into the `chroot` of Postfix's daemons."""

STOCK = Stock(
    "lab:mail",
    Shipped(("postfix",), "/usr/share/postfix", (MAIN, TLS, MASTER)),
    (
        Rewrite(MAIN, "", INSTALLED, "the package adds it for an Internet site, for /etc/aliases"),
        Rewrite(MAIN, "", OWN, "folders and users of the run, Dovecot behind it, and nothing else"),
        Rewrite(
            TLS,
            "smtpd_tls_cert_file=/etc/ssl/certs/ssl-cert-snakeoil.pem",
            f"smtpd_tls_cert_file=$keys/{certificate.CERTIFICATE}",
            "each run has a certificate of its own",
        ),
        Rewrite(
            TLS,
            "smtpd_tls_key_file=/etc/ssl/private/ssl-cert-snakeoil.key",
            f"smtpd_tls_key_file=$keys/{certificate.KEY}",
            "each run has a certificate of its own",
        ),
        Rewrite(
            MASTER,
            "smtp      inet  n       -       y       -       -       smtpd",
            "$host:$port inet n       -       y       -       -       smtpd",
            "a free port",
        ),
    ),
)


def write(home: Path, fields: Mapping[str, str]) -> None:
    """Write the files as the package does; raises OSError, and MachineLimitError for shipped files.

    `fields` are those of the rewrites; the home has `etc` and `queue`.
    """
    shipped = home / "shipped"
    STOCK.write(shipped, {"home": str(home), **fields})
    main = "".join((shipped / name).read_text("utf-8") for name in (MAIN, TLS))
    (home / "etc" / "main.cf").write_text(main, "utf-8")
    shutil.copy(shipped / MASTER, home / "etc" / "master.cf")
    (home / "etc" / "aliases").write_text(ALIASES, "ascii")
    (home / "queue" / "etc").mkdir()
    for name in IN_PRISON:
        if (Path("/etc") / name).exists():
            shutil.copy(Path("/etc") / name, home / "queue" / "etc" / name)
