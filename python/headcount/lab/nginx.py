"""`lab:nginx`: a real nginx of this machine, on a loopback port, without root."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from headcount.lab import certificate, port, setting, web_settings
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.stock import nginx as stock_nginx
from headcount.lab.web import ACCESS_LOG, LOG, STATUS, WebServer
from headcount.lab.web import CONFIGURATION as FOLDER

PACKAGES = Packages("nginx", "nginx-core")
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
"""Folders that nginx makes at compiled-in places by default."""

CONFIGURATION = """\
{user}daemon off;
worker_processes {workers};
pid {place}/run/pid;
error_log {place}/{log};
events {{ worker_connections {connections}; }}
http {{
{temporary}
default_type application/octet-stream;
types {{ text/html html; }}
log_format headcount '$msec $request_method $request_uri $status $body_bytes_sent $request_time '
  '$connection $connection_requests $server_protocol';
access_log {access_log};
sendfile {sendfile};
tcp_nopush {tcp_nopush};
keepalive_timeout {keepalive};
keepalive_requests {keepalive_requests};
open_file_cache {file_cache};
gzip {gzip};
server_tokens on;
{tls}
server {{
listen {host}:{port}{how};
root {place}/pages;
location = {status} {{ stub_status; access_log off; }}
}}
}}
"""
"""Nothing of this machine's own nginx. All else has nginx's defaults."""


class NginxServer(WebServer):
    """nginx in the lab, running."""

    name = "nginx"
    stock = stock_nginx.STOCK

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("nginx", web_settings.NGINX, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        complete = setting.complete(self.name, web_settings.NGINX, settings)
        self._program = program()
        version = command_output([self._program, "-v"]).rpartition("/")[2]
        super().__init__(complete, {"nginx": version})

    def configuration(self, place: Path, number: int) -> str:
        """One server, one folder, and its own figures."""
        set_to = self.settings
        how = (" ssl" if set_to["tls"] == "on" else "") + (
            " http2" if set_to["http2"] == "on" else ""
        )
        files = set_to["file_cache"]
        tls = (
            f"ssl_certificate {place}/{certificate.CERTIFICATE};\n"
            f"ssl_certificate_key {place}/{certificate.KEY};\nssl_protocols TLSv1.2 TLSv1.3;\n"
            "ssl_session_cache shared:tls:10m;"
        )
        log = f"{place}/{ACCESS_LOG} headcount" if set_to["access_log"] == "on" else "off"
        return CONFIGURATION.format(
            # Otherwise root's nginx would serve as `nobody`, which may not enter root's folders.
            user="user root;\n" if os.geteuid() == 0 else "",
            workers=set_to["workers"],
            connections=set_to["connections"],
            place=place,
            log=LOG,
            temporary="\n".join(f"{kind}_temp_path {place}/run/{kind};" for kind in TEMPORARY),
            access_log=log,
            sendfile=set_to["sendfile"],
            tcp_nopush=set_to["tcp_nopush"],
            keepalive=set_to["keepalive"],
            keepalive_requests=set_to["keepalive_requests"],
            file_cache=f"max={files} inactive=60s" if files != "0" else "off",
            gzip=set_to["gzip"],
            tls=tls if set_to["tls"] == "on" else "",
            host=port.host(),
            port=number,
            how=how,
            status=STATUS,
        )

    @property
    def most(self) -> Mapping[str, int]:
        """How many connections it has at a time; auto is a worker for each processor."""
        if self.is_stock:
            text = (self.home / FOLDER / stock_nginx.MAIN).read_text("utf-8")
            found = re.search(r"worker_connections ([0-9]+);", text)
            return {"connections": (os.cpu_count() or 1) * int(found[1])} if found else {}
        workers = self.settings["workers"]
        processes = (os.cpu_count() or 1) if workers == "auto" else int(workers)
        return {"connections": processes * int(self.settings["connections"])}

    def command(self, place: Path) -> list[str]:
        """In the foreground, all of its files in the home."""
        file = place / FOLDER / stock_nginx.MAIN if self.is_stock else place / "configuration"
        where = ["-c", str(file), "-p", str(place), "-e", str(place / LOG)]
        # As its own service does: unlike the lab's file, the shipped one does not set this.
        return [self._program, *where, *(["-g", "daemon off;"] if self.is_stock else [])]


def program() -> str:
    """The path of nginx; raises NotInstalledError."""
    return find("nginx", PACKAGES.advice("lab:nginx needs nginx"))
