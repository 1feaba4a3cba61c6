"""What a plan's `[server]` table may set for `lab:mail`, and what it does."""

from collections.abc import Mapping

from headcount.errors import InputError
from headcount.lab.setting import ON_OFF, Setting

MOST_USERS = 100_000
"""Their numbers have five digits."""
MOST_DESTINATIONS = 8

MAIL: Mapping[str, Setting] = {
    "users": Setting(
        "100000",
        (),
        "passdb",
        "Users there are; no other name can log on or gets mail. All of them cost Dovecot's auth "
        "process 10 MB and its first logon 60 ms.",
        most=MOST_USERS,
    ),
    "format": Setting(
        "maildir",
        ("maildir", "mdbox", "sdbox"),
        "mail_location",
        "How mailboxes are stored: a file for each message (maildir, sdbox), or many messages in a "
        "file of up to 10 MB (mdbox).",
    ),
    "fsync": Setting(
        "optimized",
        ("optimized", "always", "never"),
        "mail_fsync",
        "Whether a message is on the disk before it counts as delivered or saved. Never is fast "
        "and loses mail with the power.",
    ),
    "client_limit": Setting(
        "1",
        (),
        "service imap { client_limit }",
        "Sessions that one imap process serves. 1, the default, starts a process for each logon. "
        "More share processes, which are then kept: much less memory, many more logons/s; but "
        "one slow disk access holds up all of them.",
        most=1000,
    ),
    "imap_processes": Setting(
        "0",
        ("0",),
        "service imap { process_min_avail }",
        "imap processes that are started before anybody logs on. With a client_limit of more than "
        "1 give the number of processors.",
        most=1000,
    ),
    "login_processes": Setting(
        "0",
        ("0",),
        "service imap-login { process_min_avail }",
        "0, the default, starts a process for each connection that is to log on. More are so many "
        "processes that serve all of them, and are kept.",
        most=64,
    ),
    "lmtp_processes": Setting(
        "100",
        (),
        "service lmtp { process_limit }",
        "Connections on which mail is taken for delivery at a time; more wait.",
        most=1000,
    ),
    "compress": Setting(
        "off",
        ("off", "gz", "zstd", "lz4"),
        "zlib_save",
        "Whether messages are stored compressed: less disk, more CPU.",
    ),
    "quota": Setting(
        "off",
        ON_OFF,
        "mail_plugins = quota",
        "Whether what each user stores is counted (without a limit) and told to clients.",
    ),
    "tls": Setting(
        "off",
        ON_OFF,
        "ssl, smtpd_tls_security_level",
        "Whether TLS is offered, with a certificate made for the run (P-256), which users trust: "
        "by STARTTLS, and from the first byte on a port of its own. Without is allowed too.",
    ),
    "front": Setting(
        "auto",
        ("auto", "postfix", "headcount", "lmtp"),
        "none",
        "Who takes the mail that users send: postfix, a Postfix of this machine, which only root "
        "can start; headcount, a small server of Headcount's that hands each message to Dovecot "
        "before it accepts it; or lmtp, Dovecot itself, which takes it for its own users. Auto is "
        "postfix if root runs this, else headcount.",
    ),
    "smtpd_processes": Setting(
        "100",
        (),
        "smtpd, maxproc of master.cf",
        "Connections that Postfix serves at a time; more wait.",
        most=1000,
    ),
    "delivery_concurrency": Setting(
        "20",
        (),
        "default_destination_concurrency_limit",
        "Deliveries that Postfix has under way at a time to Dovecot, and to each destination.",
        most=1000,
    ),
    "flow_control": Setting(
        "on",
        ON_OFF,
        "in_flow_delay",
        "Whether Postfix lets senders wait up to a second when mail comes faster than it goes.",
    ),
    "log": Setting(
        "on",
        ON_OFF,
        "maillog_file, info_log_path",
        "Whether each logon and each delivery is written to a log, as on most mail servers. It is "
        "some 600 bytes a message; of a long run it fills a disk.",
    ),
    "destinations": Setting(
        "0",
        ("0",),
        "transport_maps",
        "Other servers that mail goes to, as the three of NotesBench: Postfix delivers mail for "
        "dest1.test.invalid, dest2.test.invalid, ... to an smtp-sink each, which only counts it; "
        "the front of Headcount's own counts it itself.",
        most=MOST_DESTINATIONS,
    ),
}


def check(settings: Mapping[str, str]) -> None:
    """Raise InputError for settings that do not go together."""
    if settings["front"] == "lmtp" and settings["destinations"] != "0":
        raise InputError(
            "other destinations need a front that relays mail: front = postfix, or headcount; "
            "Dovecot's LMTP (front = lmtp) takes mail only for its own users"
        )
