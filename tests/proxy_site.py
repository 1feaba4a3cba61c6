"""An nginx before a web server of a test."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from headcount.lab import port
from headcount.lab.nginx import program
from processes import wait_for

PATIENCE_S = 20.0
NGINX = """\
daemon off;
{user}worker_processes 1;
pid {folder}/pid;
error_log {folder}/log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  server {{
    listen 127.0.0.1:{web}{how};
    location / {{
      proxy_pass {behind};
      proxy_buffering off;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }}
  }}
}}
"""


@contextlib.contextmanager
def proxied(behind: str, *, http2: bool = False) -> Iterator[str]:
    """nginx, which hands everything on as it comes; gives its address."""
    with tempfile.TemporaryDirectory() as name:
        folder, web = Path(name), port.free()
        folder.chmod(0o755)
        user = "user www-data;\n" if os.geteuid() == 0 else ""
        how = " http2" if http2 else ""
        text = NGINX.format(folder=folder, user=user, web=web, how=how, behind=behind.rstrip("/"))
        (folder / "nginx.conf").write_text(text, "utf-8")
        command = [program(), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
        with subprocess.Popen(command) as process:
            try:
                wait_for(lambda: process.poll() is not None or port.answers(web))
                assert process.poll() is None, (folder / "log").read_text("utf-8")
                yield f"http://127.0.0.1:{web}/"
            finally:
                process.terminate()
                process.wait(PATIENCE_S)
