"""What a plan's `[server]` table may set for `lab:nginx` and `lab:apache`, and what it does."""

from collections.abc import Mapping

from headcount.lab.setting import ON_OFF, PROFILE, Setting

TLS = (
    "Whether to speak TLS, with a certificate made for the run (P-256) that users trust. A full "
    "handshake costs more CPU than a small page."
)
LOG = (
    "Whether to log each request, as most servers do; off because the log of a long level fills a "
    "disk."
)

NGINX: Mapping[str, Setting] = {
    "profile": PROFILE,
    "workers": Setting(
        "auto",
        ("auto",),
        "worker_processes",
        "Worker processes; auto is one per CPU.",
        most=512,
    ),
    "connections": Setting(
        "16384",
        (),
        "worker_connections",
        "Most connections per worker. The default of nginx, 512, or Debian, 768, would be the "
        "capacity.",
        most=1_000_000,
    ),
    "keepalive": Setting(
        "75",
        ("0",),
        "keepalive_timeout",
        "Seconds to keep an idle connection; 0 closes it after each answer.",
        most=3600,
    ),
    "keepalive_requests": Setting(
        "1000",
        (),
        "keepalive_requests",
        "Requests after which a connection is closed anyway.",
        most=1_000_000_000,
    ),
    "sendfile": Setting(
        "on",
        ON_OFF,
        "sendfile",
        "As for Apache. nginx's default is off, Debian's on.",
    ),
    "tcp_nopush": Setting(
        "on",
        ON_OFF,
        "tcp_nopush",
        "Whether one packet carries the head of an answer and its first bytes. nginx's default is "
        "off, Debian's on.",
    ),
    "file_cache": Setting(
        "0",
        ("0",),
        "open_file_cache",
        "How many files stay open between requests, which saves three system calls each; 0 is off.",
        most=1_000_000,
    ),
    "gzip": Setting(
        "off",
        ON_OFF,
        "gzip",
        "Whether to compress pages for clients that accept it (`--client accept_gzip=on`): less "
        "network, more CPU. Debian's default is on.",
    ),
    "access_log": Setting("off", ON_OFF, "access_log", LOG),
    "http2": Setting(
        "off",
        ON_OFF,
        "listen ... http2",
        "Whether to speak HTTP/2; without TLS it then speaks nothing else.",
    ),
    "tls": Setting("off", ON_OFF, "listen ... ssl", TLS),
}

APACHE: Mapping[str, Setting] = {
    "profile": PROFILE,
    "mpm": Setting(
        "event",
        ("event", "prefork"),
        "LoadModule mpm_..._module",
        "event: a thread per request in progress; prefork: a process per connection, for code that "
        "is not thread-safe (mod_php).",
    ),
    "workers": Setting(
        "150",
        (),
        "MaxRequestWorkers",
        "Requests served at a time; others wait. 150 is Debian's default.",
        most=20_000,
    ),
    "keepalive": Setting(
        "5",
        ("0",),
        "KeepAliveTimeout",
        "Seconds to keep an idle connection, which with prefork occupies a worker; 0 closes it "
        "after each answer.",
        most=3600,
    ),
    "keepalive_requests": Setting(
        "100",
        (),
        "MaxKeepAliveRequests",
        "Requests after which a connection is closed anyway.",
        most=1_000_000_000,
    ),
    "sendfile": Setting(
        "off",
        ON_OFF,
        "EnableSendfile",
        "Whether files go to the network without a copy; not over TLS.",
    ),
    "gzip": Setting(
        "off",
        ON_OFF,
        "SetOutputFilter DEFLATE",
        "Whether to compress pages for clients that accept it (`--client accept_gzip=on`): less "
        "network, more CPU. Debian's default is on.",
    ),
    "access_log": Setting("off", ON_OFF, "CustomLog", LOG),
    "http2": Setting(
        "off",
        ON_OFF,
        "Protocols h2 h2c http/1.1",
        "Whether to speak HTTP/2 as well (`--client http2=on`); only with the event MPM.",
    ),
    "tls": Setting("off", ON_OFF, "SSLEngine", TLS),
}
