"""The kinds of views: how a server is recognised, where its view usually is, and how it is read.

A new kind is an entry of `_OURS`, or of an installed package. Nothing here sends credentials or
changes anything; only Samba's starts a program, smbstatus.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from headcount.counters.views import (
    haproxy,
    jvm,
    lighttpd,
    php_fpm,
    redis,
    samba,
    services,
    web,
)
from headcount.counters.views.foreign_file import foreign_text
from headcount.counters.views.reading import Reader
from headcount.installed import added

NGINX_PATHS = ("/nginx_status", "/stub_status", "/basic_status", "/status")
"""Usual paths: from nginx's documentation, and from monitoring programs."""
APACHE_PATHS = ("/server-status?auto",)
"""Where Debian, Fedora and Apache's documentation put it."""
LIGHTTPD_PATHS = ("/server-status?auto",)
"""Where its documentation puts it."""
HAPROXY_PATHS = ("/haproxy?stats;csv", "/stats;csv")
WEB_SERVERS = ("nginx", "apache2", "httpd", "caddy", "lighttpd")
"""Programs that forward requests to PHP-FPM."""
PORTS = {"redis": 6379}
"""Ports that identify a server behind another, on a machine whose programs are not visible."""


@dataclass(frozen=True)
class Around:
    """What is known of a server before its views are searched for.

    Attributes:
        url: The target's scheme and address, if it speaks HTTP.
        banner: Its name for itself in its answers (`Server:`).
        processes: Names of its processes, by process id; none on another machine.
        behind: Names of the servers behind it, by address: those it has connections to.
        others: Names of all processes of this machine, if the server is on it.
        proc: Where procfs is mounted.

    """

    url: str | None = None
    banner: str = ""
    processes: Mapping[int, str] = field(default_factory=dict)
    behind: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    others: Mapping[int, str] = field(default_factory=dict)
    proc: str = "/proc"

    def runs(self, *programs: str) -> list[int]:
        """The server's processes of these programs."""
        return [pid for pid, name in self.processes.items() if name.startswith(programs)]

    def shares(self, pid: int) -> bool:
        """Whether a path or an address in a process's configuration means the same here.

        In a container it does not: here another server may listen there.
        """
        return all(
            _namespace(self.proc, str(pid), kind) == _namespace(self.proc, "self", kind) is not None
            for kind in ("mnt", "net")
        )

    def calls_itself(self, *words: str) -> bool:
        """Whether its answers or its processes have this name."""
        return self.banner.lower().startswith(words) or bool(self.runs(*words))


Guess = tuple[str, Reader]
"""An address, and what reads it."""


@dataclass(frozen=True)
class Kind:
    """A kind of view.

    Attributes:
        name: As `--view` has it.
        title: For people.
        form: The form of its addresses.
        opened: Reads an address that the user gave.
        guesses: Places where it may be; none for other servers.

    """

    name: str
    title: str
    form: str
    opened: Callable[[str], Reader]
    guesses: Callable[[Around], Iterable[Guess]]


def _pages(
    around: Around, opened: Callable[[str], Reader], paths: Iterable[str], *words: str
) -> Iterable[Guess]:
    if around.url is not None and around.calls_itself(*words):
        for path in paths:
            yield around.url + path, opened(around.url + path)


def _nginx(around: Around) -> Iterable[Guess]:
    return _pages(around, web.reader, NGINX_PATHS, "nginx")


def _apache(around: Around) -> Iterable[Guess]:
    return _pages(around, web.reader, APACHE_PATHS, "apache", "httpd")


def _lighttpd(around: Around) -> Iterable[Guess]:
    return _pages(around, lighttpd.reader, LIGHTTPD_PATHS, "lighttpd")


def _haproxy(around: Around) -> Iterable[Guess]:
    """The sockets and pages of its configuration, which its command line names."""
    for pid in filter(around.shares, around.runs("haproxy")):
        for text in _configurations(around.proc, pid, "-f"):
            yield from ((path, haproxy.reader(path)) for path in haproxy.sockets(text))
            if around.url is not None:
                for path in haproxy.pages(text):
                    yield around.url + path, haproxy.reader(around.url + path)
    yield from _pages(around, haproxy.reader, HAPROXY_PATHS, "haproxy")


def _redis(around: Around) -> Iterable[Guess]:
    """Servers behind the target."""
    for peer, names in around.behind.items():
        is_known = any(
            name.startswith(("redis-server", "valkey-server")) for name in names.values()
        )
        if is_known or (not names and peer.endswith(f":{PORTS['redis']}")):
            yield peer, redis.reader(peer)


def _php_fpm(around: Around) -> Iterable[Guess]:
    """The pools of the only PHP-FPM of this machine, behind a web server."""
    if not (around.calls_itself(*WEB_SERVERS) or around.runs("php-fpm")):
        return
    masters = {
        pid: path
        for pid, name in around.others.items()
        if name.startswith("php-fpm")
        and around.shares(pid)
        and (path := _fpm_configuration(around.proc, pid))
    }
    if len(masters) != 1:
        return
    for path in masters.values():
        for pool in php_fpm.pools(path):
            address = pool.listen + (php_fpm.SEPARATOR + pool.status_path) * bool(pool.status_path)
            yield address, php_fpm.reader(address, pool.most)


def _jvm(around: Around) -> Iterable[Guess]:
    for pid in around.runs("java"):
        if (path := jvm.file_of(pid, around.proc)) is not None:
            yield path, jvm.reader(path)


def _dovecot(around: Around) -> Iterable[Guess]:
    for pid in filter(around.shares, around.runs("dovecot")):
        texts = _configurations(around.proc, pid, "-c")
        named = [path for text in texts for path in services.dovecot_sockets(text)]
        for path in named or [services.DOVECOT]:
            yield path, services.dovecot_reader(path)


def _samba(around: Around) -> Iterable[Guess]:
    """The configuration that smbd was started with, or the usual one."""
    for pid in filter(around.shares, around.runs("smbd")):
        words = [part for word in _command(around.proc, pid) for part in word.split("=", 1)]
        named = [after for word, after in pairwise(words) if word in ("-s", "--configfile")]
        for path in named or samba.CONFIGURATIONS:
            yield path, samba.SambaReader(path)


_OURS = {
    kind.name: kind
    for kind in (
        Kind("nginx", "nginx stub_status", "http://HOST/PATH", web.reader, _nginx),
        Kind("apache", "Apache mod_status", "http://HOST/PATH?auto", web.reader, _apache),
        Kind(
            "lighttpd", "lighttpd mod_status", "http://HOST/PATH?auto", lighttpd.reader, _lighttpd
        ),
        Kind("haproxy", "HAProxy statistics", "SOCKET or URL", haproxy.reader, _haproxy),
        Kind("php-fpm", "PHP-FPM status", "SOCKET|PATH", php_fpm.reader, _php_fpm),
        Kind("redis", "Redis INFO", "HOST:PORT", redis.reader, _redis),
        Kind("jvm", "JVM performance data", "FILE", jvm.reader, _jvm),
        Kind("samba", "Samba status", "SMB.CONF", samba.SambaReader, _samba),
        Kind("dovecot", "Dovecot service status", "SOCKET", services.dovecot_reader, _dovecot),
    )
}


def kinds() -> Mapping[str, Kind]:
    """All kinds by their names: those of Headcount, and those of installed packages.

    Raises InputError for an installed package whose kind cannot be loaded.
    """
    others = added("views", "view", Kind).values()
    return {**{kind.name: kind for kind in others}, **_OURS}


def _configurations(proc: str, pid: int, option: str) -> list[str]:
    """The configuration files that a process's command line names after an option."""
    words = _command(proc, pid)
    named = [after for word, after in pairwise(words) if word == option]
    return [text for name in named if (text := _text(_seen(proc, pid, name))) is not None]


def _fpm_configuration(proc: str, pid: int) -> Path | None:
    """The file in the title of PHP-FPM's first process: `php-fpm: master process (FILE)`."""
    title = " ".join(_command(proc, pid))
    if "master process (" not in title:
        return None
    name = title.partition("master process (")[2].rpartition(")")[0]
    return _seen(proc, pid, name) if name else None


def _seen(proc: str, pid: int, name: str) -> Path:
    """The path, as seen from here, of a file that a process names."""
    inside = f"{proc}/{pid}/root{name}" if name.startswith("/") else f"{proc}/{pid}/cwd/{name}"
    return Path(inside)


def _command(proc: str, pid: int) -> list[str]:
    text = _text(Path(f"{proc}/{pid}/cmdline")) or ""
    return [word for word in text.split("\0") if word]


def _namespace(proc: str, process: str, kind: str) -> str | None:
    """The namespace of a kind that a process is in; None if unreadable."""
    try:
        return str(Path(f"{proc}/{process}/ns/{kind}").readlink())
    except OSError:
        return None


def _text(path: Path) -> str | None:
    try:
        return foreign_text(path)
    except OSError:
        return None
