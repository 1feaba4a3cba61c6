"""Web servers and proxies, with a configuration that the case writes."""

import os
import shutil
import subprocess
from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start, pages

PATHS = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
NGINX = """
daemon off;  pid {folder}/pid;  error_log {folder}/error.log;  {main}
events {{ {events} }}
http {{
  access_log off;  default_type text/html;  keepalive_requests 100000;
  client_body_temp_path {folder}/body;  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fcgi;  uwsgi_temp_path {folder}/uwsgi;  scgi_temp_path {folder}/scgi;
  {outside}
  server {{ listen {address} backlog=1024;  root {pages};  {config} }}
}}
"""
PHP = """
location / {{
  fastcgi_pass unix:{socket};  fastcgi_param SCRIPT_FILENAME {script};
  fastcgi_param REQUEST_METHOD $request_method;  fastcgi_param FLAGS "{flags}";
}}
"""
HAPROXY = """
global
  maxconn 2000
  {main}
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout queue 60s
frontend f
  bind {address}
  {frontend}
  default_backend b
{config}
"""
LIGHTTPD = """
server.document-root = "{pages}"
server.bind = "{host}"
server.port = {port}
server.modules = ()
server.errorlog = "{folder}/error.log"
mimetype.assign = (".txt" => "text/plain", "" => "text/html")
{usual}
{config}
"""
LIGHTTPD_USUAL = {"server.max-connections": 1024, "server.max-keep-alive-requests": 100000}
"""What holds unless the case has another value: lighttpd takes no setting twice."""
CADDY = """
{{
  admin off
  auto_https off
  persist_config off
  log {{
    level ERROR
  }}
}}
http://:{port} {{
  bind {host}
  root * {pages}
  {config}
}}
"""
FPM = """
[global]
error_log = {folder}/error.log
daemonize = no
[www]
{user}
listen = {folder}/fpm.sock
listen.mode = 0666
listen.backlog = 511
pm = static
pm.max_children = {children}
catch_workers_output = yes
"""
SCRIPT = Path(__file__).parents[1] / "programs" / "app.php"


def nginx(component: Component, place: Place) -> Start:
    """Its default of one worker unless `main` has another number; `options` are of its events."""
    config = component.config
    if component.php:
        socket, _, flags = place.addresses[component.php].partition("|")
        config += PHP.format(socket=socket, script=SCRIPT, flags=flags)
    text = NGINX.format(
        folder=place.folder,
        address=place.address,
        main=component.main,
        events=component.options or "worker_connections 1024;",
        outside=component.outside,
        config=config,
        pages=page_folder(component, place),
    )
    path = written(place, "nginx.conf", text)
    user = ["-g", "user root;"] if os.geteuid() == 0 else []
    command = [program("nginx"), "-p", str(place.folder), "-c", path, *user]
    return Start(command, place.address)


def haproxy(component: Component, place: Place) -> Start:
    """A proxy whose backend is called `b`."""
    text = HAPROXY.format(
        address=place.address,
        main=component.main,
        frontend=component.frontend,
        config=component.config,
    )
    return Start(
        [program("haproxy"), "-db", "-f", written(place, "haproxy.cfg", text)], place.address
    )


def lighttpd(component: Component, place: Place) -> Start:
    """One process, unless the case has `server.max-worker`."""
    usual = [
        f"{key} = {value}" for key, value in LIGHTTPD_USUAL.items() if key not in component.config
    ]
    text = LIGHTTPD.format(
        folder=place.folder,
        host=place.host,
        port=place.port,
        usual="\n".join(usual),
        config=component.config,
        pages=page_folder(component, place),
    )
    path = written(place, "lighttpd.conf", text)
    return Start([program("lighttpd"), "-D", "-f", path], place.address)


def caddy(component: Component, place: Place) -> Start:
    """Without its administration and certificates."""
    text = CADDY.format(
        host=place.host,
        port=place.port,
        config=component.config,
        pages=page_folder(component, place),
    )
    path = written(place, "Caddyfile", text)
    command = [str(place.tools.caddy()), "run", "--adapter", "caddyfile", "--config", path]
    return Start(command, place.address, {"HOME": str(place.folder)})


def php(component: Component, place: Place) -> Start:
    """PHP-FPM; its address is its socket, followed by the flags that nginx hands on."""
    user = "user = root\ngroup = root" if os.geteuid() == 0 else ""
    text = FPM.format(folder=place.folder, children=component.children, user=user)
    path = written(place, "fpm.conf", text)
    newest = max(Path("/usr/sbin").glob("php-fpm*"))
    root = ["--allow-to-run-as-root"] if os.geteuid() == 0 else []
    socket = place.folder / "fpm.sock"
    command = [str(newest), "--nodaemonize", "--fpm-config", path, *root]
    return Start(command, f"{socket}|{component.flags}", file=socket)


def program(name: str) -> str:
    """Where a program is, also of those that only administrators have on their path."""
    found = shutil.which(name, path=PATHS)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed")
    return found


def page_folder(component: Component, place: Place) -> Path:
    home = Path(place.addresses["disk"]) if component.on_disk else place.folder
    made = pages(component, home, place.users)
    subprocess.run(["chmod", "-R", "a+rX", made], check=True)
    return made


def written(place: Place, name: str, text: str) -> str:
    path = place.folder / name
    path.write_text(text, "utf-8")
    return str(path)
