"""Dovecot as Debian ships it."""

from headcount.lab import certificate, dovecot_files
from headcount.lab.stock.files import Stock
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

MAIN, SPOOL = "dovecot.conf", "spool"
USER = "dovecot"
"""The account that looks up users and passwords."""
MODE = 0o2775
"""The mode of `/var/mail` on Debian, whose group is :data:`GROUP`."""
GROUP = "mail"
HOME = "each run has folders of its own"
USERS = "the users of a run are not accounts of this machine"
PORT = "a free port"
_AUTH, _FILE, _MASTER = (
    "conf.d/10-auth.conf",
    "conf.d/auth-passwdfile.conf.ext",
    "conf.d/10-master.conf",
)
_NAMES = (
    *("10-auth.conf", "10-director.conf", "10-logging.conf", "10-mail.conf", "10-master.conf"),
    *("10-ssl.conf", "10-tcpwrapper.conf", "15-lda.conf", "15-mailboxes.conf", "20-imap.conf"),
    *("20-lmtp.conf", "90-acl.conf", "90-plugin.conf", "90-quota.conf", "auth-*.conf.ext"),
)
"""What the packages copy to /etc/dovecot when they are installed."""

STOCK = Stock(
    "lab:mail",
    Shipped(
        ("dovecot-core", "dovecot-imapd", "dovecot-lmtpd"),
        "/usr/share/dovecot",
        (MAIN, *(f"conf.d/{name}" for name in _NAMES)),
    ),
    (
        Rewrite(
            MAIN,
            "#base_dir = /var/run/dovecot/",
            "base_dir = $home/run\nstate_dir = $home/state",
            HOME,
        ),
        Rewrite(MAIN, "#listen = *, ::", "listen = $host", "only users of the run come to it"),
        Rewrite(
            "conf.d/10-logging.conf",
            "#log_path = syslog",
            f"log_path = $home/{dovecot_files.LOG}",
            "the log is the run's",
        ),
        Rewrite(
            "conf.d/10-ssl.conf",
            "ssl_cert = </etc/dovecot/private/dovecot.pem",
            f"ssl_cert = <$home/{certificate.CERTIFICATE}",
            "each run has a certificate of its own",
        ),
        Rewrite(
            "conf.d/10-ssl.conf",
            "ssl_key = </etc/dovecot/private/dovecot.key",
            f"ssl_key = <$home/{certificate.KEY}",
            "each run has a certificate of its own",
        ),
        Rewrite(
            "conf.d/10-mail.conf",
            "mail_location = mbox:~/mail:INBOX=/var/mail/%u",
            f"mail_location = mbox:~/mail:INBOX=$home/{SPOOL}/%u",
            HOME,
        ),
        Rewrite(
            _AUTH,
            "#auth_username_format = %Lu",
            "auth_username_format = %Ln",
            "users log on without the domain that is in their addresses",
        ),
        Rewrite(_AUTH, "!include auth-system.conf.ext", "!include auth-passwdfile.conf.ext", USERS),
        Rewrite(
            _FILE,
            "args = scheme=CRYPT username_format=%u /etc/dovecot/users",
            "args = scheme=PLAIN username_format=%u $home/users",
            USERS,
        ),
        Rewrite(
            _FILE,
            "args = username_format=%u /etc/dovecot/users",
            "args = username_format=%u $home/users",
            USERS,
        ),
        Rewrite(
            _FILE,
            "#default_fields = quota_rule=*:storage=1G",
            "default_fields = uid=$user gid=$group home=$home/mail/%2Mu/%u",
            USERS,
        ),
        Rewrite(_MASTER, "#port = 143", "port = $imap", PORT),
        Rewrite(_MASTER, "#port = 993", "port = $imaps", PORT),
        Rewrite(
            _MASTER,
            "unix_listener lmtp {",
            "inet_listener lmtp {\n  address = $host\n  port = $lmtp\n}\nunix_listener lmtp {",
            "the front delivers to a port",
        ),
    ),
)
"""From these files the packages make those of /etc/dovecot."""
