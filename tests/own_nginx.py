"""The configuration of an nginx that a test starts before another server."""

import os
from pathlib import Path

from headcount.lab.nginx import program

TEXT = """\
daemon off;
{user}worker_processes 1;
pid {folder}/pid;
error_log {folder}/log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  server {{
    listen 127.0.0.1:{listen};
    location / {{ {location} }}
  }}
}}
"""


def command(folder: Path, listen: int | str, location: str) -> list[str]:
    """What starts it: its files are in the folder, and it does this with every request."""
    folder.chmod(0o755)  # its workers are of another account
    user = "user www-data;\n" if os.geteuid() == 0 else ""
    text = TEXT.format(folder=folder, user=user, listen=listen, location=location)
    (folder / "nginx.conf").write_text(text, "utf-8")
    return [program(), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
