"""The configuration of a private Apache httpd."""

import re
from collections.abc import Mapping
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import certificate, port
from headcount.lab.web import ACCESS_LOG, LOG, STATUS

PLAIN = re.compile(r"[A-Za-z0-9/._ -]+")
"""Paths that Apache's configuration takes literally between quotes."""
MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules")
"""Where Debian and Fedora have them."""
THREADS = 25
"""Threads of one process: Apache's default with the event MPM."""

CONFIGURATION = """\
ServerName {host}
Listen {host}:{port}
PidFile "{place}/run/pid"
DefaultRuntimeDir "{place}/run"
ErrorLog "{place}/{log}"
LogLevel warn
ServerTokens Full
DocumentRoot "{place}/pages"
TypesConfig /dev/null
AddType text/html .html
KeepAlive {keep}
KeepAliveTimeout {keepalive}
MaxKeepAliveRequests {keepalive_requests}
EnableSendfile {sendfile}
<Directory "{place}/pages">
Options None
AllowOverride None
Require all granted
</Directory>
ScriptAlias /cgi-bin/ "{place}/pages/cgi-bin/"
<Directory "{place}/pages/cgi-bin">
Options ExecCGI
</Directory>
<Location {status}>
SetHandler server-status
</Location>
"""
"""Nothing of this machine's own Apache. All else has Apache's defaults."""


def modules(program: str) -> Path:
    """Where the modules are; raises SystemLimitError."""
    for folder in MODULES:
        if (Path(folder) / "mod_mime.so").exists():
            return Path(folder)
    raise SystemLimitError(
        f"found no modules of {program} in {', '.join(MODULES)}; install them with: "
        "apt-get install -y --no-install-recommends apache2-bin"
    )


def configuration(place: Path, number: int, settings: Mapping[str, str], folder: Path) -> str:
    """The configuration for this port; `place` is the home under the name that Apache uses."""
    wanted = _wanted(settings)
    loads = [
        f'LoadModule {name}_module "{folder}/mod_{name}.so"'
        for name in wanted
        if (folder / f"mod_{name}.so").exists()
    ]
    fixed = CONFIGURATION.format(
        host=port.host(),
        port=number,
        place=place,
        log=LOG,
        keep="Off" if settings["keepalive"] == "0" else "On",
        keepalive=settings["keepalive"],
        keepalive_requests=settings["keepalive_requests"],
        sendfile=settings["sendfile"],
        status=STATUS,
    )
    return "\n".join([*loads, fixed, *_workers(settings), *_extras(place, settings), ""])


def _wanted(settings: Mapping[str, str]) -> list[str]:
    """Names of the modules that the settings need; built-in ones have no file."""
    event = settings["mpm"] == "event"
    names = ["mpm_event" if event else "mpm_prefork", "authz_core", "mime", "alias", "status"]
    names += ["unixd", "log_config", "cgid" if event else "cgi"]
    names += ["ssl", "socache_shmcb"] if settings["tls"] == "on" else []
    names += ["http2"] if settings["http2"] == "on" else []
    names += ["filter", "deflate"] if settings["gzip"] == "on" else []
    return names


def _workers(settings: Mapping[str, str]) -> list[str]:
    """As many workers as asked for; threads come in whole processes."""
    most = int(settings["workers"])
    if settings["mpm"] == "prefork":
        return [f"ServerLimit {most}", f"MaxRequestWorkers {most}"]
    threads = min(THREADS, most)
    return [
        f"ServerLimit {most_workers(settings) // threads}",
        f"ThreadsPerChild {threads}",
        f"MaxRequestWorkers {most_workers(settings)}",
    ]


def most_workers(settings: Mapping[str, str]) -> int:
    """How many requests are served at a time."""
    most = int(settings["workers"])
    threads = 1 if settings["mpm"] == "prefork" else min(THREADS, most)
    return -(-most // threads) * threads


def _extras(place: Path, settings: Mapping[str, str]) -> list[str]:
    lines = [f'ScriptSock "{place}/run/cgi"'] if settings["mpm"] == "event" else []
    if settings["access_log"] == "on":
        form = r"%{usec}t %m %U%q %>s %B %D %k %X"
        lines.append(f'CustomLog "{place}/{ACCESS_LOG}" "{form}"')
    if settings["gzip"] == "on":
        lines.append("SetOutputFilter DEFLATE")
    if settings["http2"] == "on":
        lines.append("Protocols h2 h2c http/1.1")
    if settings["tls"] == "on":
        lines += [
            "SSLEngine on",
            f'SSLCertificateFile "{place}/{certificate.CERTIFICATE}"',
            f'SSLCertificateKeyFile "{place}/{certificate.KEY}"',
            "SSLProtocol -all +TLSv1.2 +TLSv1.3",
            f'SSLSessionCache "shmcb:{place}/run/tls(512000)"',
        ]
    return lines
