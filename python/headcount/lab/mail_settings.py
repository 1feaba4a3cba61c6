"""What a plan's `[server]` table may set for `lab:mail`, and what it does."""

from collections.abc import Mapping

from headcount.errors import InputError
from headcount.lab.setting import ON_OFF, PROFILE, Setting

MOST_USERS = 100_000
"""Their numbers have five digits."""
MOST_DESTINATIONS = 8

MAIL: Mapping[str, Setting] = {
    "profile": PROFILE,
    "users": Setting(
        "100000",
        (),
        "passdb",
        "How many users there are; other names cannot log on and get no mail. 100,000 cost "
        "Dovecot's auth process 10 MB and its first logon 60 ms.",
        most=MOST_USERS,
        is_stock=True,
    ),
    "format": Setting(
        "maildir",
        ("maildir", "mdbox", "sdbox"),
        "mail_location",
        "A file per message (maildir, sdbox), or many in files of up to 10 MB (mdbox).",
    ),
    "fsync": Setting(
        "optimized",
        ("optimized", "always", "never"),
        "mail_fsync",
        "Whether a message is on disk before it counts as saved. Never is fast, and a power "
        "failure loses mail.",
    ),
    "client_limit": Setting(
        "1",
        (),
        "service imap { client_limit }",
        "Sessions per imap process; 1 starts one for each logon. More need much less memory and "
        "log on faster, but one slow disk access holds up all sessions of a process.",
        most=1000,
    ),
    "imap_processes": Setting(
        "0",
        ("0",),
        "service imap { process_min_avail }",
        "Started in advance; with a client_limit above 1, use the number of CPUs.",
        most=1000,
    ),
    "login_processes": Setting(
        "0",
        ("0",),
        "service imap-login { process_min_avail }",
        "0 starts a process for each connection that logs on; otherwise this many serve all "
        "logons.",
        most=64,
    ),
    "lmtp_processes": Setting(
        "100",
        (),
        "service lmtp { process_limit }",
        "Connections that accept mail for delivery at a time.",
        most=1000,
    ),
    "compress": Setting(
        "off",
        ("off", "gz", "zstd", "lz4"),
        "zlib_save",
        "Stores messages compressed: less disk, more CPU.",
    ),
    "quota": Setting(
        "off",
        ON_OFF,
        "mail_plugins = quota",
        "Whether to count what each user stores (without a limit) and report it.",
    ),
    "tls": Setting(
        "off",
        ON_OFF,
        "ssl, smtpd_tls_security_level",
        "Whether to offer TLS, by STARTTLS and on a port of its own, with a certificate as for "
        "Apache.",
    ),
    "front": Setting(
        "auto",
        ("auto", "postfix", "headcount", "lmtp"),
        "none",
        "Who takes users' mail: postfix, which only root can start; headcount, a small server that "
        "passes each message to Dovecot before accepting it; or lmtp, Dovecot itself, for its own "
        "users. Auto is postfix as root, else headcount.",
        is_stock=True,
    ),
    "smtpd_processes": Setting(
        "100",
        (),
        "smtpd, maxproc of master.cf",
        "Connections that Postfix serves at a time.",
        most=1000,
    ),
    "delivery_concurrency": Setting(
        "20",
        (),
        "default_destination_concurrency_limit",
        "Deliveries of Postfix at a time to Dovecot, and to each destination.",
        most=1000,
    ),
    "flow_control": Setting(
        "on",
        ON_OFF,
        "in_flow_delay",
        "Whether Postfix slows senders by up to a second when mail arrives faster than it leaves.",
    ),
    "log": Setting(
        "on",
        ON_OFF,
        "maillog_file, info_log_path",
        "Whether to log each logon and delivery, as most mail servers do: about 600 bytes per "
        "message.",
    ),
    "destinations": Setting(
        "0",
        ("0",),
        "transport_maps",
        "Other servers that receive mail, like NotesBench's three: for dest1.test.invalid, "
        "dest2.test.invalid, ..., an smtp-sink each, which only counts it.",
        most=MOST_DESTINATIONS,
    ),
}


def check(settings: Mapping[str, str]) -> None:
    """Raise InputError for settings that do not go together."""
    if settings["front"] == "lmtp" and settings.get("destinations", "0") != "0":
        raise InputError(
            "other destinations need a front that relays mail: front = postfix, or headcount; "
            "Dovecot's LMTP (front = lmtp) takes mail only for its own users"
        )
