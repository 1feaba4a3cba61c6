"""What a plan's `[server]` table may set for `lab:nginx` and `lab:apache`, and what it does."""

from collections.abc import Mapping

from headcount.lab.setting import ON_OFF, Setting

TLS = (
    "Whether it speaks TLS, with a certificate made for the run (P-256), which users trust. A "
    "whole handshake costs more CPU than a small page."
)
LOG = (
    "Whether each request is written to a log. Off is ours: the log of a long level fills a disk. "
    "Your server most likely has one."
)

NGINX: Mapping[str, Setting] = {
    "workers": Setting(
        "auto",
        ("auto",),
        "worker_processes",
        "Processes that serve; auto is one for each processor. nginx's own default is 1, Debian's "
        "is auto.",
        most=512,
    ),
    "connections": Setting(
        "16384",
        (),
        "worker_connections",
        "Most connections of one worker. nginx's default of 512 would be the capacity; with "
        "Debian's, 768.",
        most=1_000_000,
    ),
    "keepalive": Setting(
        "75",
        ("0",),
        "keepalive_timeout",
        "Seconds for which an idle connection is kept; 0 closes it after each answer.",
        most=3600,
    ),
    "keepalive_requests": Setting(
        "1000",
        (),
        "keepalive_requests",
        "Requests after which a connection is closed all the same.",
        most=1_000_000_000,
    ),
    "sendfile": Setting(
        "on",
        ON_OFF,
        "sendfile",
        "Whether files go from the kernel's memory to the network without a copy; not over TLS. "
        "Off is nginx's own default, on is Debian's.",
    ),
    "tcp_nopush": Setting(
        "on",
        ON_OFF,
        "tcp_nopush",
        "Whether the head of an answer waits for its first bytes, so that both go in one packet. "
        "Off is nginx's own default, on is Debian's.",
    ),
    "file_cache": Setting(
        "0",
        ("0",),
        "open_file_cache",
        "How many open files are kept open between requests; saves three system calls for each "
        "request. 0 is off, the default.",
        most=1_000_000,
    ),
    "gzip": Setting(
        "off",
        ON_OFF,
        "gzip",
        "Whether pages are compressed for clients that take it (`--client accept_gzip=on`): less "
        "network, more CPU. On is Debian's default.",
    ),
    "access_log": Setting("off", ON_OFF, "access_log", LOG),
    "http2": Setting(
        "off",
        ON_OFF,
        "listen ... http2",
        "Whether it speaks HTTP/2 (`--client http2=on`); without TLS nothing else is spoken then.",
    ),
    "tls": Setting("off", ON_OFF, "listen ... ssl", TLS),
}

APACHE: Mapping[str, Setting] = {
    "mpm": Setting(
        "event",
        ("event", "prefork"),
        "LoadModule mpm_..._module",
        "event: a thread for each request under way. prefork: a process for each connection, as "
        "code that is not safe with threads needs it (mod_php).",
    ),
    "workers": Setting(
        "150",
        (),
        "MaxRequestWorkers",
        "Requests served at a time; all others wait to be accepted. 150 is Debian's default.",
        most=20_000,
    ),
    "keepalive": Setting(
        "5",
        ("0",),
        "KeepAliveTimeout",
        "Seconds for which an idle connection is kept; with prefork it occupies a worker so long. "
        "0 closes it after each answer.",
        most=3600,
    ),
    "keepalive_requests": Setting(
        "100",
        (),
        "MaxKeepAliveRequests",
        "Requests after which a connection is closed all the same.",
        most=1_000_000_000,
    ),
    "sendfile": Setting(
        "off",
        ON_OFF,
        "EnableSendfile",
        "Whether files go from the kernel's memory to the network without a copy; not over TLS.",
    ),
    "gzip": Setting(
        "off",
        ON_OFF,
        "SetOutputFilter DEFLATE",
        "Whether pages are compressed for clients that take it (`--client accept_gzip=on`): less "
        "network, more CPU. On is Debian's default.",
    ),
    "access_log": Setting("off", ON_OFF, "CustomLog", LOG),
    "http2": Setting(
        "off",
        ON_OFF,
        "Protocols h2 h2c http/1.1",
        "Whether it speaks HTTP/2 too (`--client http2=on`); with the event MPM only.",
    ),
    "tls": Setting("off", ON_OFF, "SSLEngine", TLS),
}
